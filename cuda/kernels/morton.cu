// Morton keys of splats, one thread per splat.

#include "cuda/kernels/morton.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "splats/morton_key.h"
#include "splats/splat_geometry.h"
#include "splats/time_segment.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBoundsBlocks = 512;  // each processes the splats in strides
constexpr unsigned kSign = 0x80000000u;

/// Maps a float to an integer of the same order.
MOTE_DEVICE unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

MOTE_DEVICE float from_ordered(unsigned number) {
  return __uint_as_float((number & kSign) != 0 ? number & ~kSign : ~number);
}

MOTE_KERNEL(kThreads) mean_bounds(GeometrySource splats, unsigned* bounds) {
  unsigned own[kMeanBounds];
  for (unsigned& bound : own) bound = ~0u;
  for (unsigned splat = blockIdx.x * kThreads + threadIdx.x; splat < splats.count;
       splat += gridDim.x * kThreads) {
    const SplatGeometry g = load_geometry(splats.planes, splats.geometry, splat);
    if (!is_finite(g.mean)) continue;
    for (int axis = 0; axis < 3; ++axis) {
      own[axis] = min(own[axis], ordered(g.mean[axis]));
      own[3 + axis] = min(own[3 + axis], ~ordered(g.mean[axis]));
    }
  }
  for (unsigned i = 0; i < kMeanBounds; ++i) {
    const unsigned least = __reduce_min_sync(kWholeWarp, own[i]);
    if (threadIdx.x % kWarp == 0) atomicMin(&bounds[i], least);
  }
}

MOTE_KERNEL(kThreads) morton_keys(MortonArgs args) {
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  if (splat >= args.splats.count) return;
  MeanBox box;
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = from_ordered(args.bounds[axis]);
    box.high[axis] = from_ordered(~args.bounds[3 + axis]);
  }
  const SplatGeometry g = load_geometry(args.splats.planes, args.splats.geometry, splat);
  args.keys[splat] = morton_key(box, g.mean);
  args.numbers[splat] = splat;
}

// Faint splats have a segment of their own after all others.
constexpr std::uint32_t kFaint = 1u << kTimeSegmentBits;
constexpr int kSegmentShift = kMortonBits - (kTimeSegmentBits + 1);

MOTE_KERNEL(kThreads) segment_keys(MortonArgs args, double duration_s) {
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  if (splat >= args.splats.count) return;
  const FieldPlanes& planes = args.splats.planes;
  const MotionValues motion = load_motion(planes, args.splats.geometry, splat);
  const float logit = load_geometry(planes, args.splats.geometry, splat).logit_opacity;
  const std::uint64_t segment =
      min(time_segment<kTimePartBits>(life_range(motion, logit), duration_s), kFaint);
  args.keys[splat] = segment << kSegmentShift | args.keys[splat] >> (kMortonBits - kSegmentShift);
}

}  // namespace

void run_mean_bounds(const GeometrySource& splats, unsigned* bounds, cudaStream_t stream) {
  launch(mean_bounds,
         {.blocks = min(blocks_for(splats.count, kThreads), kBoundsBlocks),
          .threads = kThreads,
          .name = "bounding the splats"},
         stream, splats, bounds);
}

void run_morton_keys(const MortonArgs& args, cudaStream_t stream) {
  launch(morton_keys,
         {.blocks = blocks_for(args.splats.count, kThreads),
          .threads = kThreads,
          .name = "placing the splats"},
         stream, args);
}

void run_segment_keys(const MortonArgs& args, double duration_s, cudaStream_t stream) {
  launch(segment_keys,
         {.blocks = blocks_for(args.splats.count, kThreads),
          .threads = kThreads,
          .name = "placing the splats in time"},
         stream, args, duration_s);
}

}  // namespace mote::cuda
