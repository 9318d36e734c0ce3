#include "cuda/fields/ray_waves.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

enum WaveCounter : unsigned { kAliveRays, kLostRays, kWaveSamples, kWaveCounters };

/// A wave of few rays takes more samples of each, up to about `kWorthwhile` in all.
constexpr std::size_t kWorthwhile = std::size_t{1} << 17, kLeastOfRay = 8, kMostOfRay = 128;

std::size_t samples_of_ray(std::size_t rays) {
  return std::clamp(kWorthwhile / std::max<std::size_t>(rays, 1), kLeastOfRay, kMostOfRay);
}

}  // namespace

void DeviceOccupancy::upload(const OccupancyBits& bits) {
  const OccupancyView view = bits;
  cascades_ = view.cascades;
  const auto cells = static_cast<std::size_t>(cascades_) * kOccupancyCells;
  words_.resize_discard(cells / 64);
  blocks_.resize_discard(cells / 4096);
  densities_.resize_discard(cells);
  words_.upload({view.words, cells / 64}, stream_);
  blocks_.upload({view.blocks, cells / 4096}, stream_);
  densities_.upload({view.densities, cells}, stream_);
  check(cudaStreamSynchronize(stream_), "copying occupied cells");
}

std::size_t RayWaves::most_samples(std::size_t rays) {
  return std::max(rays * kLeastOfRay, std::min(kWorthwhile, rays * kMostOfRay));
}

void RayWaves::begin(std::size_t rays, std::size_t samples) {
  count_ = static_cast<unsigned>(rays);
  const std::size_t stride = field_plane_stride(samples);
  starts_.resize_discard(rays);
  device_starts_.resize_discard(rays);
  rays_.resize_discard(rays);
  for (DeviceBuffer<std::uint32_t>* buffer : {&alive_, &kept_, &goes_on_, &lost_}) {
    buffer->resize_discard(rays);
  }
  scratch_.resize_discard(rays + ray_blocks(count_));
  slots_.resize_discard(most_samples(rays));
  floats_.resize_discard(5 * stride);
  sample_rays_.resize_discard(stride);
  counters_.resize_discard(kWaveCounters);
  host_counters_.resize_discard(kWaveCounters);
  planes_ = {.positions = floats_.data(),
             .t = floats_.data() + 3 * stride,
             .dt = floats_.data() + 4 * stride,
             .rays = sample_rays_.data(),
             .stride = stride};
}

const unsigned* RayWaves::read_counters() {
  counters_.download(host_counters_.span(), stream_);
  check(cudaStreamSynchronize(stream_), "following rays");
  return host_counters_.data();
}

unsigned RayWaves::start(const WaveRequest& request) {
  device_starts_.upload(starts_.span(), stream_);
  lost_.fill_bytes(0, stream_);
  counters_.fill_bytes(0, stream_);
  run_ray_start({.starts = device_starts_.data(),
                 .rays = rays_.data(),
                 .settings = request.march,
                 .reach = reach_of(request.stop, 1),
                 .count = count_,
                 .alive = alive_.data(),
                 .alive_count = counters_.data() + kAliveRays,
                 .scratch = scratch_.data()},
                stream_);
  return read_counters()[kAliveRays];
}

void RayWaves::follow(const WaveRequest& request) {
  waves_ = first_ = 0;
  evaluated_ = dropped_ = 0;
  if (count_ == 0) return;
  unsigned alive = start(request);
  while (alive > 0) alive = take_wave(request, alive);
}

unsigned RayWaves::take_wave(const WaveRequest& request, unsigned alive) {
  if (request.before_wave) request.before_wave();
  const std::size_t most = samples_of_ray(alive);
  const std::size_t own = request.keeps_samples ? waves_ : 0;
  if (!request.keeps_samples) first_ = 0;
  if (segments_.size() < (own + 1) * count_) {
    // Earlier waves are copied to the longer list.
    DeviceBuffer<WaveSegment> longer("samples of rays");
    longer.resize_discard(2 * (own + 1) * count_);
    if (own > 0) {
      check(cudaMemcpyAsync(longer.data(), segments_.data(), own * count_ * sizeof(WaveSegment),
                            cudaMemcpyDeviceToDevice, stream_),
            "copying samples of rays");
      check(cudaStreamSynchronize(stream_), "copying samples of rays");
    }
    segments_ = std::move(longer);
  }
  WaveSegment* const segments = segments_.data() + own * count_;
  check(cudaMemsetAsync(segments, 0, count_ * sizeof(WaveSegment), stream_), "following rays");
  run_ray_march({.occupancy = request.occupancy,
                 .settings = request.march,
                 .rays = rays_.data(),
                 .alive = alive_.data(),
                 .alive_count = alive,
                 .most = static_cast<int>(most),
                 .slots = slots_.data(),
                 .segments = segments,
                 .box_min = request.box_min,
                 .box_size = request.box_size,
                 .samples = planes_,
                 .first = first_,
                 .sample_count = counters_.data() + kWaveSamples,
                 .scratch = scratch_.data()},
                stream_);
  const unsigned samples = read_counters()[kWaveSamples];
  const unsigned lost_before = host_counters_.data()[kLostRays];
  if (samples > 0) request.evaluate(first_, samples);
  run_composite({.values = request.values,
                 .samples = planes_,
                 .rays = rays_.data(),
                 .alive = alive_.data(),
                 .alive_count = alive,
                 .segments = segments,
                 .stop = request.stop,
                 .goes_on = goes_on_.data(),
                 .lost = lost_.data(),
                 .lost_count = counters_.data() + kLostRays},
                stream_);
  run_ray_keep({.alive = alive_.data(),
                .alive_count = alive,
                .goes_on = goes_on_.data(),
                .kept = kept_.data(),
                .kept_count = counters_.data() + kAliveRays,
                .scratch = scratch_.data()},
               stream_);
  std::swap(alive_, kept_);
  first_ += samples;
  evaluated_ += samples;
  ++waves_;
  const unsigned* counters = read_counters();
  dropped_ += (counters[kLostRays] - lost_before) * most;
  return counters[kAliveRays];
}

std::size_t RayWaves::memory_bytes() const {
  std::size_t bytes = device_starts_.bytes() + rays_.bytes() + slots_.bytes() + segments_.bytes() +
                      floats_.bytes() + counters_.bytes();
  for (const DeviceBuffer<std::uint32_t>* buffer :
       {&alive_, &kept_, &goes_on_, &scratch_, &lost_, &sample_rays_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

std::size_t RayWaves::host_bytes() const {
  return starts_.bytes() + host_counters_.bytes();
}

std::size_t RayWaves::bytes_for(std::size_t rays, std::size_t samples) {
  const std::size_t of_ray =
      sizeof(RayStart) + sizeof(RayState) + sizeof(WaveSegment) + 5 * sizeof(std::uint32_t);
  return rays * of_ray + most_samples(rays) * sizeof(RaySample) +
         field_plane_stride(samples) * 6 * sizeof(float);
}

}  // namespace mote::cuda
