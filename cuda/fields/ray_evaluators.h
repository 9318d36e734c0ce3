#pragma once

// The values of fields at samples of rays, on the device.

#include <cstddef>
#include <cstdint>

#include "cuda/fields/nerf_networks.h"
#include "cuda/kernels/fields/field_values.h"
#include "cuda/kernels/fields/ray_samples.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Evaluates samples of rays (cuda/fields/ray_waves.h).
class RayEvaluator {
 public:
  virtual ~RayEvaluator() = default;

  /// Makes space. Throws Error if memory is insufficient.
  virtual void begin(std::size_t rays, std::size_t samples) = 0;
  /// Sets the direction of a ray, of length 1. Threads call it for different rays.
  virtual void set_direction(std::size_t /*ray*/, const glm::vec3& /*direction*/) {}
  /// Enqueues the copy of the directions.
  virtual void enqueue_directions() {}
  virtual SampleValues values() const = 0;
  /// Enqueues to evaluate the samples [first, first + count).
  virtual void enqueue(const SamplePlanes& samples, unsigned first, unsigned count) = 0;
};

/// Those of a NeRF.
class NerfEvaluator : public RayEvaluator {
 public:
  /// `form` must outlive this. `with_gradients`: there is space for them.
  NerfEvaluator(const NerfForm& form, bool with_gradients, cudaStream_t stream)
      : form_(form), with_gradients_(with_gradients), stream_(stream), samples_(form, stream) {}

  /// The tables of the next samples, which must live until these are evaluated.
  void use(const NerfTables& tables) { tables_ = tables; }
  const NerfTables& tables() const { return tables_; }

  void begin(std::size_t rays, std::size_t samples) override;
  void set_direction(std::size_t ray, const glm::vec3& direction) override;
  void enqueue_directions() override { directions_.upload(filled_.span(), stream_); }
  SampleValues values() const override { return samples_.values(); }
  void enqueue(const SamplePlanes& samples, unsigned first, unsigned count) override;

  /// Enqueues the colours of the first `count` samples, of which the densities are known.
  void enqueue_colors(const std::uint32_t* rays, unsigned count) {
    samples_.enqueue_colors(tables_, rays, directions_.data(), 0, count);
  }

  NerfSamples& samples() { return samples_; }
  std::size_t memory_bytes() const { return samples_.memory_bytes() + directions_.bytes(); }
  std::size_t host_bytes() const { return filled_.bytes(); }

 private:
  const NerfForm& form_;
  bool with_gradients_;
  cudaStream_t stream_;
  NerfTables tables_{};
  NerfSamples samples_;
  PinnedBuffer<std::uint32_t> filled_{"directions of rays"};
  DeviceBuffer<std::uint32_t> directions_{"directions of rays"};
};

/// Those of a volume.
class VolumeEvaluator : public RayEvaluator {
 public:
  explicit VolumeEvaluator(cudaStream_t stream) : stream_(stream) {}

  void use(const FieldTables& tables) { tables_ = tables; }

  void begin(std::size_t rays, std::size_t samples) override;
  SampleValues values() const override;
  void enqueue(const SamplePlanes& samples, unsigned first, unsigned count) override;

 private:
  cudaStream_t stream_;
  FieldTables tables_{};
  std::size_t stride_ = 0;
  DeviceBuffer<float> values_{"values of a volume"};
};

}  // namespace mote::cuda
