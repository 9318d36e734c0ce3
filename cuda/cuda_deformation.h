#pragma once

// A deformation field in training on the device. Its network runs on the kernels of neural fields:
// values and gradients between layers are halves.

#include <cstddef>
#include <cstdint>

#include "backend/splat_trainer.h"
#include "core/byte_stream.h"
#include "cuda/kernels/displacement.h"
#include "cuda/kernels/fields/hexplane.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/frame.h"
#include "cuda/runtime/runtime.h"
#include "splats/deformation.h"

namespace mote::cuda {

/// The bytes of a field in training, before they are taken.
struct DeformationBytes {
  std::uint64_t state;       // of the parameters, with their optimiser
  std::uint64_t step;        // of a step, for any number of splats
  std::uint64_t each_splat;  // of a step, for each splat more
};
/// With the largest parts that sums of gradients have. Throws Error as deformation_layout() does.
DeformationBytes deformation_bytes(const DeformationConfig& config);

/// All work is enqueued. Every sum is exact or taken in a fixed order.
class CudaDeformation {
 public:
  /// Copies the field, and waits for that. Throws Error if memory is insufficient.
  CudaDeformation(const DeformationField& field, cudaStream_t stream);

  /// The geometry of splats at a time in durations of the scene, on the device and in the layout of
  /// `geometry`. Valid until the next call.
  const float* enqueue_move(const float* geometry, std::size_t count, double share);
  /// Space for the gradient by the geometry that the last enqueue_move() gave, all zero.
  float* enqueue_zero_gradient();
  /// Finds the gradients by the parameters. Returns those by the means of the splats through their
  /// places in the field, [blocks][3][16]: without the gradient above, which is also that by the
  /// stored values.
  const float* enqueue_gradients();
  /// The gradient by the time in durations, after enqueue_gradients(). `counters`: of the frame.
  void enqueue_share_gradient(const FrameCounters* counters, double* d_share);
  /// dL/d(parameter) after enqueue_gradients(), [parameters] on the device.
  const DeviceBuffer<float>& gradients() const { return gradients_; }

  /// Enqueues a step of Adam by the gradients and those of the planes' losses.
  void enqueue_step(const DeformationStep& request);

  DeformationField field() const;
  /// The state as the processor saves it, too.
  void save(ByteSink& sink) const;
  /// Throws Error if the state is of another field.
  void restore(ByteSource& source);
  /// Upper bound on the splats that it moves.
  static std::size_t most_splats();
  std::size_t memory_bytes() const;

 private:
  void enqueue_weights();
  HexPlaneArgs plane_args() const;
  NetworkArgs network_args();
  DisplaceArgs displace_args(const float* geometry, double share);
  DisplaceGradientArgs gradient_args();

  DeformationField shape_;  // without its parameters
  const DeformationLayout layout_;
  const NetworkShape network_;
  cudaStream_t stream_;
  std::uint64_t step_ = 0;
  std::size_t count_ = 0, stride_ = 0;  // splats of the last move
  DeviceBuffer<HexLevel> levels_{"the levels of a field"};
  // [parameters]
  DeviceBuffer<float> values_{"a deformation field"}, first_{"the optimiser of a field"},
      second_{"the optimiser of a field"}, gradients_{"gradients of a field"};
  DeviceBuffer<unsigned long long> sums_{"gradients of a field"};
  DeviceBuffer<uint4> weights_{"the weights of a network"},
      transposed_{"the transposed weights of a network"}, space_{"the layers of a network"};
  DeviceBuffer<float4> parts_{"gradients of a network"};
  DeviceBuffer<unsigned> largest_{"a number"};
  DeviceBuffer<std::uint32_t> features_{"features of splats"},
      d_features_{"gradients of features of splats"};
  // See DisplaceArgs and DisplaceGradientArgs.
  DeviceBuffer<float> places_{"places of splats"}, outputs_{"offsets of splats"},
      moved_{"moved splats"};
  DeviceBuffer<float> d_moved_{"gradients of moved splats"}, d_outputs_{"gradients of offsets"},
      d_places_{"gradients of places of splats"}, d_means_{"gradients of places of splats"},
      d_share_{"gradients of a time"};
};

}  // namespace mote::cuda
