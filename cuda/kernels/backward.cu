// Backward blending, splat by splat from the front, like forward blending. A block takes a piece of
// a macro tile's list and starts from the checkpoint before it. A warp sums a splat's gradient over
// its strip: four pixels per lane, then one reduction over the lanes. The block adds its warps'
// sums in order, for 32 splats at a time.

#include "cuda/kernels/backward.h"

#include "cuda/kernels/macro_slots.h"
#include "cuda/kernels/tile_queue.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/backward.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

constexpr int kWarps = kStripThreads / kWarp;

/// The warps' sums of 32 splats, and a bit mask of the splats for which a warp has sums.
template <class Kind>
struct GroupSums {
  float sum[kWarps][kWarp][kPaddedSums<Kind>];
  unsigned hits[kWarps];
};

/// Destinations of the sums of the batch's lines.
struct BatchSlots {
  unsigned slot[kStripThreads];
};

/// The calling thread's pixels, one per subtile of its warp's strip.
struct Pixels {
  PixelBackward<float> state[kStripSubtiles];
  Vec3<float> d_color[kStripSubtiles];
  SurfaceGradient<float> d_surface[kStripSubtiles];
};

/// A part of a macro tile's list.
struct Piece {
  unsigned tile, begin, end;  // keys
  unsigned going;             // subtiles of the warp's strip with an active pixel
  const float4* states;       // of these subtiles' pixels before it; null: nothing is before it
};

MOTE_DEVICE Piece whole_list(const BackwardArgs& args, unsigned tile) {
  return {tile, args.first[tile], args.first[tile + 1], (1u << kStripSubtiles) - 1, nullptr};
}

/// The piece of this number; tile kNoTile if it has no active pixel.
MOTE_DEVICE Piece piece_of(const BackwardArgs& args, unsigned number) {
  const Checkpoints& checkpoints = args.checkpoints;
  const unsigned* strips = checkpoints.strips + std::size_t{number} * kStrips;
  unsigned some = 0;
  for (int k = 0; k < kStrips; ++k) some = max(some, strips[k]);
  if (some == 0) return {kNoTile, 0, 0, 0, nullptr};
  const unsigned tile = some / 16, first = args.first[tile];
  const unsigned state = number - tile, piece = state - first / checkpoints.spacing;
  const unsigned begin = first + piece * checkpoints.spacing;
  return {tile, begin, min(begin + checkpoints.spacing, args.first[tile + 1]),
          strips[threadIdx.x / kWarp] % 16,
          piece > 0 ? checkpoints.states + std::size_t{state} * kMacroPixels : nullptr};
}

template <bool SURFACE>
MOTE_DEVICE Pixels begin_pixels(const BackwardArgs& args, const FrameParams& f,
                                const StripPlace& place, const Piece& piece) {
  Pixels pixels{};
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    const int y = place.y + j * kSubtileRowPx;
    if (place.x >= f.width || y >= f.height || (piece.going >> j & 1) == 0) continue;
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                           static_cast<std::size_t>(place.x);
    const float *d = args.d_rgb + 3 * at, *rgb = args.rgb + 3 * at;
    float4 before = make_float4(1.0f, 0.0f, 0.0f, 0.0f);
    if (piece.states != nullptr) {
      const unsigned strip = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
      before = piece.states[(strip * kStripSubtiles + static_cast<unsigned>(j)) * kWarp + lane];
    }
    pixels.d_color[j] = {d[0], d[1], d[2]};
    pixels.state[j] = {
        before.x,
        color_behind(pixels.d_color[j], {rgb[0] - before.y, rgb[1] - before.z, rgb[2] - before.w})};
    if constexpr (SURFACE) {
      const std::size_t plane =
          static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
      float sums[kSurfaceSums];
      for (int k = 0; k < kSurfaceSums; ++k)
        sums[k] = args.surface[static_cast<std::size_t>(k) * plane + at];
      for (int k = 0; k < kSurfaceGradients; ++k) {
        pixels.d_surface[j].value[k] = args.d_surface[static_cast<std::size_t>(k) * plane + at];
      }
      pixels.state[j].behind += surface_behind(sums, args.alpha[at], pixels.d_surface[j]);
    }
  }
  return pixels;
}

/// The subtiles of the warp's strip with an active pixel.
MOTE_DEVICE unsigned subtiles_going(const Pixels& pixels) {
  unsigned going = 0;
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if (__any_sync(kWholeWarp, pixels.state[j].transmittance > 0)) going |= 1u << j;
  }
  return going;
}

template <class Kind>
using KindBatch = SplatBatch<Kind::kExtraWords>;

/// The warp's sums of one splat over its pixels. Returns the one with index sum_place(kUsedSums,
/// lane).
template <class Kind, bool ABSOLUTE, bool SURFACE>
MOTE_DEVICE float backward_splat(const KindBatch<Kind>& batch, const CameraFloats& camera,
                                 unsigned line, const TouchingLines<>& touching, unsigned bit,
                                 const StripPlace& place, Pixels& pixels) {
  const float4 at = batch.place[line], rgb = batch.color[line];
  const BlendedSplat<Kind, float> splat = blended_splat<Kind>(batch, line);
  const Vec3<float> color{rgb.x, rgb.y, rgb.z};
  const float x = place.center_x - at.x, first_y = place.center_y - at.y;
  const ColumnPolynomial<float> column =
      column_polynomial(splat.form, splat.log2_opacity, x, first_y, batch.shape[line].w);
  Vec3<float> normal{};
  if constexpr (SURFACE) normal = normal_of<Kind>(splat, camera, {at.x, at.y});
  SplatSums<Kind, float> sums{};
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if ((touching.lines[j] & bit) == 0) continue;
    constexpr float kRowPx = kSubtileRowPx;
    const float below = static_cast<float>(j) * kRowPx, y = first_y + below;
    const SplatForVjp<Kind, float> at_pixel =
        splat_for_vjp<Kind>(splat, form_value(column, below), x, y);
    if constexpr (SURFACE) {
      blend_surface_vjp<Kind, ABSOLUTE>(splat, at_pixel, color, normal, pixels.d_color[j],
                                        pixels.d_surface[j], x, y, pixels.state[j], sums);
    } else {
      blend_column_vjp<Kind, ABSOLUTE>(splat, at_pixel, color, pixels.d_color[j], x, y,
                                       pixels.state[j], sums);
    }
  }
  Kind::finish_column(x, sums);
  constexpr int kUsed = kUsedSums<Kind, ABSOLUTE, SURFACE>;
  float values[kUsed];
#pragma unroll
  for (int k = 0; k < kUsed; ++k) values[k] = sums.value[k];
  return warp_sums(values);
}

/// Processes the lines [group, group + 32) of the batch.
template <class Kind, bool ABSOLUTE, bool SURFACE>
MOTE_DEVICE void backward_group(const KindBatch<Kind>& batch, const CameraFloats& camera,
                                unsigned group, const StripPlace& place, Pixels& pixels,
                                unsigned going, GroupSums<Kind>& sums) {
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int sum_of_lane = sum_place(kUsedSums<Kind, ABSOLUTE, SURFACE>, lane);
  const TouchingLines<> touching = touching_lines(own_subtiles(batch.mask[group + lane]) & going);
  const unsigned hits = touching.any();
  if (lane == 0) sums.hits[warp] = hits;
  for (unsigned left = hits; left != 0;) {
    const unsigned bit = left & (0u - left);
    left ^= bit;
    const unsigned i = 31u - static_cast<unsigned>(__clz(static_cast<int>(bit)));
    const float sum = backward_splat<Kind, ABSOLUTE, SURFACE>(batch, camera, group + i, touching,
                                                              bit, place, pixels);
    if (sum_of_lane >= 0) sums.sum[warp][i][sum_of_lane] = sum;
  }
}

/// Adds the warps' sums of the group and writes them to the slots.
template <class Kind, bool ABSOLUTE, bool SURFACE>
MOTE_DEVICE void leave_group(const GroupSums<Kind>& sums, const BatchSlots& slots, unsigned group,
                             float* out) {
  constexpr unsigned kSums = kPaddedSums<Kind>;
  for (unsigned i = threadIdx.x; i < kWarp * kSums; i += kStripThreads) {
    const unsigned line = i / kSums, k = i % kSums;
    if (k >= static_cast<unsigned>(kUsedSums<Kind, ABSOLUTE, SURFACE>)) continue;
    float total = 0;
    bool some = false;
    for (int warp = 0; warp < kWarps; ++warp) {
      if ((sums.hits[warp] >> line & 1) == 0) continue;
      total += sums.sum[warp][line][k];
      some = true;
    }
    if (some) {
      out[static_cast<std::size_t>(slots.slot[group + line]) * kSums + k] = total;
    }
  }
}

template <class Kind, bool ABSOLUTE, bool SURFACE>
MOTE_DEVICE void backward_piece(const BackwardArgs& args, const FrameParams& f, const Piece& piece,
                                KindBatch<Kind>& batch) {
  BatchSlots& slots = block_shared<BatchSlots>();
  GroupSums<Kind>& sums = block_shared<GroupSums<Kind>>();
  const StripPlace place = strip_place(piece.tile, threadIdx.x / kWarp, f.columns);
  Pixels pixels = begin_pixels<SURFACE>(args, f, place, piece);
  unsigned going = subtiles_going(pixels);
  for (unsigned begin = piece.begin; begin < piece.end; begin += kStripThreads) {
    // Also a barrier after the reads of the previous batch.
    if (__syncthreads_and(going == 0)) break;
    const unsigned count = min(piece.end - begin, static_cast<unsigned>(kStripThreads));
    if (threadIdx.x < count) {
      const TileKey key = args.keys[begin + threadIdx.x];
      enter_splat<Kind>({args.records, args.extras, nullptr}, key, place, batch);
      slots.slot[threadIdx.x] =
          slot_of(args, static_cast<unsigned>(key), place.tile_x, place.tile_y);
    } else {
      batch.mask[threadIdx.x] = 0;
    }
    for (unsigned group = 0; group < count; group += kWarp) {
      __syncthreads();
      backward_group<Kind, ABSOLUTE, SURFACE>(batch, f.camera, group, place, pixels, going, sums);
      going = subtiles_going(pixels);
      __syncthreads();
      leave_group<Kind, ABSOLUTE, SURFACE>(sums, slots, group, args.slots);
    }
  }
}

/// Blocks per multiprocessor: the maximum without register spilling. Unused on the host.
template <class Kind, bool ABSOLUTE, bool SURFACE>
constexpr int resident() {
  if (SURFACE) return 2;
  return ABSOLUTE || Kind::kSums > Gaussian::kSums || kArchitecture < 80 ? 3 : 4;
}

template <class Kind, bool ABSOLUTE, bool SURFACE>
MOTE_KERNEL(kStripThreads, (resident<Kind, ABSOLUTE, SURFACE>()))
backward(BackwardArgs args) {
  if (args.counters->overflow != 0) return;
  KindBatch<Kind>& batch = block_shared<KindBatch<Kind>>();
  const bool pieces = args.checkpoints.states != nullptr;
  TileQueue queue = args.queue;
  if (pieces) {
    const auto spacings = static_cast<unsigned>(args.counters->pairs / args.checkpoints.spacing);
    queue = {nullptr, spacings + queue.tiles, queue.taken};
  }
  for (unsigned next = first_tile(queue); next != kNoTile; next = next_tile(queue)) {
    const Piece piece = pieces ? piece_of(args, next) : whole_list(args, next);
    if (piece.tile == kNoTile) continue;
    backward_piece<Kind, ABSOLUTE, SURFACE>(args, *args.frame, piece, batch);
  }
}

using Kernel = void (*)(BackwardArgs);

Kernel kernel_of(const BackwardArgs& args) {
  return visit_kind(args.kind, [&]<class Kind>() -> Kernel {
    if constexpr (Kind::kIsSurface) {
      if (args.d_surface != nullptr) {
        return args.absolute ? backward<Kind, true, true> : backward<Kind, false, true>;
      }
    }
    return args.absolute ? backward<Kind, true, false> : backward<Kind, false, false>;
  });
}

}  // namespace

void run_backward(const BackwardArgs& args, cudaStream_t stream) {
  constexpr const char* kName = "blending backwards";
  const Kernel kernel = kernel_of(args);
  const unsigned resident = resident_blocks(kernel, kStripThreads, kName);
  // There may be more pieces than tiles.
  const bool pieces = args.checkpoints.states != nullptr;
  launch(kernel,
         {.blocks = pieces ? resident : min(args.queue.tiles, resident),
          .threads = kStripThreads,
          .name = kName},
         stream, args);
}

}  // namespace mote::cuda
