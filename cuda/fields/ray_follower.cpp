#include "cuda/fields/ray_follower.h"

#include "core/error.h"
#include "fields/planes.h"

namespace mote::cuda {

std::size_t RayFollower::rays_at_once(bool in_one_kernel) {
  // A picture of 1920x1080 at once; waves also keep samples.
  return in_one_kernel ? std::size_t{1} << 21 : std::size_t{1} << 16;
}

void RayFollower::begin(std::size_t rays, bool keeps_colors) {
  starts_.resize_discard(rays);
  next_.resize_discard(1);
  evaluations_.resize_discard(1);
  if (keeps_colors) drawn_.resize_discard(rays);
}

std::span<RayStart> RayFollower::host_starts() {
  host_starts_.resize_discard(starts_.size());
  return host_starts_.span();
}

void RayFollower::start_count() {
  evaluated_in_waves_ = 0;
  evaluations_.resize_discard(1);  // begin() may come later
  evaluations_.fill_bytes(0, stream_);
}

void RayFollower::follow(const FollowRequest& request, RayEvaluator& evaluator,
                         bool in_one_kernel) {
  if (!in_one_kernel) return follow_in_waves(request, evaluator);
  next_.fill_bytes(0, stream_);
  run_ray_follow({.field = evaluator.ray_field(),
                  .cells = request.cells,
                  .settings = request.march,
                  .starts = starts_.data(),
                  .count = rays(),
                  .box_min = request.box_min,
                  .box_size = request.box_size,
                  .stop = request.stop,
                  .drawn = request.keeps_colors ? drawn_.data() : nullptr,
                  .picture = request.picture,
                  .next = next_.data(),
                  .evaluations = evaluations_.data(),
                  .stage_ticks = request.stage_ticks},
                 stream_);
}

void RayFollower::follow_in_waves(const FollowRequest& request, RayEvaluator& evaluator) {
  waves_.begin(rays(), evaluator.values().stride);
  waves_.follow({.cells = request.cells,
                 .march = request.march,
                 .starts = starts_.data(),
                 .box_min = request.box_min,
                 .box_size = request.box_size,
                 .values = evaluator.values(),
                 .stop = request.stop,
                 .picture = request.picture,
                 .evaluate =
                     [&](unsigned count) {
                       evaluator.enqueue(waves_.samples(), {.first = 0, .count = count});
                     },
                 .before_wave = request.before_wave});
  evaluated_in_waves_ += waves_.evaluated();
  if (request.keeps_colors) run_drawn_colors(waves_.rays(), rays(), drawn_.data(), stream_);
  if (request.picture.width == 0) return;
  run_last_parts({.rays = waves_.rays(),
                  .count = rays(),
                  .light = evaluator.values().light,
                  .stop = request.stop,
                  .picture = request.picture},
                 stream_);
}

std::uint64_t RayFollower::evaluated() {
  unsigned long long own = 0;
  evaluations_.download({&own, 1}, stream_);
  check(cudaStreamSynchronize(stream_), "following rays");
  return evaluated_in_waves_ + own;
}

std::size_t RayFollower::memory_bytes() const {
  return waves_.memory_bytes() + starts_.bytes() + drawn_.bytes() + next_.bytes() +
         evaluations_.bytes();
}

std::size_t RayFollower::bytes_for(std::size_t rays, std::size_t samples, bool in_one_kernel) {
  const std::size_t own = rays * (sizeof(RayStart) + sizeof(DrawnColor));
  return own + (in_one_kernel ? 0 : RayWaves::bytes_for(rays, field_plane_stride(samples)));
}

}  // namespace mote::cuda
