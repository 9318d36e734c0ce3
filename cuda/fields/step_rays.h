#pragma once

// The rays of a training step. The device chooses them from photographs in its memory. The host
// chooses them, by the same numbers, through lenses and for moving cameras, by a map of errors, and
// where the photographs have no space on the device.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/field_trainer.h"
#include "backend/ray_choice.h"
#include "core/parallel.h"
#include "cuda/fields/device_photos.h"
#include "cuda/fields/ray_follower.h"
#include "cuda/kernels/fields/ray_choice.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

class StepRays {
 public:
  /// `pool` must outlive this.
  StepRays(ThreadPool& pool, cudaStream_t stream) : pool_(pool), stream_(stream), photos_(stream) {}

  /// Space for `count` rays. Steps of similar counts have the same space, so that one recording
  /// serves them; rays beyond the count have no samples.
  static std::size_t space_for(std::size_t count);

  /// Prepares the choice of `count` rays, for which the follower has space. `latents`:
  /// [photographs] of the request, each with as many; empty: none. What the choice before has
  /// enqueued must be done. Throws Error if memory is insufficient.
  void prepare(const FieldStepRequest& request, const FieldPlacement& placement, std::size_t count,
               const ErrorMap* errors, std::span<const float> latents, RayFollower& follower);
  /// Enqueues the choice.
  void enqueue(RayFollower& follower);

  bool are_chosen_on_device() const { return on_device_; }
  unsigned photographs() const { return static_cast<unsigned>(host_photos_.size()); }
  /// On the device.
  RayPurposes purposes() { return {targets_.data(), weights_.data(), photographs_.data()}; }
  const float* exposures() const { return exposures_.data(); }
  const float* latents() const { return latents_.data(); }
  /// The rays that the host has chosen.
  std::span<const ChosenRay> chosen() const { return rays_; }

  std::size_t memory_bytes() const;  // on the device, without the photographs
  std::size_t host_bytes() const;
  /// memory_bytes() before it is taken.
  static std::size_t bytes_for(std::size_t space);

 private:
  void make_space(std::size_t space, std::size_t photographs);
  void describe(const FieldStepRequest& request, const FieldPlacement& placement,
                std::size_t count);
  void choose_on_host(const RayChoice& choice, std::size_t count, RayFollower& follower);

  ThreadPool& pool_;
  cudaStream_t stream_;
  DevicePhotos photos_;
  bool on_device_ = true;
  std::vector<ChosenRay> rays_;
  PinnedBuffer<RayPhoto> host_photos_{"photographs of a step"};
  PinnedBuffer<RayChoiceStep> host_step_{"a step"};
  PinnedBuffer<RayTarget> host_targets_{"targets of rays"};
  PinnedBuffer<float> host_weights_{"weights of rays"}, host_exposures_{"exposures"},
      host_latents_{"latents"};
  PinnedBuffer<std::uint32_t> host_photographs_{"photographs of rays"};
  DeviceBuffer<RayPhoto> device_photos_{"photographs of a step"};
  DeviceBuffer<RayChoiceStep> step_{"a step"};
  DeviceBuffer<RayTarget> targets_{"targets of rays"};
  DeviceBuffer<float> weights_{"weights of rays"}, exposures_{"exposures of photographs"},
      latents_{"latents of photographs"};
  DeviceBuffer<std::uint32_t> photographs_{"photographs of rays"};
};

}  // namespace mote::cuda
