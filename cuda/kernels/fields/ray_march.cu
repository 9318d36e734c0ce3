// Rays through an occupancy grid: a thread for each ray. Places of samples and of rays that go on
// are prefix sums, so that they do not depend on the order of threads.

#include "cuda/kernels/fields/ray_march.h"

#include "cuda/kernels/fields/prefix_sums.h"
#include "cuda/kernels/fields/started_ray.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = kSumBlock;
LaunchShape shape_of_rays(unsigned count, const char* name) {
  return {.blocks = ray_blocks(count), .threads = kThreads, .name = name};
}

MOTE_KERNEL(kThreads) start_rays(RayStartArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const RayStart start = args.starts[i];
  RayState ray{};
  ray.march = started_march(args.settings, *args.cells.box, start);
  ray.depth_per_length = start.depth_per_length;
  ray.reach = args.reach;
  args.rays[i] = ray;
  args.scratch[i] = ray.march.done() ? 0u : 1u;
}

MOTE_KERNEL(kThreads) list_rays(RayStartArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count || args.rays[i].march.done()) return;
  args.alive[sum_before(args.scratch, args.count, i)] = i;
}

MOTE_KERNEL(kThreads) march_rays(RayMarchArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.alive_count) return;
  RayState& ray = args.rays[args.alive[i]];
  RayMarch own = ray.march;
  const int found = march(args.cells.bits, args.settings, own, {args.most, ray.reach},
                          args.slots + std::size_t{i} * static_cast<std::size_t>(args.most));
  ray.march = own;
  args.scratch[i] = static_cast<std::uint32_t>(found);
  args.segments[args.alive[i]].count = static_cast<std::uint32_t>(found);
}

/// Args has the planes and the box.
template <class Args>
MOTE_DEVICE void store_sample(const Args& args, const RayMarch& ray, const RaySample& sample,
                              std::size_t at, std::uint32_t number) {
  const SamplePlanes& to = args.samples;
  const float scale = 1 / args.box_size;
  const Vec3<float> position = ray.origin + ray.direction * sample.t;
  to.positions[at] = (position.x - args.box_min) * scale;
  to.positions[to.stride + at] = (position.y - args.box_min) * scale;
  to.positions[2 * to.stride + at] = (position.z - args.box_min) * scale;
  to.t[at] = sample.t;
  to.dt[at] = sample.dt;
  to.rays[at] = number;
}

/// Puts the samples behind each other.
MOTE_KERNEL(kThreads) place_samples(RayMarchArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.alive_count) return;
  const std::uint32_t number = args.alive[i];
  WaveSegment& segment = args.segments[number];
  const std::size_t first = sum_before(args.scratch, args.alive_count, i);
  const std::uint32_t count = segment.count;
  segment.first = static_cast<std::uint32_t>(first);
  const RayMarch& ray = args.rays[number].march;
  for (std::uint32_t k = 0; k < count; ++k) {
    const RaySample sample = args.slots[std::size_t{i} * static_cast<std::size_t>(args.most) + k];
    store_sample(args, ray, sample, first + k, number);
  }
}

MOTE_KERNEL(kThreads) count_kept(RayKeepArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.alive_count) args.scratch[i] = args.goes_on[i];
}

MOTE_KERNEL(kThreads) keep_rays(RayKeepArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.alive_count || args.goes_on[i] == 0) return;
  args.kept[sum_before(args.scratch, args.alive_count, i)] = args.alive[i];
}

MOTE_KERNEL(kThreads) count_followed(SamplePlaceArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.count) args.scratch[i] = args.weights[i] > 0 ? args.drawn[i].samples : 0;
}

MOTE_KERNEL(kThreads) place_followed(SamplePlaceArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const std::uint32_t count = args.weights[i] > 0 ? args.drawn[i].samples : 0;
  const std::size_t first = sum_before(args.scratch, args.count, i);
  const bool fits = first + count <= args.most;
  args.segments[i] = {static_cast<std::uint32_t>(first), fits ? count : kNoSpaceForRay};
  // The first ray without space ends the samples.
  if (!fits && first <= args.most) *args.sample_count = static_cast<unsigned>(first);
  if (!fits) args.weights[i] = 0;
  if (!fits || count == 0) return;
  RayMarch ray = started_march(args.settings, *args.cells.box, args.starts[i]);
  for (std::uint32_t k = 0; k < count; ++k) {
    RaySample sample{};
    march(args.cells.bits, args.settings, ray, {1}, &sample);
    store_sample(args, ray, sample, first + k, i);
  }
}

}  // namespace

unsigned ray_blocks(unsigned count) {
  return blocks_for(count, kThreads);
}

void run_ray_start(const RayStartArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.count, "starting rays");
  launch(start_rays, shape, stream, args);
  run_prefix_sums(args.scratch, args.count, args.alive_count, stream);
  launch(list_rays, shape, stream, args);
}

void run_ray_march(const RayMarchArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.alive_count, "marching rays");
  launch(march_rays, shape, stream, args);
  run_prefix_sums(args.scratch, args.alive_count, args.sample_count, stream);
  launch(place_samples, shape, stream, args);
}

void run_ray_keep(const RayKeepArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.alive_count, "keeping rays");
  launch(count_kept, shape, stream, args);
  run_prefix_sums(args.scratch, args.alive_count, args.kept_count, stream);
  launch(keep_rays, shape, stream, args);
}

void run_sample_places(const SamplePlaceArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.count, "places of samples");
  launch(count_followed, shape, stream, args);
  run_prefix_sums(args.scratch, args.count, args.sample_count, stream);
  launch(place_followed, shape, stream, args);
}

}  // namespace mote::cuda
