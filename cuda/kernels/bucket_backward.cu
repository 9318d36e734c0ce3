// Backward blending by buckets (Mallick et al. 2024), an alternative to backward.cu. A warp takes
// 32 consecutive splats of a macro tile's list, one per lane, and starts from the checkpoint of the
// pixels before them. The pixels pass through the lanes one after another: each lane removes its
// splat from a pixel and passes it to the next lane. A splat's sums over the tile stay in its lane.

#include "cuda/kernels/backward.h"

#include "cuda/kernels/macro_slots.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/backward.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 128;
constexpr unsigned kWarps = kThreads / kWarp;
constexpr unsigned kRing = 2 * kWarp;  // pixels: those in the lanes, and the next ones

/// The pixels of each warp in the order in which they enter its lanes.
struct PixelRing {
  float4 d_color[kWarps][kRing];  // dL/dcolour, and the subtile's index as bits
  float4 place[kWarps][kRing];    // centre, px; transmittance and `behind` of PixelBackward
};

/// The calling lane's splat.
template <class Kind>
struct LaneSplat {
  float mean_x, mean_y, column_bend;
  BlendedSplat<Kind, float> splat;
  Vec3<float> color;
  unsigned mask;  // subtiles that it touches; 0 for a lane without a splat
};

/// The work of a warp.
struct Bucket {
  unsigned tile, first_key;
  const float4* states;  // of the tile's pixels before it; null: nothing is before it
  int tile_x, tile_y;    // px
  unsigned going;        // subtiles with an active pixel
};

/// `going` is 0 if there is no work.
MOTE_DEVICE Bucket load_bucket(const BackwardArgs& args, unsigned number) {
  const Checkpoints& checkpoints = args.checkpoints;
  const int columns = args.frame->columns;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned strip = lane < kStrips ? checkpoints.strips[number * kStrips + lane] : 0;
  Bucket bucket{};
  bucket.going = __reduce_or_sync(kWholeWarp, (strip & 15) << lane % kStrips * kStripSubtiles);
  bucket.tile = __reduce_max_sync(kWholeWarp, strip / 16);
  const unsigned first = args.first[bucket.tile];
  const unsigned state = number - bucket.tile, place = state - first / kBucketSplats;
  bucket.first_key = first + place * kBucketSplats;
  bucket.states = place > 0 ? checkpoints.states + std::size_t{state} * kMacroPixels : nullptr;
  bucket.tile_x = static_cast<int>(bucket.tile) % columns * kMacroPx;
  bucket.tile_y = static_cast<int>(bucket.tile) / columns * kMacroPx;
  return bucket;
}

template <class Kind>
MOTE_DEVICE LaneSplat<Kind> load_lane(const SplatRecord& s, const float* extras,
                                      const Bucket& bucket) {
  LaneSplat<Kind> lane{
      s.mean_x,
      s.mean_y,
      column_bend(ellipse_of(s).form),
      {{s.curvature_u, s.shear, s.curvature_y, s.shear_x}, s.log2_opacity, s.depth, {}},
      {s.red, s.green, s.blue},
      subtiles_touched<Kind>(ellipse_of(s), s.log2_opacity, extras, bucket.tile_x, bucket.tile_y)};
  if constexpr (Kind::kExtraWords > 0) {
#pragma unroll
    for (int k = 0; k < Kind::kExtraWords; ++k) lane.splat.extra.value[k] = extras[k];
  }
  return lane;
}

/// Writes the subtile's pixels to the ring, from `at` on. Returns whether one of them is active.
MOTE_DEVICE bool enter_pixels(const BackwardArgs& args, const Bucket& bucket, unsigned subtile,
                              unsigned at, PixelRing& ring) {
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const FrameParams& f = *args.frame;
  const SubtilePlace first = subtile_place(subtile);
  const int x = bucket.tile_x + first.x + static_cast<int>(lane) % kSubtileColumnPx;
  const int y = bucket.tile_y + first.y + static_cast<int>(lane) / kSubtileColumnPx;
  PixelBackward<float> pixel{0, 0};
  Vec3<float> d_color{0, 0, 0};
  if (x < f.width && y < f.height) {
    const std::size_t pixel_at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                                 static_cast<std::size_t>(x);
    const float *d = args.d_rgb + 3 * pixel_at, *rgb = args.rgb + 3 * pixel_at;
    const float4 state = bucket.states != nullptr ? bucket.states[subtile * kWarp + lane]
                                                  : make_float4(1.0f, 0.0f, 0.0f, 0.0f);
    d_color = {d[0], d[1], d[2]};
    const Vec3<float> behind{rgb[0] - state.y, rgb[1] - state.z, rgb[2] - state.w};
    pixel = {state.x, dot(d_color, behind)};
  }
  if (!__any_sync(kWholeWarp, pixel.transmittance > 0)) return false;
  const unsigned line = (at + lane) % kRing;
  ring.d_color[warp][line] = make_float4(d_color.x, d_color.y, d_color.z, __uint_as_float(subtile));
  ring.place[warp][line] = make_float4(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f,
                                       pixel.transmittance, pixel.behind);
  __syncwarp();
  return true;
}

/// Moves the pixels on by one lane: lane i gets pixel `at` - i of the `count` that have entered.
template <class Kind, bool ABSOLUTE>
MOTE_DEVICE void pass_on(const PixelRing& ring, unsigned at, unsigned count,
                         const LaneSplat<Kind>& s, PixelBackward<float>& pixel,
                         SplatSums<Kind, float>& sums) {
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  pixel = {__shfl_up_sync(kWholeWarp, pixel.transmittance, 1),
           __shfl_up_sync(kWholeWarp, pixel.behind, 1)};
  const unsigned number = at - lane;  // also beyond `count` before the first pixel arrives
  if (number >= count) return;
  const float4 place = ring.place[warp][number % kRing], d = ring.d_color[warp][number % kRing];
  if (lane == 0) pixel = {place.z, place.w};
  const unsigned subtile = __float_as_uint(d.w);
  if ((s.mask >> subtile & 1) == 0) return;
  // As in forward blending, so that a pixel stops at the same splat.
  const float below = static_cast<float>(subtile % kStripSubtiles * kSubtileRowPx);
  const float x = place.x - s.mean_x, y = place.y - s.mean_y;
  const ColumnPolynomial<float> column = column_polynomial(
      s.splat.form, s.splat.log2_opacity, x, place.y - below - s.mean_y, s.column_bend);
  const SplatForVjp<Kind, float> at_pixel =
      splat_for_vjp<Kind>(s.splat, form_value(column, below), x, y);
  blend_splat_vjp<Kind, ABSOLUTE>(s.splat, at_pixel, s.color, Vec3<float>{d.x, d.y, d.z}, x, y,
                                  pixel, sums);
}

template <class Kind>
MOTE_DEVICE void leave_sums(const SplatSums<Kind, float>& sums, float* slot) {
  const auto sum = [&](int k) { return k < Kind::kSums ? sums.value[k] : 0.0f; };
  auto* out = reinterpret_cast<float4*>(slot);
#pragma unroll
  for (int k = 0; k < kPaddedSums<Kind>; k += 4) {
    out[k / 4] = make_float4(sum(k), sum(k + 1), sum(k + 2), sum(k + 3));
  }
}

template <class Kind, bool ABSOLUTE>
MOTE_KERNEL(kThreads)
bucket_backward(BackwardArgs args, unsigned buckets) {
  if (args.counters->overflow != 0) return;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned number = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (number >= buckets) return;
  const Bucket bucket = load_bucket(args, number);
  if (bucket.going == 0) return;
  const unsigned at = bucket.first_key + lane;
  const bool some = at < args.first[bucket.tile + 1];
  const auto splat = some ? static_cast<unsigned>(args.keys[at]) : 0u;
  LaneSplat<Kind> own{};
  if (some) {
    own = load_lane<Kind>(args.records[splat], args.extras + std::size_t{splat} * Kind::kExtraWords,
                          bucket);
  }

  PixelRing& ring = block_shared<PixelRing>();
  PixelBackward<float> pixel{0, 0};
  SplatSums<Kind, float> sums{};
  unsigned count = 0, step = 0;
  for (unsigned left = __reduce_or_sync(kWholeWarp, own.mask) & bucket.going; left != 0;
       left &= left - 1) {
    const unsigned subtile = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
    if (!enter_pixels(args, bucket, subtile, count, ring)) continue;
    for (count += kWarp; step < count; ++step) {
      pass_on<Kind, ABSOLUTE>(ring, step, count, own, pixel, sums);
    }
    __syncwarp();
  }
  for (; step < count + kWarp - 1; ++step)
    pass_on<Kind, ABSOLUTE>(ring, step, count, own, pixel, sums);
  if (own.mask == 0) return;
  const unsigned slot = slot_of(args, splat, bucket.tile_x, bucket.tile_y);
  leave_sums(sums, args.slots + static_cast<std::size_t>(slot) * kPaddedSums<Kind>);
}

}  // namespace

void run_bucket_backward(const BackwardArgs& args, unsigned buckets, cudaStream_t stream) {
  const auto kernel = visit_kind(args.kind, [&]<class Kind>() {
    return args.absolute ? bucket_backward<Kind, true> : bucket_backward<Kind, false>;
  });
  launch(kernel,
         {.blocks = blocks_for(buckets, kWarps),
          .threads = kThreads,
          .name = "blending backwards by buckets"},
         stream, args, buckets);
}

}  // namespace mote::cuda
