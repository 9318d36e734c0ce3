#pragma once

// The samples of a picture's rays that proposals have chosen, and their pixels.

#include "cuda/fields/proposed_rays.h"
#include "cuda/kernels/fields/ray_picture.h"
#include "cuda/kernels/fields/ray_samples.h"
#include "fields/applications/compositing.h"
#include "fields/planes.h"

namespace mote::cuda {

class ProposedSamples {
 public:
  explicit ProposedSamples(cudaStream_t stream) : stream_(stream) {}

  /// Makes space. Throws Error if memory is insufficient.
  void begin(unsigned rays, std::size_t samples) {
    count_ = rays;
    stride_ = field_plane_stride(samples);
    floats_.resize_discard(5 * stride_);
    sample_rays_.resize_discard(stride_);
    segments_.resize_discard(rays);
    states_.resize_discard(rays);
    alive_.resize_discard(rays);
    goes_on_.resize_discard(rays);
  }
  SamplePlanes planes() {
    return {.positions = floats_.data(),
            .t = floats_.data() + 3 * stride_,
            .dt = floats_.data() + 4 * stride_,
            .rays = sample_rays_.data(),
            .stride = stride_};
  }
  WaveSegment* segments() { return segments_.data(); }
  RayState* states() { return states_.data(); }
  std::uint32_t* alive() { return alive_.data(); }

  /// Enqueues to add the samples to their rays, and to write their pixels.
  void enqueue_picture(const SampleValues& values, const RayPicture& picture) {
    const RayPartArgs parts{.rays = states_.data(),
                            .count = count_,
                            .light = values.light,
                            .stop = kDrawingStop,
                            .picture = picture};
    if (picture.parts != nullptr) run_first_parts(parts, stream_);
    run_composite({.values = values,
                   .samples = planes(),
                   .rays = states_.data(),
                   .alive = alive_.data(),
                   .alive_count = count_,
                   .segments = segments_.data(),
                   .stop = kDrawingStop,
                   .picture = picture,
                   .goes_on = goes_on_.data()},
                  stream_);
    run_last_parts(parts, stream_);
  }

 private:
  cudaStream_t stream_;
  unsigned count_ = 0;
  std::size_t stride_ = 0;
  DeviceBuffer<float> floats_{"positions of samples"};
  DeviceBuffer<std::uint32_t> sample_rays_{"rays of samples"}, alive_{"rays"}, goes_on_{"rays"};
  DeviceBuffer<WaveSegment> segments_{"samples of rays"};
  DeviceBuffer<RayState> states_{"rays"};
};

}  // namespace mote::cuda
