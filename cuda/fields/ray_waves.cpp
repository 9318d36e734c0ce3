#include "cuda/fields/ray_waves.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace mote::cuda {
namespace {

enum WaveCounter : unsigned { kAliveRays, kWaveSamples, kWaveCounters };

/// A wave of few rays takes more samples of each, up to about `kWorthwhile` in all.
constexpr std::size_t kWorthwhile = std::size_t{1} << 17, kLeastOfRay = 8, kMostOfRay = 128;

std::size_t samples_of_ray(std::size_t rays) {
  return std::clamp(kWorthwhile / std::max<std::size_t>(rays, 1), kLeastOfRay, kMostOfRay);
}

}  // namespace

std::size_t RayWaves::most_samples(std::size_t rays) {
  return std::max(rays * kLeastOfRay, std::min(kWorthwhile, rays * kMostOfRay));
}

void RayWaves::begin(std::size_t rays, std::size_t stride) {
  count_ = static_cast<unsigned>(rays);
  CHECK(stride >= most_samples(rays));
  rays_.resize_discard(rays);
  segments_.resize_discard(rays);
  for (DeviceBuffer<std::uint32_t>* buffer : {&alive_, &kept_, &goes_on_}) {
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
  counters_.fill_bytes(0, stream_);
  run_ray_start({.cells = request.cells,
                 .starts = request.starts,
                 .rays = rays_.data(),
                 .settings = request.march,
                 .reach = reach_of(request.stop, 1),
                 .count = count_,
                 .alive = alive_.data(),
                 .alive_count = counters_.data() + kAliveRays,
                 .scratch = scratch_.data()},
                stream_);
  if (request.picture.parts != nullptr) {
    run_first_parts({.rays = rays_.data(),
                     .count = count_,
                     .light = request.values.light,
                     .stop = request.stop,
                     .picture = request.picture},
                    stream_);
  }
  return read_counters()[kAliveRays];
}

void RayWaves::follow(const WaveRequest& request) {
  evaluated_ = 0;
  if (count_ == 0) return;
  unsigned alive = start(request);
  while (alive > 0) alive = take_wave(request, alive);
}

unsigned RayWaves::take_wave(const WaveRequest& request, unsigned alive) {
  if (request.before_wave) request.before_wave();
  segments_.fill_bytes(0, stream_);
  run_ray_march({.cells = request.cells,
                 .settings = request.march,
                 .rays = rays_.data(),
                 .alive = alive_.data(),
                 .alive_count = alive,
                 .most = static_cast<int>(samples_of_ray(alive)),
                 .slots = slots_.data(),
                 .segments = segments_.data(),
                 .box_min = request.box_min,
                 .box_size = request.box_size,
                 .samples = planes_,
                 .sample_count = counters_.data() + kWaveSamples,
                 .scratch = scratch_.data()},
                stream_);
  const unsigned samples = read_counters()[kWaveSamples];
  if (samples > 0) request.evaluate(samples);
  run_composite({.values = request.values,
                 .samples = planes_,
                 .rays = rays_.data(),
                 .alive = alive_.data(),
                 .alive_count = alive,
                 .segments = segments_.data(),
                 .stop = request.stop,
                 .picture = request.picture,
                 .goes_on = goes_on_.data()},
                stream_);
  run_ray_keep({.alive = alive_.data(),
                .alive_count = alive,
                .goes_on = goes_on_.data(),
                .kept = kept_.data(),
                .kept_count = counters_.data() + kAliveRays,
                .scratch = scratch_.data()},
               stream_);
  std::swap(alive_, kept_);
  evaluated_ += samples;
  return read_counters()[kAliveRays];
}

std::size_t RayWaves::memory_bytes() const {
  std::size_t bytes =
      rays_.bytes() + slots_.bytes() + segments_.bytes() + floats_.bytes() + counters_.bytes();
  for (const DeviceBuffer<std::uint32_t>* buffer :
       {&alive_, &kept_, &goes_on_, &scratch_, &sample_rays_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

std::size_t RayWaves::bytes_for(std::size_t rays, std::size_t stride) {
  const std::size_t of_ray = sizeof(RayState) + sizeof(WaveSegment) + 4 * sizeof(std::uint32_t);
  return rays * of_ray + most_samples(rays) * sizeof(RaySample) + stride * 6 * sizeof(float);
}

}  // namespace mote::cuda
