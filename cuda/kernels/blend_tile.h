#pragma once

// Blending of macro tiles, for each form of a warp's pixels: the exact one of blend.cu, and the one
// of half precision of blend_fast.cu. For kernels.
//
// As many blocks as the device runs concurrently take macro tiles from a queue. A block takes the
// tile's splats in batches. Each thread loads one splat and finds the subtiles that it touches.
// Then each warp goes through the splats that touch its subtiles; each lane has one pixel in each
// of them. A warp skips splats that touch only finished subtiles. A block is done with the tile
// when all its subtiles are finished.

#include "cuda/kernels/blend.h"
#include "cuda/kernels/subtiles.h"
#include "cuda/kernels/tile_queue.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// The part of a tile that a warp has: half a strip, a strip, or two strips beside each other. A
/// larger part needs less work per splat, but more registers, and one tile takes longer.
enum class Share { half, one, two };

template <Share SHARE>
struct WarpShare {
  static constexpr int kWarpStrips = SHARE == Share::two ? 2 : 1;
  static constexpr int kWarpRows = SHARE == Share::half ? kStripSubtiles / 2 : kStripSubtiles;
  static constexpr int kWarpSubtiles = kWarpStrips * kWarpRows;
  static constexpr int kThreads = kMacroPixels / kWarpSubtiles;

  /// The row in its strip of the calling warp's subtile `k`.
  static MOTE_MEMBER int row_in_strip(int k) {
    const int first = static_cast<int>(threadIdx.x) / kWarp * kWarpRows % kStripSubtiles;
    return first + k % kWarpRows;
  }
};

/// A pixel of the image, px.
struct PixelPlace {
  int x, y;
};

/// The position of the thread's pixel in subtile `k` of its warp.
template <class Pixels>
MOTE_DEVICE PixelPlace pixel_place(const StripPlace& place, int k) {
  return {place.x + k / Pixels::kWarpRows * kSubtileColumnPx,
          place.y + Pixels::row_in_strip(k) * kSubtileRowPx};
}

/// A group of 32 splats in the list of a macro tile.
struct GroupPlace {
  unsigned tile, first;  // the tile's first key
  unsigned begin;        // of the group, from there
};

template <class Kind, class Pixels>
using PixelBatch = SplatBatch<Kind::kExtraWords, Pixels::kThreads, typename Pixels::Color>;

/// Blends one macro tile. Returns the thread's part of the subtiles that its warp evaluated.
///
/// `Pixels` is the state of the calling thread's pixels, one per subtile of its warp. It is a
/// WarpShare, names the `Color` of a line, and has begin(), going() (the warp's subtiles with an
/// active pixel), touching() (votes from a lane's subtiles), blend() (a splat), write(), and
/// leave_checkpoint() for each kCheckpointSplats splats, if that is not 0.
template <class Kind, class Pixels>
MOTE_DEVICE unsigned blend_tile(const BlendArgs& args, const FrameParams& f, unsigned tile,
                                PixelBatch<Kind, Pixels>& batch) {
  constexpr unsigned kLines = Pixels::kThreads;
  constexpr unsigned kCheckpointSplats = Pixels::kCheckpointSplats;
  const unsigned lane = threadIdx.x % kWarp;
  const StripPlace place =
      strip_place(tile, threadIdx.x / kWarp * Pixels::kWarpSubtiles / kStripSubtiles, f.columns);
  Pixels pixels;
  pixels.begin(place, f.width, f.height);
  unsigned going = pixels.going(), evaluations = 0;
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
    if constexpr (kCheckpointSplats > kWarp) {
      if (args.checkpoints.states != nullptr && (begin - first) % kCheckpointSplats == 0) {
        pixels.leave_checkpoint(args.checkpoints, {tile, first, begin - first}, going);
      }
    }
    for (unsigned group = 0; group < count && going != 0; group += kWarp) {
      if constexpr (kCheckpointSplats == kWarp) {
        pixels.leave_checkpoint(args.checkpoints, {tile, first, begin - first + group}, going);
      }
      const unsigned own = own_subtiles<Pixels::kWarpSubtiles>(batch.mask[group + lane]) & going;
      evaluations += static_cast<unsigned>(__popc(own));
      const auto touching = Pixels::touching(own);
      for (unsigned left = touching.any(); left != 0;) {
        const unsigned bit = left & (0u - left);
        left ^= bit;
        const unsigned i = 31u - static_cast<unsigned>(__clz(static_cast<int>(bit)));
        pixels.template blend<Kind>(batch, f.camera, group + i, touching, bit, place);
      }
      going = pixels.going();
    }
  }
  pixels.write(f, args.out, place, end - first);
  return evaluations;
}

/// The body of a blending kernel.
template <class Kind, class Pixels>
MOTE_DEVICE void blend_tiles(const BlendArgs& args) {
  if (args.counters->overflow != 0) return;
  PixelBatch<Kind, Pixels>& batch = block_shared<PixelBatch<Kind, Pixels>>();
  unsigned subtiles = 0;
  for (unsigned tile = first_tile(args.queue); tile != kNoTile; tile = next_tile(args.queue)) {
    subtiles += blend_tile<Kind, Pixels>(args, *args.frame, tile, batch);
  }
  subtiles = __reduce_add_sync(kWholeWarp, subtiles);
  if (threadIdx.x % kWarp == 0 && subtiles != 0) {
    atomicAdd(&args.counters->evaluations, static_cast<unsigned long long>(subtiles) * kWarp);
  }
}

/// A blending kernel with the number of its threads.
struct BlendKernel {
  void (*run)(BlendArgs);
  unsigned threads;
};

/// Launches the form for few or for many tiles: with few tiles for each block, the fullest tile
/// decides the time.
inline void launch_blend(const BlendArgs& args, const BlendKernel& few, const BlendKernel& many,
                         cudaStream_t stream) {
  constexpr const char* kName = "blending";
  constexpr unsigned kManyTiles = 4;
  const bool has_many =
      args.queue.tiles >= kManyTiles * resident_blocks(many.run, many.threads, kName);
  const BlendKernel& kernel = has_many ? many : few;
  const unsigned resident = resident_blocks(kernel.run, kernel.threads, kName);
  launch(kernel.run,
         {.blocks = min(args.queue.tiles, resident), .threads = kernel.threads, .name = kName},
         stream, args);
}

}  // namespace mote::cuda
