// Blending. As many blocks as the device runs concurrently take macro tiles from a queue. A block
// takes the tile's splats in batches. Each thread loads one splat and finds the subtiles that it
// touches. Then each warp goes through the splats that touch its strip; each lane has one pixel in
// each of the strip's four subtiles. A warp skips splats that touch only finished subtiles. A block
// is done with the tile when all its subtiles are finished.

#include "cuda/kernels/blend.h"

#include "cuda/kernels/subtiles.h"
#include "cuda/kernels/tile_queue.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/blend.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

/// The outputs in addition to the picture.
enum class Extra { none, depth, checkpoints, counts, surface };  // the last two: depth as well

template <Extra EXTRA>
inline constexpr bool kWithDepth =
    EXTRA == Extra::depth || EXTRA == Extra::counts || EXTRA == Extra::surface;
template <Extra EXTRA>
inline constexpr bool kWithCounts = EXTRA == Extra::counts || EXTRA == Extra::surface;

/// Blocks per multiprocessor: the maximum without register spilling. Unused on the host.
template <class Kind, Extra EXTRA>
constexpr int resident() {
  if (EXTRA == Extra::none) {
    return Kind::kIsSurface || (Kind::kExtraWords > 0 && kArchitecture < 80) ? 3 : 4;
  }
  return EXTRA == Extra::checkpoints ? 3 : 2;
}

/// The calling thread's pixels, one per subtile of its warp's strip.
struct Pixels {
  PixelForward<float> state[kStripSubtiles];
  Vec3<float> color[kStripSubtiles];
  PixelDepth<float> depth[kStripSubtiles];
  float overdraw[kStripSubtiles];
  float surface[kStripSubtiles][kSurfaceSums];
};

/// Pixels outside the image are stopped from the start.
MOTE_DEVICE Pixels begin_pixels(const StripPlace& place, int width, int height) {
  Pixels pixels{};
  for (int j = 0; j < kStripSubtiles; ++j) {
    const bool inside = place.x < width && place.y + j * kSubtileRowPx < height;
    pixels.state[j] = {1.0f, inside ? kLog2AlphaMin : kNeverTouched};
  }
  return pixels;
}

/// The subtiles of the warp's strip with an active pixel.
MOTE_DEVICE unsigned subtiles_going(const Pixels& pixels) {
  unsigned going = 0;
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if (__any_sync(kWholeWarp, pixels.state[j].least < kNeverTouched)) going |= 1u << j;
  }
  return going;
}

template <class Kind>
using KindBatch = SplatBatch<Kind::kExtraWords>;

/// `camera`: only for the surface payload.
template <class Kind, Extra EXTRA>
MOTE_DEVICE void blend_splat(const KindBatch<Kind>& batch, const CameraFloats& camera,
                             unsigned line, const TouchingLines& touching, unsigned bit,
                             const StripPlace& place, Pixels& pixels) {
  const float4 at = batch.place[line], rgb = batch.color[line];
  const BlendedSplat<Kind, float> splat = blended_splat<Kind>(batch, line);
  const float x = place.center_x - at.x, first_y = place.center_y - at.y;
  const ColumnPolynomial<float> column =
      column_polynomial(splat.form, splat.log2_opacity, x, first_y, batch.shape[line].w);
  Vec3<float> normal{};
  if constexpr (EXTRA == Extra::surface) normal = normal_of<Kind>(splat, camera, {at.x, at.y});
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if ((touching.lines[j] & bit) == 0) continue;
    constexpr float kRowPx = kSubtileRowPx;
    const float below = static_cast<float>(j) * kRowPx;
    const auto here = Kind::respond(splat, form_value(column, below), x, first_y + below);
    blend_pixel(Kind::log2_alpha(here), pixels.state[j],
                [&](float weight, float before, float after) {
                  pixels.color[j] = add_color(pixels.color[j], weight, {rgb.x, rgb.y, rgb.z});
                  if constexpr (kWithCounts<EXTRA>) {
                    pixels.overdraw[j] = add_overdraw(pixels.overdraw[j], weight);
                  }
                  if constexpr (kWithDepth<EXTRA>) {
                    const float z = Kind::depth(splat, here);
                    add_depth(z, weight, before, after, pixels.depth[j]);
                    if constexpr (EXTRA == Extra::surface) {
                      add_to_surface(SurfacePoint<float>{z, normal}, weight, pixels.surface[j]);
                    }
                  }
                });
  }
}

/// Destination of the pixels' states before the next 32 splats.
struct CheckpointPlace {
  Checkpoints to;
  unsigned tile, bucket;
};

MOTE_DEVICE void leave_checkpoint(const CheckpointPlace& place, const Pixels& pixels,
                                  unsigned going) {
  const unsigned strip = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (lane == 0) place.to.strips[place.bucket * kStrips + strip] = place.tile * 16 + going;
  float4* states = place.to.states + static_cast<std::size_t>(place.bucket) * kMacroPixels +
                   strip * (kStripSubtiles * kWarp) + lane;
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if ((going >> j & 1) == 0) continue;
    const PixelForward<float>& state = pixels.state[j];
    const Vec3<float> color = pixels.color[j];
    states[j * kWarp] = make_float4(state.least < kNeverTouched ? state.transmittance : 0.0f,
                                    color.x, color.y, color.z);
  }
}

/// Processes the batch's first `count` lines. Returns the number of subtiles evaluated for the
/// thread's own lines.
template <class Kind, Extra EXTRA>
MOTE_DEVICE unsigned blend_batch(const KindBatch<Kind>& batch, const CameraFloats& camera,
                                 unsigned count, const StripPlace& place,
                                 CheckpointPlace checkpoint, Pixels& pixels, unsigned& going) {
  const unsigned lane = threadIdx.x % kWarp;
  unsigned evaluations = 0;
  for (unsigned group = 0; group < count && going != 0; group += kWarp) {
    if constexpr (EXTRA == Extra::checkpoints) leave_checkpoint(checkpoint, pixels, going);
    ++checkpoint.bucket;
    const unsigned own = own_subtiles(batch.mask[group + lane]) & going;
    evaluations += static_cast<unsigned>(__popc(own));
    const TouchingLines touching = touching_lines(own);
    for (unsigned left = touching.any(); left != 0;) {
      const unsigned bit = left & (0u - left);
      left ^= bit;
      const unsigned i = 31u - static_cast<unsigned>(__clz(static_cast<int>(bit)));
      blend_splat<Kind, EXTRA>(batch, camera, group + i, touching, bit, place, pixels);
    }
    going = subtiles_going(pixels);
  }
  return evaluations;
}

/// `listed`: number of splats of the macro tile.
template <Extra EXTRA>
MOTE_DEVICE void write_pixels(const FrameParams& f, const PixelOutputs& out,
                              const StripPlace& place, const Pixels& pixels, unsigned listed) {
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    const int y = place.y + j * kSubtileRowPx;
    if (place.x >= f.width || y >= f.height) continue;
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                           static_cast<std::size_t>(place.x);
    const float transmittance = pixels.state[j].transmittance;
    float* rgb = out.rgb + 3 * at;
    rgb[0] = over_background(pixels.color[j].x, transmittance, f.background[0]);
    rgb[1] = over_background(pixels.color[j].y, transmittance, f.background[1]);
    rgb[2] = over_background(pixels.color[j].z, transmittance, f.background[2]);
    const float alpha = alpha_of(transmittance);
    if (out.alpha != nullptr) out.alpha[at] = alpha;
    if constexpr (kWithDepth<EXTRA>) {
      if (out.depth_expected != nullptr) {
        out.depth_expected[at] = expected_depth(alpha, pixels.depth[j].weighted);
        out.depth_median[at] = pixels.depth[j].median;
      }
    }
    if constexpr (EXTRA == Extra::surface) {
      const float* sums = pixels.surface[j];
      if (out.normal != nullptr) {
        float* normal = out.normal + 3 * at;
        for (int axis = 0; axis < 3; ++axis) normal[axis] = sums[kNormalXSum + axis];
      }
      if (out.surface != nullptr) {
        const std::size_t plane =
            static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
        for (int k = 0; k < kSurfaceSums; ++k)
          out.surface[static_cast<std::size_t>(k) * plane + at] = sums[k];
      }
    }
    if constexpr (kWithCounts<EXTRA>) {
      if (out.overdraw != nullptr) out.overdraw[at] = pixels.overdraw[j];
      if (out.tile_cost != nullptr) out.tile_cost[at] = static_cast<float>(listed);
    }
  }
}

/// Blends one macro tile. Returns the thread's part of the subtiles that its warp evaluated.
template <class Kind, Extra EXTRA>
MOTE_DEVICE unsigned blend_tile(const BlendArgs& args, const FrameParams& f, unsigned tile,
                                KindBatch<Kind>& batch) {
  const StripPlace place = strip_place(tile, f.columns);
  Pixels pixels = begin_pixels(place, f.width, f.height);
  unsigned going = subtiles_going(pixels), evaluations = 0;
  const unsigned first = args.first[tile], end = args.first[tile + 1];
  for (unsigned begin = first; begin < end; begin += kBlendThreads) {
    // Also a barrier after the reads of the previous batch.
    if (__syncthreads_and(going == 0)) break;
    const unsigned count = min(end - begin, static_cast<unsigned>(kBlendThreads));
    if (threadIdx.x < count) {
      enter_splat<Kind>({args.records, args.extras, args.slot_of}, args.keys[begin + threadIdx.x],
                        place, batch);
    } else {
      batch.mask[threadIdx.x] = 0;
    }
    __syncthreads();
    const CheckpointPlace checkpoint{args.checkpoints, tile,
                                     first_bucket(first, tile) + (begin - first) / kWarp};
    evaluations +=
        blend_batch<Kind, EXTRA>(batch, f.camera, count, place, checkpoint, pixels, going);
  }
  write_pixels<EXTRA>(f, args.out, place, pixels, end - first);
  return evaluations;
}

template <class Kind, Extra EXTRA>
MOTE_KERNEL(kBlendThreads, (resident<Kind, EXTRA>()))
blend(BlendArgs args) {
  if (args.counters->overflow != 0) return;
  KindBatch<Kind>& batch = block_shared<KindBatch<Kind>>();
  unsigned subtiles = 0;
  for (unsigned tile = first_tile(args.queue); tile != kNoTile; tile = next_tile(args.queue)) {
    subtiles += blend_tile<Kind, EXTRA>(args, *args.frame, tile, batch);
  }
  subtiles = __reduce_add_sync(kWholeWarp, subtiles);
  if (threadIdx.x % kWarp == 0 && subtiles != 0) {
    atomicAdd(&args.counters->evaluations, static_cast<unsigned long long>(subtiles) * kWarp);
  }
}

using Kernel = void (*)(BlendArgs);

Kernel kernel_of(SplatKind kind, Extra extra) {
  return visit_kind(kind, [&]<class Kind>() -> Kernel {
    if constexpr (Kind::kIsSurface) {
      if (extra == Extra::surface) return blend<Kind, Extra::surface>;
    }
    switch (extra) {
      case Extra::depth:
        return blend<Kind, Extra::depth>;
      case Extra::checkpoints:
        return blend<Kind, Extra::checkpoints>;
      case Extra::counts:
        return blend<Kind, Extra::counts>;
      default:
        CHECK(extra == Extra::none);
        return blend<Kind, Extra::none>;
    }
  });
}

}  // namespace

void run_blend(const BlendArgs& args, cudaStream_t stream) {
  constexpr const char* kName = "blending";
  const PixelOutputs& out = args.out;
  const bool depth = out.depth_expected != nullptr;
  const bool counts = out.overdraw != nullptr || out.tile_cost != nullptr;
  const bool checkpoints = args.checkpoints.states != nullptr;
  const bool surface = out.normal != nullptr || out.surface != nullptr;
  CHECK(!checkpoints || !(depth || counts || surface));
  const Extra extra = surface       ? Extra::surface
                      : counts      ? Extra::counts
                      : depth       ? Extra::depth
                      : checkpoints ? Extra::checkpoints
                                    : Extra::none;
  const Kernel kernel = kernel_of(args.kind, extra);
  const unsigned resident = resident_blocks(kernel, kBlendThreads, kName);
  launch(kernel,
         {.blocks = min(args.queue.tiles, resident), .threads = kBlendThreads, .name = kName},
         stream, args);
}

}  // namespace mote::cuda
