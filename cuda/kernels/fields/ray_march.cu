// Rays through an occupancy grid: a thread for each ray. Places of samples and of rays that go on
// are prefix sums, so that they do not depend on the order of threads.

#include "cuda/kernels/fields/ray_march.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kSumThreads = 1024;

struct ThreadSums {
  std::uint32_t value[kSumThreads];
};

/// The inclusive prefix sum of the threads of a block of `threads` threads. All must call.
MOTE_DEVICE std::uint32_t inclusive_sum_of_threads(std::uint32_t own, unsigned threads,
                                                   ThreadSums& sums) {
  const unsigned i = threadIdx.x;
  sums.value[i] = own;
  for (unsigned apart = 1; apart < threads; apart *= 2) {
    __syncthreads();
    const std::uint32_t below = i >= apart ? sums.value[i - apart] : 0;
    __syncthreads();
    sums.value[i] += below;
  }
  __syncthreads();
  return sums.value[i];
}

/// Replaces counts by the sums of those before them in their block of kThreads, and writes the sum
/// of each block behind them.
MOTE_KERNEL(kThreads) sum_in_blocks(std::uint32_t* counts, unsigned count) {
  ThreadSums& sums = block_shared<ThreadSums>();
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const std::uint32_t own = i < count ? counts[i] : 0;
  const std::uint32_t sum = inclusive_sum_of_threads(own, kThreads, sums);
  if (i < count) counts[i] = sum - own;
  if (threadIdx.x == kThreads - 1) counts[count + blockIdx.x] = sum;
}

/// Replaces the sums of blocks by those before them. One block.
MOTE_KERNEL(kSumThreads) sum_blocks(std::uint32_t* blocks, unsigned count, unsigned* total) {
  ThreadSums& sums = block_shared<ThreadSums>();
  const unsigned each = (count + kSumThreads - 1) / kSumThreads;
  const unsigned first = threadIdx.x * each < count ? threadIdx.x * each : count;
  const unsigned end = first + each < count ? first + each : count;
  std::uint32_t own = 0;
  for (unsigned i = first; i < end; ++i) own += blocks[i];
  const std::uint32_t sum = inclusive_sum_of_threads(own, kSumThreads, sums);
  std::uint32_t before = sum - own;
  for (unsigned i = first; i < end; ++i) {
    const std::uint32_t of_block = blocks[i];
    blocks[i] = before;
    before += of_block;
  }
  if (threadIdx.x == kSumThreads - 1) *total = sum;
}

/// The sum of the counts before number `i`, after both kernels.
MOTE_DEVICE std::uint32_t sum_before(const std::uint32_t* counts, unsigned count, unsigned i) {
  return counts[i] + counts[count + i / kThreads];
}

void enqueue_sums(std::uint32_t* counts, unsigned count, unsigned* total, cudaStream_t stream) {
  const unsigned blocks = ray_blocks(count);
  launch(sum_in_blocks, {.blocks = blocks, .threads = kThreads, .name = "counting samples"}, stream,
         counts, count);
  launch(sum_blocks, {.blocks = 1, .threads = kSumThreads, .name = "counting samples"}, stream,
         counts + count, blocks, total);
}

LaunchShape shape_of_rays(unsigned count, const char* name) {
  return {.blocks = ray_blocks(count), .threads = kThreads, .name = name};
}

MOTE_KERNEL(kThreads) start_rays(RayStartArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const RayStart start = args.starts[i];
  RayState ray{};
  if (start.is_ray != 0) {
    ray.march =
        begin_march(args.settings, {start.origin[0], start.origin[1], start.origin[2]},
                    {start.direction[0], start.direction[1], start.direction[2]}, start.jitter);
    shorten_march(args.settings, start.t, start.t_end, ray.march);
  }
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
  const int found = march(args.occupancy, args.settings, own, {args.most, ray.reach},
                          args.slots + std::size_t{i} * static_cast<std::size_t>(args.most));
  ray.march = own;
  args.scratch[i] = static_cast<std::uint32_t>(found);
  args.segments[args.alive[i]].count = static_cast<std::uint32_t>(found);
}

/// Puts the samples behind each other.
MOTE_KERNEL(kThreads) place_samples(RayMarchArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.alive_count) return;
  const std::uint32_t number = args.alive[i];
  WaveSegment& segment = args.segments[number];
  const std::size_t first = args.first + sum_before(args.scratch, args.alive_count, i);
  const std::uint32_t count = segment.count;
  const SamplePlanes& to = args.samples;
  const bool fits = first + count <= to.stride;
  segment = {static_cast<std::uint32_t>(first), fits ? count : kNoSpaceForRay};
  // The first ray without space ends the samples of the wave.
  if (!fits && first <= to.stride) *args.sample_count = static_cast<unsigned>(first) - args.first;
  if (!fits) return;
  const RayMarch& ray = args.rays[number].march;
  const float scale = 1 / args.box_size;
  for (std::uint32_t k = 0; k < count; ++k) {
    const RaySample sample = args.slots[std::size_t{i} * static_cast<std::size_t>(args.most) + k];
    const Vec3<float> position = ray.origin + ray.direction * sample.t;
    const std::size_t at = first + k;
    to.positions[at] = (position.x - args.box_min) * scale;
    to.positions[to.stride + at] = (position.y - args.box_min) * scale;
    to.positions[2 * to.stride + at] = (position.z - args.box_min) * scale;
    to.t[at] = sample.t;
    to.dt[at] = sample.dt;
    to.rays[at] = number;
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

}  // namespace

unsigned ray_blocks(unsigned count) {
  return blocks_for(count, kThreads);
}

void run_ray_start(const RayStartArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.count, "starting rays");
  launch(start_rays, shape, stream, args);
  enqueue_sums(args.scratch, args.count, args.alive_count, stream);
  launch(list_rays, shape, stream, args);
}

void run_ray_march(const RayMarchArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.alive_count, "marching rays");
  launch(march_rays, shape, stream, args);
  enqueue_sums(args.scratch, args.alive_count, args.sample_count, stream);
  launch(place_samples, shape, stream, args);
}

void run_ray_keep(const RayKeepArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of_rays(args.alive_count, "keeping rays");
  launch(count_kept, shape, stream, args);
  enqueue_sums(args.scratch, args.alive_count, args.kept_count, stream);
  launch(keep_rays, shape, stream, args);
}

}  // namespace mote::cuda
