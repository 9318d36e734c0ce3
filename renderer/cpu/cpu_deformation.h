#pragma once

// A deformation field in training on the CPU.

#include <cstddef>
#include <cstdint>

#include "backend/splat_trainer.h"
#include "core/buffer.h"
#include "core/byte_stream.h"
#include "core/parallel.h"
#include "cpu/kernels.h"
#include "cpu/part_gradients.h"
#include "splats/deformation.h"

namespace mote {

/// Sums are taken in an order that does not depend on the number of threads.
class CpuDeformation {
 public:
  /// `kernels` and `pool` must outlive this.
  CpuDeformation(const DeformationField& field, const CpuKernels& kernels, ThreadPool& pool);

  /// The geometry of the splats at a time in durations of the scene, in the layout of SplatCloud.
  /// Valid until the next call.
  const float* move(const SplatCloud& splats, double share);
  /// Space for the gradient by the geometry that the last move() gave, all zero.
  float* begin_gradient();
  /// Finds the gradients by the parameters. Returns those by the means of the splats through their
  /// places in the field, [blocks][3][16]: without the gradient above, which is also that by the
  /// stored values.
  const float* differentiate();
  /// The gradient by the time in durations, after differentiate().
  double d_share() const;
  /// dL/d(parameter) after differentiate(), [parameters].
  const float* gradients() const { return gradients_.data(); }

  /// Takes a step of Adam by the gradients and those of the planes' losses.
  void step(const DeformationStep& request);

  DeformationField field() const;
  void save(ByteSink& sink) const;
  /// Throws Error if the state is of another field.
  void restore(ByteSource& source);
  /// The parameters with their moments; the memory of a step.
  std::size_t state_bytes() const;
  std::size_t step_bytes() const;
  /// Frees the memory of a step.
  void release();

 private:
  GeneralNetworkParams network_params();
  HexPlaneParams plane_params();
  DisplaceBackwardParams backward_params();
  void differentiate_network();
  void differentiate_planes();
  void update(std::size_t first, std::size_t end, float rate);

  DeformationField shape_;  // without its parameters
  const DeformationLayout layout_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  std::uint64_t step_ = 0;
  Buffer<float> values_, first_, second_, gradients_;  // [parameters]
  std::size_t blocks_ = 0, stride_ = 0;
  Buffer<float> places_, features_, outputs_, moved_;  // see DisplaceParams
  Buffer<float> d_moved_, d_outputs_, d_places_, d_means_, d_values_;
  PartGradients parts_;
};

}  // namespace mote
