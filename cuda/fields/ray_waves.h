#pragma once

// Rays through a field on the device. A wave takes the next samples of all rays that go on, so that
// few samples behind a surface are evaluated. The host learns after each wave how many rays go on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cuda/kernels/fields/ray_march.h"
#include "cuda/kernels/fields/ray_samples.h"
#include "cuda/runtime/runtime.h"
#include "fields/occupancy.h"

namespace mote::cuda {

/// The cells that rays take samples in, on the device.
class DeviceOccupancy {
 public:
  explicit DeviceOccupancy(cudaStream_t stream) : stream_(stream) {}

  /// Copies the bits, in stream order, and waits for that.
  void upload(const OccupancyBits& bits);
  OccupancyView view() const {
    return {words_.data(), blocks_.data(), densities_.data(), cascades_};
  }
  std::size_t memory_bytes() const { return words_.bytes() + blocks_.bytes() + densities_.bytes(); }

 private:
  cudaStream_t stream_;
  int cascades_ = 1;
  DeviceBuffer<std::uint64_t> words_{"occupied cells"}, blocks_{"occupied cells"};
  DeviceBuffer<std::uint8_t> densities_{"densities of cells"};
};

/// The waves of some rays.
struct WaveRequest {
  OccupancyView occupancy;
  MarchSettings march;
  float box_min, box_size;  // of the grid's cube, on each axis
  SampleValues values;      // where evaluate() puts them
  float stop;               // a ray ends where less light is left
  bool keeps_samples;       // of all waves, for gradients; else each wave takes their places
  /// Enqueues to evaluate the samples [first, first + count).
  std::function<void(unsigned first, unsigned count)> evaluate;
  std::function<void()> before_wave = {};  // may throw
};

class RayWaves {
 public:
  explicit RayWaves(cudaStream_t stream) : stream_(stream) {}

  /// Upper bound on the samples of a wave.
  static std::size_t most_samples(std::size_t rays);
  /// Makes space. Throws Error if memory is insufficient.
  void begin(std::size_t rays, std::size_t samples);
  /// Where to write the rays, before follow().
  std::span<RayStart> starts() { return starts_.span(); }
  /// Starts the rays and follows them until they have left the field or little light is left.
  void follow(const WaveRequest& request);

  const SamplePlanes& samples() const { return planes_; }
  RayState* rays() { return rays_.data(); }
  unsigned ray_count() const { return count_; }
  /// [waves][rays]: the samples that were added to each ray.
  const WaveSegment* segments() const { return segments_.data(); }
  unsigned waves() const { return waves_; }
  /// Number of samples that were evaluated, and those of the last wave or of all kept ones.
  std::uint64_t evaluated() const { return evaluated_; }
  unsigned kept_samples() const { return first_; }
  /// [rays]: 1 where samples of a ray found no space, and 0 elsewhere.
  const DeviceBuffer<std::uint32_t>& lost() const { return lost_; }
  /// Upper bound on the samples of these rays in their last wave.
  std::uint64_t dropped() const { return dropped_; }

  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const;    // pinned
  /// memory_bytes() before it is taken, with one wave.
  static std::size_t bytes_for(std::size_t rays, std::size_t samples);

 private:
  unsigned start(const WaveRequest& request);
  /// Returns the number of rays that go on.
  unsigned take_wave(const WaveRequest& request, unsigned alive);
  const unsigned* read_counters();

  cudaStream_t stream_;
  unsigned count_ = 0, waves_ = 0, first_ = 0;
  std::uint64_t evaluated_ = 0, dropped_ = 0;
  SamplePlanes planes_{};
  PinnedBuffer<RayStart> starts_{"rays"};
  DeviceBuffer<RayStart> device_starts_{"rays"};
  DeviceBuffer<RayState> rays_{"rays"};
  DeviceBuffer<std::uint32_t> alive_{"rays"}, kept_{"rays"}, goes_on_{"rays"},
      scratch_{"counts of rays"}, lost_{"rays without space"};
  DeviceBuffer<RaySample> slots_{"samples of rays"};
  DeviceBuffer<WaveSegment> segments_{"samples of rays"};
  DeviceBuffer<float> floats_{"positions of samples"};
  DeviceBuffer<std::uint32_t> sample_rays_{"rays of samples"};
  DeviceBuffer<unsigned> counters_{"counts of samples"};
  PinnedBuffer<unsigned> host_counters_{"counts of samples"};
};

}  // namespace mote::cuda
