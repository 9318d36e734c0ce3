#include "cuda/fields/step_rays.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "fields/field_camera.h"

namespace mote::cuda {
namespace {

RayStart chosen_start(const ChosenRay& ray) {
  RayStart start{};
  start.t_end = std::numeric_limits<float>::max();
  start.direction[2] = 1;
  if (ray.weight == 0) return start;
  start.is_ray = 1;
  start.jitter = ray.jitter;
  for (int axis = 0; axis < 3; ++axis) {
    start.origin[axis] = ray.origin[axis];
    start.direction[axis] = ray.direction[axis];
  }
  return start;
}

RayTarget chosen_target(const ChosenRay& ray) {
  RayTarget target{};
  std::ranges::copy(ray.target, target.color);
  std::ranges::copy(ray.background, target.background);
  target.weight = ray.weight;
  target.coverage = ray.coverage;
  return target;
}

}  // namespace

std::size_t StepRays::space_for(std::size_t count) {
  const std::size_t step = std::max<std::size_t>(std::bit_floor(count) / 8, 32);
  return (count + step - 1) / step * step;
}

void StepRays::make_space(std::size_t space, std::size_t photographs) {
  targets_.resize_discard(space);
  weights_.resize_discard(space);
  photographs_.resize_discard(space);
  step_.resize_discard(1);
  host_step_.resize_discard(1);
  host_photos_.resize_discard(photographs);
  device_photos_.resize_discard(photographs);
  host_exposures_.resize_discard(photographs * kExposureValues);
  exposures_.resize_discard(host_exposures_.size());
}

void StepRays::prepare(const FieldStepRequest& request, const FieldPlacement& placement,
                       std::size_t count, const ErrorMap* errors, std::span<const float> latents,
                       RayFollower& follower) {
  make_space(follower.rays(), request.photographs.size());
  host_latents_.resize_discard(latents.size());
  latents_.resize_discard(latents.size());
  std::ranges::copy(latents, host_latents_.data());
  float* to = host_exposures_.data();
  for (const FieldPhoto& photo : request.photographs) {
    to = std::ranges::copy(photo.exposure, to).out;
  }
  const bool are_plain = std::ranges::all_of(
      request.photographs, [](const FieldPhoto& photo) { return is_plain(photo.camera); });
  on_device_ = errors == nullptr && are_plain && photos_.hold(request.photographs);
  if (on_device_) {
    describe(request, placement, count);
  } else {
    choose_on_host(RayChoice(request, placement, errors), count, follower);
  }
}

void StepRays::describe(const FieldStepRequest& request, const FieldPlacement& placement,
                        std::size_t count) {
  RayChoiceStep& step = *host_step_.data();
  step = {.seed = request.seed,
          .count = static_cast<unsigned>(count),
          .random_background = request.random_background ? 1u : 0u,
          .background = {}};
  std::ranges::copy(request.background, step.background);
  for (std::size_t i = 0; i < request.photographs.size(); ++i) {
    const FieldCamera camera = field_camera(placement, request.photographs[i].camera);
    RayPhoto& photo = host_photos_.data()[i];
    photo = photos_.pixels_of(request.photographs[i]);
    photo.camera = plain_camera<double>(camera);
    for (int axis = 0; axis < 3; ++axis)
      photo.origin[axis] = static_cast<float>(camera.origin[axis]);
  }
}

void StepRays::choose_on_host(const RayChoice& choice, std::size_t count, RayFollower& follower) {
  const std::span<RayStart> starts = follower.host_starts();
  rays_.assign(starts.size(), {});
  host_targets_.resize_discard(starts.size());
  host_weights_.resize_discard(starts.size());
  host_photographs_.resize_discard(starts.size());
  constexpr std::size_t kPart = RayChoice::kMostAtOnce;
  pool_.run((starts.size() + kPart - 1) / kPart, [&](std::size_t task, int) {
    const std::size_t first = task * kPart, end = std::min(first + kPart, starts.size());
    if (first < count) {
      choice.choose(first, std::span(rays_).subspan(first, std::min(end, count) - first));
    }
    for (std::size_t i = first; i < end; ++i) {
      starts[i] = chosen_start(rays_[i]);
      host_targets_.data()[i] = chosen_target(rays_[i]);
      host_weights_.data()[i] = rays_[i].weight;
      host_photographs_.data()[i] = rays_[i].photograph;
    }
  });
}

void StepRays::enqueue(RayFollower& follower) {
  exposures_.upload(host_exposures_.span(), stream_);
  latents_.upload(host_latents_.span(), stream_);
  if (on_device_) {
    device_photos_.upload(host_photos_.span(), stream_);
    step_.upload(host_step_.span(), stream_);
    run_ray_choice({.photographs = device_photos_.data(),
                    .photograph_count = photographs(),
                    .step = step_.data(),
                    .space = follower.rays(),
                    .starts = follower.starts(),
                    .rays = purposes()},
                   stream_);
    return;
  }
  follower.enqueue_starts();
  targets_.upload(host_targets_.span(), stream_);
  weights_.upload(host_weights_.span(), stream_);
  photographs_.upload(host_photographs_.span(), stream_);
}

std::size_t StepRays::memory_bytes() const {
  return device_photos_.bytes() + step_.bytes() + targets_.bytes() + weights_.bytes() +
         exposures_.bytes() + latents_.bytes() + photographs_.bytes();
}

std::size_t StepRays::host_bytes() const {
  return host_photos_.bytes() + host_step_.bytes() + host_targets_.bytes() + host_weights_.bytes() +
         host_exposures_.bytes() + host_latents_.bytes() + host_photographs_.bytes() +
         rays_.capacity() * sizeof(ChosenRay);
}

std::size_t StepRays::bytes_for(std::size_t space) {
  return space * (sizeof(RayTarget) + sizeof(float) + sizeof(std::uint32_t));
}

}  // namespace mote::cuda
