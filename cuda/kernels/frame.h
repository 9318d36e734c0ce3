#pragma once

// Common data of the kernels of one frame. Splats are binned by macro tiles of 32x32 pixels. A tile
// has eight strips of 8x16 pixels, each of four subtiles of 8x4. One block blends a macro tile;
// each of its warps has half a strip, a strip, or two that lie beside each other. A splat's mask
// marks which of the 32 subtiles it touches.

#include <cstdint>

#include "cameras/camera_floats.h"
#include "cameras/frustum.h"
#include "cuda/kernels/integers.h"
#include "cuda/pictures/picture_images.h"
#include "splats/kinds/splat_kind.h"
#include "splats/motions/motion_paint.h"

namespace mote::cuda {

inline constexpr int kMacroPx = 32;
inline constexpr int kSubtileColumnPx = 8, kSubtileRowPx = 4;
inline constexpr int kSubtileColumns = kMacroPx / kSubtileColumnPx;
inline constexpr int kSubtileRows = kMacroPx / kSubtileRowPx;
static_assert(kSubtileColumns * kSubtileRows == 32);
inline constexpr int kStripSubtiles = 4;  // one below the other
inline constexpr int kStrips = 32 / kStripSubtiles;
inline constexpr int kStripThreads = 32 * kStrips;  // of a block with one warp per strip

/// The camera, the time and the settings of one frame. Kernels read them from device memory, so
/// that a captured frame can be replayed with another camera.
struct FrameParams {
  CameraFloats camera;
  int width, height;  // px
  int columns, rows;  // number of macro tiles
  float background[3];
  float splat_scale;
  float time_s;
  MotionPaint paint;
  Frustum frustum;
  TexelTarget texels;
};

/// A visible splat in the image. Kinds and solids may have further words, which lie in an array of
/// their own: [splats][words].
struct alignas(16) SplatRecord {
  /// Mean in px; depth as view z, for solids that of the nearest point.
  float mean_x, mean_y, log2_opacity, depth;
  float curvature_u, shear, curvature_y, shear_x;  // EllipseForm
  float red, green, blue, extent_x;                // px: half width of the bounding box
};
static_assert(sizeof(SplatRecord) == 48);

/// First and last column and row of macro tiles of a splat's box. first_column > last_column if the
/// splat is invisible.
struct alignas(8) MacroRect {
  std::uint16_t first_column, last_column, first_row, last_row;
};

/// A splat in a macro tile, the sort key: the bits of its depth above its index in the file.
using TileKey = std::uint64_t;

/// Counters of a frame; initially zero.
struct FrameCounters {
  unsigned long long evaluations;  // splat-pixel evaluations, masked lanes included
  unsigned long long pairs;        // splat-tile pairs
  unsigned long long slots;        // pairs of a splat and a macro tile of its rectangle
  unsigned visible;                // number of splats
  unsigned overflow;               // 1 if pairs or slots exceeded their capacity: nothing was drawn
  // The queue of sorting (segment_sort.cu): the first `long_tiles` in the order are long lists,
  // with `long_chunks` chunks and `sort_steps` steps; those from `sorted_tiles` on need no sorting.
  unsigned long_tiles, sorted_tiles, long_chunks, sort_steps;
  unsigned sort_taken;  // places taken
  /// Macro tiles taken from the queues, without the first of each block.
  unsigned blended, blended_back;
};

/// The macro tiles in processing order.
struct TileQueue {
  /// [tiles] fullest first, by three bits of their counts; null: as they are numbered
  const unsigned* order;
  unsigned tiles;
  unsigned* taken;  // initially zero; without the first tile of each block

  bool operator==(const TileQueue&) const = default;
};

}  // namespace mote::cuda
