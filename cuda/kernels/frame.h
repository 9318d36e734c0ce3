#pragma once

// What the kernels of one frame share. Splats are filed by macro tiles of 32x32 pixels, each of
// which one block blends: eight warps, each with a strip of 8x16 pixels, that is four subtiles of
// 8x4. A splat's mask says which of the 32 subtiles it touches.

#include <cstdint>

#include "cameras/camera_floats.h"
#include "cameras/frustum.h"
#include "cuda/kernels/integers.h"
#include "splats/splat_fields.h"

namespace mote::cuda {

inline constexpr int kMacroPx = 32;
inline constexpr int kSubtileColumnPx = 8, kSubtileRowPx = 4;
inline constexpr int kSubtileColumns = kMacroPx / kSubtileColumnPx;
inline constexpr int kSubtileRows = kMacroPx / kSubtileRowPx;
static_assert(kSubtileColumns * kSubtileRows == 32);
inline constexpr int kStripSubtiles = 4;  // of a warp, one below the other
inline constexpr int kBlendThreads = 256;

/// The camera and what else one frame is drawn with; read by kernels from device memory, so that a
/// captured frame can be replayed with another camera.
struct FrameParams {
  CameraFloats camera;
  int width, height;  // px
  int columns, rows;  // of macro tiles
  float background[3];
  float splat_scale;
  Frustum frustum;
};

/// A visible splat in the image.
struct alignas(16) SplatRecord {
  float mean_x, mean_y, log2_opacity, depth;       // px; view z, of a solid its nearest point's
  float curvature_u, shear, curvature_y, shear_x;  // LogResponse
  float red, green, blue, extent_x;                // px: half width of the ellipse's box
};
static_assert(sizeof(SplatRecord) == 48);

/// First and last column and row of macro tiles of a splat's box; first_column > last_column where
/// the splat is not visible.
struct alignas(8) MacroRect {
  std::uint16_t first_column, last_column, first_row, last_row;
};

/// A splat in a macro tile: its depth's bits above its place in the file, by which it is sorted.
using TileKey = std::uint64_t;

/// What a frame counts; zero before it.
struct FrameCounters {
  unsigned long long evaluations;  // splat-pixel evaluations, masked lanes included
  unsigned long long pairs;        // of a splat and a macro tile
  unsigned long long slots;        // pairs of a splat and a macro tile of its rectangle
  unsigned visible;                // splats
  unsigned overflow;               // 1 where pairs or slots did not fit: nothing was drawn
  unsigned blended, blended_back;  // macro tiles taken from the queues, beyond the first of a block
};

/// The macro tiles in the order in which blocks take them.
struct TileQueue {
  const unsigned* order;  // [tiles] those with the most splats first, to within a factor of two
  unsigned tiles;
  unsigned* taken;  // zero before; beyond the first of each block

  bool operator==(const TileQueue&) const = default;
};

}  // namespace mote::cuda
