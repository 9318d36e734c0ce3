#pragma once

// Rays through a field on the device. A wave takes the next samples of all rays that go on, so that
// few samples behind a surface are evaluated. The host learns after each wave how many rays go on.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cuda/kernels/fields/ray_march.h"
#include "cuda/kernels/fields/ray_samples.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// The waves of some rays.
struct WaveRequest {
  DeviceCells cells;
  MarchSettings march;
  const RayStart* starts;   // on the device
  float box_min, box_size;  // of the grid's cube, on each axis
  SampleValues values;      // where evaluate() puts them
  float stop;               // a ray ends where less light is left
  RayPicture picture;       // its sheets divide the rays
  /// Enqueues to evaluate the first samples.
  std::function<void(unsigned count)> evaluate;
  std::function<void()> before_wave = {};  // may throw
};

class RayWaves {
 public:
  explicit RayWaves(cudaStream_t stream) : stream_(stream) {}

  /// Upper bound on the samples of a wave.
  static std::size_t most_samples(std::size_t rays);
  /// Makes space. `stride`: of the planes of samples, which the evaluation shares; it has space for
  /// most_samples(). Throws Error if memory is insufficient.
  void begin(std::size_t rays, std::size_t stride);
  /// Starts the rays and follows them until they have left the field or little light is left.
  void follow(const WaveRequest& request);

  const SamplePlanes& samples() const { return planes_; }
  RayState* rays() { return rays_.data(); }
  unsigned ray_count() const { return count_; }
  /// Number of samples that were evaluated.
  std::uint64_t evaluated() const { return evaluated_; }

  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const { return host_counters_.bytes(); }
  /// memory_bytes() before it is taken.
  static std::size_t bytes_for(std::size_t rays, std::size_t stride);

 private:
  unsigned start(const WaveRequest& request);
  /// Returns the number of rays that go on.
  unsigned take_wave(const WaveRequest& request, unsigned alive);
  const unsigned* read_counters();

  cudaStream_t stream_;
  unsigned count_ = 0;
  std::uint64_t evaluated_ = 0;
  SamplePlanes planes_{};
  DeviceBuffer<RayState> rays_{"rays"};
  DeviceBuffer<std::uint32_t> alive_{"rays"}, kept_{"rays"}, goes_on_{"rays"},
      scratch_{"counts of rays"};
  DeviceBuffer<RaySample> slots_{"samples of rays"};
  DeviceBuffer<WaveSegment> segments_{"samples of rays"};
  DeviceBuffer<float> floats_{"positions of samples"};
  DeviceBuffer<std::uint32_t> sample_rays_{"rays of samples"};
  DeviceBuffer<unsigned> counters_{"counts of samples"};
  PinnedBuffer<unsigned> host_counters_{"counts of samples"};
};

}  // namespace mote::cuda
