// Blending. As many blocks as the device runs concurrently take macro tiles from a queue. A block
// takes the tile's splats in batches. Each thread loads one splat and finds the subtiles that it
// touches. Then each warp goes through the splats that touch its strips; each lane has one pixel in
// each subtile of the strips. A warp skips splats that touch only finished subtiles. A block is
// done with the tile when all its subtiles are finished.

#include "cuda/kernels/blend.h"

#include "cuda/kernels/subtiles.h"
#include "cuda/kernels/texels.h"
#include "cuda/kernels/tile_queue.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/blend.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

/// The outputs in addition to the picture.
enum class Extra { none, depth, buckets, counts, surface };  // the last two: depth as well

template <Extra EXTRA>
inline constexpr bool kWithDepth =
    EXTRA == Extra::depth || EXTRA == Extra::counts || EXTRA == Extra::surface;
template <Extra EXTRA>
inline constexpr bool kWithCounts = EXTRA == Extra::counts || EXTRA == Extra::surface;

/// What a warp has of a tile: half a strip, a strip, or two strips beside each other. The more, the
/// less work per splat, but the more registers, and the longer one tile takes.
enum class Share { half, one, two };

/// A form of the kernel.
template <Extra EXTRA, Share SHARE>
struct Form {
  static constexpr Extra kExtra = EXTRA;
  static constexpr int kWarpStrips = SHARE == Share::two ? 2 : 1;
  static constexpr int kWarpRows = SHARE == Share::half ? kStripSubtiles / 2 : kStripSubtiles;
  static constexpr int kWarpSubtiles = kWarpStrips * kWarpRows;
  static constexpr int kThreads = kMacroPixels / kWarpSubtiles;
  /// Blocks per multiprocessor: the maximum without register spilling. Unused on the host.
  static constexpr int kResident = SHARE == Share::two ? 5 : 2;
};

/// The calling thread's pixels, one per subtile of its warp's strips.
template <class FORM>
struct Pixels {
  PixelForward state[FORM::kWarpSubtiles];
  Vec3<float> color[FORM::kWarpSubtiles];
  PixelDepth<float> depth[FORM::kWarpSubtiles];
  float overdraw[FORM::kWarpSubtiles];
  float surface[FORM::kWarpSubtiles][kSurfaceSums];
};

/// The position of the thread's pixel in subtile `k` of its warp, px.
struct PixelPlace {
  int x, y;
};

/// The row in its strip of the calling warp's subtile `k`.
template <class FORM>
MOTE_DEVICE int row_in_strip(int k) {
  const int first = static_cast<int>(threadIdx.x) / kWarp * FORM::kWarpRows % kStripSubtiles;
  return first + k % FORM::kWarpRows;
}

template <class FORM>
MOTE_DEVICE PixelPlace pixel_place(const StripPlace& place, int k) {
  return {place.x + k / FORM::kWarpRows * kSubtileColumnPx,
          place.y + row_in_strip<FORM>(k) * kSubtileRowPx};
}

/// Pixels outside the image are stopped from the start.
template <class FORM>
MOTE_DEVICE Pixels<FORM> begin_pixels(const StripPlace& place, int width, int height) {
  Pixels<FORM> pixels{};
#pragma unroll
  for (int k = 0; k < FORM::kWarpSubtiles; ++k) {
    const PixelPlace at = pixel_place<FORM>(place, k);
    const bool inside = at.x < width && at.y < height;
    pixels.state[k] = {1.0f, inside ? kLog2AlphaMin : kNeverTouched};
  }
  return pixels;
}

/// The subtiles of the warp's strips with an active pixel.
template <class FORM>
MOTE_DEVICE unsigned subtiles_going(const Pixels<FORM>& pixels) {
  unsigned going = 0;
#pragma unroll
  for (int k = 0; k < FORM::kWarpSubtiles; ++k) {
    if (__any_sync(kWholeWarp, pixels.state[k].least < kNeverTouched)) going |= 1u << k;
  }
  return going;
}

template <class Kind, class FORM>
using KindBatch = SplatBatch<Kind::kExtraWords, FORM::kThreads>;

/// Blends the splat of a line into the subtiles that it touches; `bit`: the line's bit in
/// `touching`. `camera`: only for the surface payload.
template <class Kind, class FORM>
MOTE_DEVICE void blend_splat(const KindBatch<Kind, FORM>& batch, const CameraFloats& camera,
                             unsigned line, const TouchingLines<FORM::kWarpSubtiles>& touching,
                             unsigned bit, const StripPlace& place, Pixels<FORM>& pixels) {
  const float4 at = batch.place[line], rgb = batch.color[line];
  const float bend = batch.shape[line].w;
  const BlendedSplat<Kind, float> splat = blended_splat<Kind>(batch, line);
  const float first_y = place.center_y - at.y;
  Vec3<float> normal{};
  if constexpr (FORM::kExtra == Extra::surface)
    normal = normal_of<Kind>(splat, camera, {at.x, at.y});
#pragma unroll
  for (int strip = 0; strip < FORM::kWarpStrips; ++strip) {
    const float x = place.center_x + static_cast<float>(strip * kSubtileColumnPx) - at.x;
    const ColumnPolynomial<float> column =
        column_polynomial(splat.form, splat.log2_opacity, x, first_y, bend);
#pragma unroll
    for (int row = 0; row < FORM::kWarpRows; ++row) {
      const int k = strip * FORM::kWarpRows + row;
      if ((touching.lines[k] & bit) == 0) continue;
      const auto below = static_cast<float>(row_in_strip<FORM>(k) * kSubtileRowPx);
      const auto here = Kind::respond(splat, form_value(column, below), x, first_y + below);
      blend_pixel(Kind::log2_alpha(here), pixels.state[k],
                  [&](float weight, float before, float after) {
                    pixels.color[k] = add_color(pixels.color[k], weight, {rgb.x, rgb.y, rgb.z});
                    if constexpr (kWithCounts<FORM::kExtra>) {
                      pixels.overdraw[k] = add_overdraw(pixels.overdraw[k], weight);
                    }
                    if constexpr (kWithDepth<FORM::kExtra>) {
                      const float z = Kind::depth(splat, here);
                      add_depth(z, weight, before, after, pixels.depth[k]);
                      if constexpr (FORM::kExtra == Extra::surface) {
                        add_to_surface(SurfacePoint<float>{z, normal}, weight, pixels.surface[k]);
                      }
                    }
                  });
    }
  }
}

/// The checkpoint before a piece of the tile's list.
struct CheckpointPlace {
  Checkpoints to;
  unsigned tile, first;  // the tile's first key
  unsigned piece;
};

/// All lanes must call. Nothing is written for finished subtiles.
template <class FORM>
MOTE_DEVICE void leave_checkpoint(const CheckpointPlace& place, const Pixels<FORM>& pixels,
                                  unsigned going) {
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::size_t before = place.first / place.to.spacing + place.piece;
  const unsigned own = lane < FORM::kWarpStrips ? going >> lane * kStripSubtiles & 15 : 0;
  if (own != 0) {
    const unsigned subtile = warp * FORM::kWarpSubtiles + lane * kStripSubtiles;
    unsigned& strip = place.to.strips[(before + place.tile) * kStrips + subtile / kStripSubtiles];
    if constexpr (FORM::kWarpRows < kStripSubtiles) {
      atomicOr(&strip, place.tile * 16 + (own << subtile % kStripSubtiles));
    } else {
      strip = place.tile * 16 + own;
    }
  }
  if (place.piece == 0) return;
  float4* states =
      place.to.states + before * kMacroPixels + warp * (FORM::kWarpSubtiles * kWarp) + lane;
#pragma unroll
  for (int k = 0; k < FORM::kWarpSubtiles; ++k) {
    if ((going >> k & 1) == 0) continue;
    const PixelForward& state = pixels.state[k];
    const Vec3<float> color = pixels.color[k];
    states[k * kWarp] = make_float4(state.least < kNeverTouched ? state.transmittance : 0.0f,
                                    color.x, color.y, color.z);
  }
}

/// Processes the batch's first `count` lines. Returns the number of subtiles evaluated for the
/// thread's own lines.
template <class Kind, class FORM>
MOTE_DEVICE unsigned blend_batch(const KindBatch<Kind, FORM>& batch, const CameraFloats& camera,
                                 unsigned count, const StripPlace& place,
                                 CheckpointPlace checkpoint, Pixels<FORM>& pixels,
                                 unsigned& going) {
  constexpr int kOwn = FORM::kWarpSubtiles;
  const unsigned lane = threadIdx.x % kWarp;
  unsigned evaluations = 0;
  for (unsigned group = 0; group < count && going != 0; group += kWarp) {
    if constexpr (FORM::kExtra == Extra::buckets) {
      leave_checkpoint<FORM>(checkpoint, pixels, going);
      ++checkpoint.piece;
    }
    const unsigned own = own_subtiles<kOwn>(batch.mask[group + lane]) & going;
    evaluations += static_cast<unsigned>(__popc(own));
    const TouchingLines<kOwn> touching = touching_lines<kOwn>(own);
    for (unsigned left = touching.any(); left != 0;) {
      const unsigned bit = left & (0u - left);
      left ^= bit;
      const unsigned i = 31u - static_cast<unsigned>(__clz(static_cast<int>(bit)));
      blend_splat<Kind, FORM>(batch, camera, group + i, touching, bit, place, pixels);
    }
    going = subtiles_going<FORM>(pixels);
  }
  return evaluations;
}

/// `listed`: number of splats of the macro tile.
template <class FORM>
MOTE_DEVICE void write_pixels(const FrameParams& f, const PixelOutputs& out,
                              const StripPlace& place, const Pixels<FORM>& pixels,
                              unsigned listed) {
#pragma unroll
  for (int k = 0; k < FORM::kWarpSubtiles; ++k) {
    const auto [x, y] = pixel_place<FORM>(place, k);
    if (x >= f.width || y >= f.height) continue;
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                           static_cast<std::size_t>(x);
    const float transmittance = pixels.state[k].transmittance;
    const Vec3<float> sum = pixels.color[k];
    write_color(f, out.rgb, at,
                {over_background(sum.x, transmittance, f.background[0]),
                 over_background(sum.y, transmittance, f.background[1]),
                 over_background(sum.z, transmittance, f.background[2])});
    const float alpha = alpha_of(transmittance);
    if (out.alpha != nullptr) out.alpha[at] = alpha;
    if constexpr (kWithDepth<FORM::kExtra>) {
      if (out.depth_expected != nullptr) {
        out.depth_expected[at] = expected_depth(alpha, pixels.depth[k].weighted);
        out.depth_median[at] = pixels.depth[k].median;
      }
    }
    if constexpr (FORM::kExtra == Extra::surface) {
      const float* sums = pixels.surface[k];
      if (out.normal != nullptr) {
        float* normal = out.normal + 3 * at;
        for (int axis = 0; axis < 3; ++axis) normal[axis] = sums[kNormalXSum + axis];
      }
      if (out.surface != nullptr) {
        const std::size_t plane =
            static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
        for (int sum = 0; sum < kSurfaceSums; ++sum)
          out.surface[static_cast<std::size_t>(sum) * plane + at] = sums[sum];
      }
    }
    if constexpr (kWithCounts<FORM::kExtra>) {
      if (out.overdraw != nullptr) out.overdraw[at] = pixels.overdraw[k];
      if (out.tile_cost != nullptr) out.tile_cost[at] = static_cast<float>(listed);
    }
  }
}

/// Blends one macro tile. Returns the thread's part of the subtiles that its warp evaluated.
template <class Kind, class FORM>
MOTE_DEVICE unsigned blend_tile(const BlendArgs& args, const FrameParams& f, unsigned tile,
                                KindBatch<Kind, FORM>& batch) {
  constexpr unsigned kLines = FORM::kThreads;
  const unsigned strip = threadIdx.x / kWarp * FORM::kWarpSubtiles / kStripSubtiles;
  const StripPlace place = strip_place(tile, strip, f.columns);
  Pixels<FORM> pixels = begin_pixels<FORM>(place, f.width, f.height);
  unsigned going = subtiles_going<FORM>(pixels), evaluations = 0;
  const unsigned first = args.first[tile], end = args.first[tile + 1];
  for (unsigned begin = first; begin < end; begin += kLines) {
    // Also a barrier after the reads of the previous batch.
    if (__syncthreads_and(going == 0)) break;
    const unsigned count = min(end - begin, kLines);
    if (threadIdx.x < count) {
      enter_splat<Kind>({args.records, args.extras, args.slot_of}, args.keys[begin + threadIdx.x],
                        place, batch);
    } else {
      batch.mask[threadIdx.x] = 0;
    }
    __syncthreads();
    const unsigned piece =
        args.checkpoints.states != nullptr ? (begin - first) / args.checkpoints.spacing : 0;
    const CheckpointPlace checkpoint{args.checkpoints, tile, first, piece};
    if (FORM::kExtra == Extra::none && args.checkpoints.states != nullptr &&
        (begin - first) % kPieceSplats == 0) {
      leave_checkpoint<FORM>(checkpoint, pixels, going);
    }
    evaluations +=
        blend_batch<Kind, FORM>(batch, f.camera, count, place, checkpoint, pixels, going);
  }
  write_pixels<FORM>(f, args.out, place, pixels, end - first);
  return evaluations;
}

template <class Kind, class FORM>
MOTE_KERNEL(FORM::kThreads, FORM::kResident)
blend(BlendArgs args) {
  if (args.counters->overflow != 0) return;
  KindBatch<Kind, FORM>& batch = block_shared<KindBatch<Kind, FORM>>();
  unsigned subtiles = 0;
  for (unsigned tile = first_tile(args.queue); tile != kNoTile; tile = next_tile(args.queue)) {
    subtiles += blend_tile<Kind, FORM>(args, *args.frame, tile, batch);
  }
  subtiles = __reduce_add_sync(kWholeWarp, subtiles);
  if (threadIdx.x % kWarp == 0 && subtiles != 0) {
    atomicAdd(&args.counters->evaluations, static_cast<unsigned long long>(subtiles) * kWarp);
  }
}

struct BlendKernel {
  void (*run)(BlendArgs);
  unsigned threads;
};

template <class Kind, Extra EXTRA, Share SHARE>
BlendKernel kernel() {
  return {blend<Kind, Form<EXTRA, SHARE>>, Form<EXTRA, SHARE>::kThreads};
}

BlendKernel kernel_of(SplatKind kind, Extra extra, bool many_tiles) {
  return visit_kind(kind, [&]<class Kind>() -> BlendKernel {
    if constexpr (Kind::kIsSurface) {
      if (extra == Extra::surface) return kernel<Kind, Extra::surface, Share::one>();
    }
    switch (extra) {
      case Extra::depth:
        return kernel<Kind, Extra::depth, Share::one>();
      case Extra::buckets:
        // Surfels would spill registers with half a strip.
        return kernel < Kind, Extra::buckets, Kind::kIsSurface ? Share::one : Share::half > ();
      case Extra::counts:
        return kernel<Kind, Extra::counts, Share::one>();
      default:
        CHECK(extra == Extra::none);
        return many_tiles ? kernel<Kind, Extra::none, Share::two>()
                          : kernel<Kind, Extra::none, Share::half>();
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
  const bool buckets = checkpoints && args.checkpoints.spacing == kBucketSplats;
  CHECK(!checkpoints || buckets || args.checkpoints.spacing == kPieceSplats);
  const bool surface = out.normal != nullptr || out.surface != nullptr;
  CHECK(!checkpoints || !(depth || counts || surface));
  const Extra extra = surface   ? Extra::surface
                      : counts  ? Extra::counts
                      : depth   ? Extra::depth
                      : buckets ? Extra::buckets
                                : Extra::none;
  // With few tiles for each block, the fullest tile decides the time.
  constexpr unsigned kManyTiles = 4;
  const BlendKernel two_strips = kernel_of(args.kind, Extra::none, true);
  const bool many =
      args.queue.tiles >= kManyTiles * resident_blocks(two_strips.run, two_strips.threads, kName);
  const BlendKernel kernel = kernel_of(args.kind, extra, many);
  const unsigned resident = resident_blocks(kernel.run, kernel.threads, kName);
  launch(kernel.run,
         {.blocks = min(args.queue.tiles, resident), .threads = kernel.threads, .name = kName},
         stream, args);
}

}  // namespace mote::cuda
