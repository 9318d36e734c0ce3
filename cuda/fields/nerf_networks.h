#pragma once

// The two networks of a NeRF on the device: their weights, and their values and gradients at
// samples.

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/fields/device_encoding.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/kernels/fields/direction_encoding.h"
#include "cuda/kernels/fields/network_forward.h"
#include "cuda/kernels/fields/ray_follow.h"
#include "cuda/kernels/fields/ray_samples.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/nerf_layout.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// The first part of a NeRF that has no kernels, as a phrase; empty if all have.
std::string missing_nerf_kernels(const NeuralField& field);

/// The parts of a NeRF that training does not change.
struct NerfForm {
  /// CHECKs that no kernels are missing.
  explicit NerfForm(const NeuralField& field);

  NerfLayout layout;
  EncodingForm encoding;
  DirectionEncoding direction;
  NetworkShape density, color;
  NetworkShape lane_density;  // the density network with its inputs in lane order
  int direction_words;        // pairs of encoded values
  float box_min, box_size;
  SampleLight light;
  SoftDensity soft;
};

/// The parameters of a NeRF as kernels read them.
class NerfWeights {
 public:
  NerfWeights(const NerfForm& form, bool with_gradients, cudaStream_t stream);

  /// Enqueues to arrange the matrices, which are in device memory.
  void enqueue(const float* networks);
  const DeviceEncoding& encoding() const { return encoding_; }
  const uint4* density() const { return density_.data(); }
  const uint4* color() const { return color_.data(); }
  const uint4* lane_density() const { return lane_density_.data(); }
  const uint4* density_transposed() const { return density_transposed_.data(); }
  const uint4* color_transposed() const { return color_transposed_.data(); }
  std::size_t memory_bytes() const;

 private:
  const NerfForm& form_;
  cudaStream_t stream_;
  DeviceEncoding encoding_;
  DeviceBuffer<uint4> density_{"the weights of a network"}, color_{"the weights of a network"},
      lane_density_{"the weights of a network"}, density_transposed_{"the weights of a network"},
      color_transposed_{"the weights of a network"};
};

/// A grid's table and what is beside it.
struct NerfTables {
  const std::uint16_t* table;
  const NerfWeights* weights;
  const float* latents = nullptr;  // RayLatents::rows
};

/// The NeRF for kernels that follow rays. `directions`: of these, see RayField.
RayField ray_field(const NerfForm& form, const NerfTables& tables, const std::uint32_t* directions);

/// The values of a NeRF at samples, and their gradients.
class NerfSamples {
 public:
  NerfSamples(const NerfForm& form, cudaStream_t stream) : form_(form), stream_(stream) {}

  /// Makes space for as many samples, and for their gradients. Throws Error if memory is
  /// insufficient.
  void begin(std::size_t samples, bool with_gradients);
  std::size_t stride() const { return stride_; }
  SampleValues values() const;
  /// Logarithms of densities before a softplus: [stride].
  const DeviceBuffer<float>& density() const { return density_; }
  const DeviceBuffer<float>& colors() const { return colors_; }

  /// The samples [first, first + count), or as many as `known` tells if it is not null; see
  /// sample_count().
  struct Part {
    unsigned first, count;
    const unsigned* known = nullptr;
  };
  /// Enqueues to evaluate samples. `positions`: [3][stride].
  void enqueue_density(const NerfTables& tables, const float* positions, const Part& part);
  /// The same of colours, after their densities. `directions`: of rays, see ColorInputArgs.
  void enqueue_colors(const NerfTables& tables, const std::uint32_t* rays,
                      const std::uint32_t* directions, const Part& part);

  /// Gradients by the values of samples.
  float* d_density() { return d_density_.data(); }
  float* d_colors() { return d_colors_.data(); }
  /// Enqueues to set them to zero.
  void clear_gradients() {
    d_density_.fill_bytes(0, stream_);
    d_colors_.fill_bytes(0, stream_);
  }
  /// Those by the inputs of the colour network, scaled, after enqueue_gradients(): pairs of halves.
  const std::uint32_t* d_color_features() const { return d_color_features_.data(); }
  /// Enqueues the gradients of all parameters by samples from the first on.
  void enqueue_gradients(const NerfTables& tables, const float* positions, const Part& part,
                         float loss_scale, DeviceOptimizer& parameters);
  std::size_t memory_bytes() const;
  /// The same before it is taken.
  static std::size_t bytes_for(const NerfForm& form, std::size_t samples, bool with_gradients);

 private:
  NetworkArgs density_args(const NerfTables& tables, const Part& part);
  NetworkArgs color_args(const NerfTables& tables, const Part& part);
  /// Gradients of one network's weights, and of its features.
  void enqueue_network_gradients(const NetworkArgs& forward, const uint4* transposed,
                                 const float* d_values, std::uint32_t* d_features, float loss_scale,
                                 int padded_inputs, float* gradients);

  const NerfForm& form_;
  cudaStream_t stream_;
  std::size_t stride_ = 0;
  DeviceBuffer<std::uint32_t> features_{"features of samples"},
      color_features_{"features of colours"}, d_features_{"gradients of features"},
      d_color_features_{"gradients of features"};
  DeviceBuffer<float> density_{"densities of samples"}, colors_{"colours of samples"},
      d_density_{"gradients of samples"}, d_colors_{"gradients of samples"},
      d_outputs_{"gradients of samples"};
  DeviceBuffer<float4> parts_{"gradients of a network"};
  DeviceBuffer<uint4> space_{"the layers of a network"};
};

}  // namespace mote::cuda
