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
  /// Makes space for rays that one kernel follows, which keeps no samples.
  virtual void begin_rays(std::size_t /*rays*/) {}
  /// Enqueues to encode the directions of the rays, which are on the device.
  virtual void enqueue_directions(const RayStart* /*starts*/, unsigned /*rays*/) {}
  virtual SampleValues values() const = 0;
  /// Enqueues to evaluate the samples of a part.
  virtual void enqueue(const SamplePlanes& samples, const NerfSamples::Part& part) = 0;
  /// Whether one kernel can follow rays through the field, see run_ray_follow().
  virtual bool can_follow() const = 0;
  /// The field for kernels that follow rays, with the directions of enqueue_directions().
  virtual RayField ray_field() const = 0;
};

/// Those of a NeRF.
class NerfEvaluator : public RayEvaluator {
 public:
  /// `form` must outlive this. `with_gradients`: there is space for them.
  NerfEvaluator(const NerfForm& form, bool with_gradients, cudaStream_t stream)
      : form_(form), with_gradients_(with_gradients), stream_(stream), samples_(form, stream) {}

  /// The tables of the next samples, which must live until these are evaluated.
  void use(const NerfTables& tables) { tables_ = tables; }
  /// The rows of the tables' latents of the next rays, on the device. Else all have the first.
  void use_latents_of(const std::uint32_t* owners) { latent_owners_ = owners; }
  const NerfTables& tables() const { return tables_; }

  void begin(std::size_t rays, std::size_t samples) override;
  void begin_rays(std::size_t rays) override;
  void enqueue_directions(const RayStart* starts, unsigned rays) override;
  /// The same of directions in planes: [3][stride].
  void enqueue_directions(const float* directions, std::size_t stride, unsigned rays);
  SampleValues values() const override { return samples_.values(); }
  void enqueue(const SamplePlanes& samples, const NerfSamples::Part& part) override;
  bool can_follow() const override { return can_follow_rays(form_.lane_density, &form_.color); }
  RayField ray_field() const override {
    return cuda::ray_field(form_, tables_, directions_.data());
  }

  /// Enqueues the colours of the first `count` samples, of which the densities are known.
  void enqueue_colors(const std::uint32_t* rays, unsigned count) {
    samples_.enqueue_colors(tables_, rays, directions_.data(), {0, count});
  }

  NerfSamples& samples() { return samples_; }
  std::size_t memory_bytes() const { return samples_.memory_bytes() + directions_.bytes(); }

 private:
  const NerfForm& form_;
  bool with_gradients_;
  cudaStream_t stream_;
  NerfTables tables_{};
  const std::uint32_t* latent_owners_ = nullptr;
  NerfSamples samples_;
  DeviceBuffer<std::uint32_t> directions_{"directions of rays"};
};

/// Those of a volume.
class VolumeEvaluator : public RayEvaluator {
 public:
  explicit VolumeEvaluator(cudaStream_t stream) : stream_(stream) {}

  void use(const FieldTables& tables) { tables_ = tables; }

  void begin(std::size_t rays, std::size_t samples) override;
  SampleValues values() const override;
  void enqueue(const SamplePlanes& samples, const NerfSamples::Part& part) override;
  bool can_follow() const override { return can_follow_rays(tables_.shape, nullptr); }
  RayField ray_field() const override;

 private:
  cudaStream_t stream_;
  FieldTables tables_{};
  std::size_t stride_ = 0;
  DeviceBuffer<float> values_{"values of a volume"};
};

}  // namespace mote::cuda
