#pragma once

// Rays through a field, from their start to their end: in one kernel, or in waves where a field has
// no such kernel.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cuda/fields/ray_evaluators.h"
#include "cuda/fields/ray_waves.h"
#include "cuda/kernels/fields/ray_follow.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Some rays, whose starts are on the device.
struct FollowRequest {
  DeviceCells cells;
  MarchSettings march;
  float box_min, box_size;                    // of the grid's cube, on each axis
  float stop;                                 // a ray ends where less light is left
  RayPicture picture;                         // is drawn; width 0: none
  bool keeps_colors;                          // see RayFollower::drawn()
  unsigned long long* stage_ticks = nullptr;  // see RayFollowArgs; in waves, nothing is counted
  std::function<void()> before_wave = {};     // may throw
};

class RayFollower {
 public:
  explicit RayFollower(cudaStream_t stream) : stream_(stream), waves_(stream) {}

  /// Number of rays that are best followed at once.
  static std::size_t rays_at_once(bool in_one_kernel);

  /// Makes space for rays, and for their colours if these are kept. Throws Error if memory is
  /// insufficient.
  void begin(std::size_t rays, bool keeps_colors = false);
  /// Where the host writes the rays, before enqueue_starts().
  std::span<RayStart> host_starts();
  void enqueue_starts() { starts_.upload(host_starts_.span(), stream_); }
  /// Where a kernel writes them instead.
  RayStart* starts() { return starts_.data(); }
  unsigned rays() const { return static_cast<unsigned>(starts_.size()); }

  /// Sets the count of evaluations to zero.
  void start_count();
  /// Enqueues to follow the rays. In waves, it waits for each wave, and takes the evaluator's
  /// space: for as many rays and wave_samples().
  void follow(const FollowRequest& request, RayEvaluator& evaluator, bool in_one_kernel);
  std::size_t wave_samples() const { return RayWaves::most_samples(rays()); }

  /// [rays]: colours and numbers of samples, if the request keeps them.
  DrawnColor* drawn() { return drawn_.data(); }
  void download_drawn(std::span<DrawnColor> to) const { drawn_.download(to, stream_); }
  /// Enqueues to set them to zero.
  void clear_drawn() { drawn_.fill_bytes(0, stream_); }
  /// Counts evaluations of others.
  void add_count(std::uint64_t evaluations) { evaluated_in_waves_ += evaluations; }
  /// Waits for the count of evaluations since start_count().
  std::uint64_t evaluated();

  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const { return host_starts_.bytes() + waves_.host_bytes(); }
  /// memory_bytes() before it is taken, with colours. `samples`: that the evaluator has space for.
  static std::size_t bytes_for(std::size_t rays, std::size_t samples, bool in_one_kernel);

 private:
  void follow_in_waves(const FollowRequest& request, RayEvaluator& evaluator);

  cudaStream_t stream_;
  RayWaves waves_;
  std::uint64_t evaluated_in_waves_ = 0;
  PinnedBuffer<RayStart> host_starts_{"rays"};
  DeviceBuffer<RayStart> starts_{"rays"};
  DeviceBuffer<DrawnColor> drawn_{"colours of rays"};
  DeviceBuffer<unsigned> next_{"a count"};
  DeviceBuffer<unsigned long long> evaluations_{"a count"};
};

}  // namespace mote::cuda
