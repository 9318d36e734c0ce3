#pragma once

// Neural radiance fields on the device.

#include <memory>

#include "backend/field_trainer.h"
#include "core/parallel.h"
#include "cuda/fields/ray_evaluators.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Puts a NeRF, which has all kernels, on the calling thread's device.
std::unique_ptr<DeviceField> make_cuda_nerf(NeuralField field, ThreadPool& pool,
                                            cudaStream_t stream);

/// Positions at which a NeRF is evaluated outside of rays. References must outlive this.
class NerfPoints {
 public:
  NerfPoints(const NerfForm& form, cudaStream_t stream)
      : form_(form), stream_(stream), evaluator_(form, false, stream) {}

  /// Logarithms of densities, see DeviceField::evaluate().
  void densities(const NerfTables& tables, const float* positions, std::size_t count,
                 std::size_t stride, float* values);
  /// The optical thicknesses of the smallest step in the middle of all cells.
  void cell_densities(const NerfTables& tables, OccupancyDensities& cells);
  /// Colours, see DeviceField::radiance().
  void radiance(const NerfTables& tables, const float* positions, const float* directions,
                std::size_t count, std::size_t stride, float* colors);
  std::size_t memory_bytes() const {
    return evaluator_.memory_bytes() + positions_.bytes() + rays_.bytes();
  }

 private:
  void place(const NerfTables& tables, const float* positions, std::size_t count,
             std::size_t stride, std::size_t rays);

  const NerfForm& form_;
  cudaStream_t stream_;
  NerfEvaluator evaluator_;
  DeviceBuffer<float> positions_{"positions in a field"};
  DeviceBuffer<std::uint32_t> rays_{"directions of positions"};
};

}  // namespace mote::cuda
