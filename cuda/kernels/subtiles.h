#pragma once

// A macro tile's splats in the order of its warps, for forward and backward blending. For kernels.

#include <cmath>

#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime/dialect.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {

static_assert(kStrips * kStripSubtiles == 32);

/// The data of some splats in a block, one line per splat. `Color`: as the form of blending reads
/// it.
template <int LINES, class Color>
struct SplatLines {
  float4 place[LINES];   // mean_x, mean_y, log2_opacity, depth
  float4 shape[LINES];   // curvature_u, shear, curvature_y, column_bend()
  Color color[LINES];    // float4: red, green, blue
  unsigned mask[LINES];  // subtiles touched: bits 4 s to 4 s + 3 are those of strip s
};

/// The same with the further words of a kind or of solids.
template <int EXTRA, int LINES = kStripThreads, class Color = float4>
struct SplatBatch : SplatLines<LINES, Color> {
  float extra[EXTRA][LINES];
};
template <int LINES, class Color>
struct SplatBatch<0, LINES, Color> : SplatLines<LINES, Color> {};

/// One line as blending reads it.
template <class Kind, int LINES, class Color>
MOTE_DEVICE BlendedSplat<Kind, float> blended_splat(
    const SplatBatch<Kind::kExtraWords, LINES, Color>& batch, unsigned line) {
  const float4 at = batch.place[line], shape = batch.shape[line];
  // Blending does not use shear_x.
  BlendedSplat<Kind, float> splat{{shape.x, shape.y, shape.z, 0.0f}, at.z, at.w, {}};
  if constexpr (Kind::kExtraWords > 0) {
    MOTE_UNROLL
    for (int k = 0; k < Kind::kExtraWords; ++k) splat.extra.value[k] = batch.extra[k][line];
  }
  return splat;
}

/// Kind::normal() of a line.
template <class Kind>
MOTE_DEVICE Vec3<float> normal_of(const BlendedSplat<Kind, float>& splat,
                                  const CameraFloats& camera, PixelPoint<float> mean_px) {
  return Kind::normal(splat,
                      make_pinhole(camera.focal_x, camera.focal_y, camera.center_x, camera.center_y,
                                   camera.width, camera.height),
                      mean_px);
}

/// The first pixel of a macro tile, and the calling thread's pixel; px.
struct StripPlace {
  int tile_x, tile_y;
  /// The thread's pixel in the strip's first subtile; the others are kSubtileRowPx below.
  int x, y;
  float center_x, center_y;  // centre of that pixel
};

/// The first pixel of a subtile in its macro tile, from the subtile's bit index in masks; px.
struct SubtilePlace {
  int x, y;
};

MOTE_DEVICE SubtilePlace subtile_place(unsigned subtile) {
  const int strip = static_cast<int>(subtile) / kStripSubtiles;
  const int row =
      strip / kSubtileColumns * kStripSubtiles + static_cast<int>(subtile) % kStripSubtiles;
  return {strip % kSubtileColumns * kSubtileColumnPx, row * kSubtileRowPx};
}

/// `columns`: number of macro tile columns in the image.
MOTE_DEVICE StripPlace strip_place(unsigned tile, unsigned strip, int columns) {
  const int across = static_cast<int>(strip) % kSubtileColumns;
  const int down = static_cast<int>(strip) / kSubtileColumns;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  StripPlace p{};
  p.tile_x = static_cast<int>(tile) % columns * kMacroPx;
  p.tile_y = static_cast<int>(tile) / columns * kMacroPx;
  p.x = p.tile_x + across * kSubtileColumnPx + lane % kSubtileColumnPx;
  p.y = p.tile_y + down * kStripSubtiles * kSubtileRowPx + lane / kSubtileColumnPx;
  p.center_x = static_cast<float>(p.x) + 0.5f;
  p.center_y = static_cast<float>(p.y) + 0.5f;
  return p;
}

/// The subtiles that the ellipse touches in the macro tile with its first pixel at (x, y). Iterates
/// over the rows of subtiles that the ellipse's box meets, not over all rows, since the lanes of a
/// warp process different splats.
MOTE_DEVICE unsigned subtiles_touched(const SplatEllipse& s, int x, int y) {
  constexpr float kSlack = 1.01f;  // factor on the extent, as kBoxSlack is for the limit
  constexpr float kRowPx = kSubtileRowPx, kRows = kSubtileRows;
  const float first_x = static_cast<float>(x) + 0.5f - s.mean_x;
  const float first_y = static_cast<float>(y) + 0.5f - s.mean_y;
  const float reach = kSlack * s.extent_y;
  const float begin = (-reach - first_y - (kRowPx - 1)) / kRowPx, end = (reach - first_y) / kRowPx;
  const int last = static_cast<int>(min(max(end, -1.0f) + 1, kRows)) - 1;
  unsigned mask = 0;
  for (int row = static_cast<int>(std::ceil(min(max(begin, 0.0f), kRows))); row <= last; ++row) {
    const float top = first_y + static_cast<float>(row * kSubtileRowPx);
    const EllipseSpan<float> span =
        ellipse_span(s.form, s.limit, s.extent_x, s.extent_y, top, top + (kRowPx - 1));
    unsigned touched = 0;
    for (int column = 0; column < kSubtileColumns; ++column) {
      const float left = first_x + static_cast<float>(column * kSubtileColumnPx);
      const float right = left + static_cast<float>(kSubtileColumnPx - 1);
      if (span.right >= left && span.left <= right) touched |= 1u << column * kStripSubtiles;
    }
    mask |= touched << (row / kStripSubtiles * 16 + row % kStripSubtiles);
  }
  return mask;
}

/// The same, but only the subtiles that also pass the kind's own test of cells, if it has one.
/// `extra`: the splat's further words.
template <class Kind>
MOTE_DEVICE unsigned subtiles_touched(const SplatEllipse& s, float log2_opacity, const float* extra,
                                      int x, int y) {
  unsigned mask = subtiles_touched(s, x, y);
  if constexpr (Kind::kTestsCells) {
    float words[Kind::kExtraWords];
    MOTE_UNROLL
    for (int k = 0; k < Kind::kExtraWords; ++k) words[k] = extra[k];
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const unsigned subtile = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
      const SubtilePlace place = subtile_place(subtile);
      const float first_x = static_cast<float>(x + place.x) + 0.5f - s.mean_x;
      const float first_y = static_cast<float>(y + place.y) + 0.5f - s.mean_y;
      if (!Kind::touches_cell(log2_opacity, words, first_x, first_y,
                              static_cast<float>(kSubtileColumnPx - 1),
                              static_cast<float>(kSubtileRowPx - 1))) {
        mask &= ~(1u << subtile);
      }
    }
  }
  return mask;
}

/// The projected splats of a frame in device memory.
struct RecordSource {
  const SplatRecord* records;
  const float* extras;           // [records][EXTRA]; null if EXTRA is 0
  const std::uint32_t* slot_of;  // record of each index in the file; null: equal
};

MOTE_DEVICE void store_color(float red, float green, float blue, float4& to) {
  to = make_float4(red, green, blue, 0.0f);
}

/// Loads the splat of the key into line threadIdx.x. `Kind` tests the cells; Gaussian for solids.
template <class Kind, int EXTRA, int LINES, class Color>
MOTE_DEVICE void enter_splat(const RecordSource& source, TileKey key, const StripPlace& place,
                             SplatBatch<EXTRA, LINES, Color>& batch) {
  const auto in_file = static_cast<std::uint32_t>(key);
  const std::uint32_t slot = source.slot_of != nullptr ? source.slot_of[in_file] : in_file;
  const SplatRecord& s = source.records[slot];
  const unsigned line = threadIdx.x;
  batch.place[line] = make_float4(s.mean_x, s.mean_y, s.log2_opacity, s.depth);
  const SplatEllipse ellipse = ellipse_of(s);
  batch.shape[line] = make_float4(s.curvature_u, s.shear, s.curvature_y, column_bend(ellipse.form));
  store_color(s.red, s.green, s.blue, batch.color[line]);
  const float* extra = source.extras + std::size_t{slot} * EXTRA;
  batch.mask[line] =
      subtiles_touched<Kind>(ellipse, s.log2_opacity, extra, place.tile_x, place.tile_y);
  if constexpr (EXTRA > 0) {
    MOTE_UNROLL
    for (int k = 0; k < EXTRA; ++k) batch.extra[k][line] = extra[k];
  }
}

/// The bits of a mask for the calling warp, which has `SUBTILES` consecutive subtiles, shifted to
/// the lowest bits.
template <int SUBTILES = kStripSubtiles>
MOTE_DEVICE unsigned own_subtiles(unsigned mask) {
  return mask >> (threadIdx.x / kWarp * SUBTILES) & ((1u << SUBTILES) - 1);
}

/// For each subtile of the calling warp, the lines of a group of 32 that touch it. All lanes have
/// the same; since they come from votes, the compiler knows that branches on them do not diverge.
template <int SUBTILES = kStripSubtiles>
struct TouchingLines {
  unsigned lines[SUBTILES];

  MOTE_LANE unsigned any() const {
    unsigned some = 0;
    MOTE_UNROLL
    for (const unsigned touching : lines) some |= touching;
    return some;
  }
};

/// `own`: the subtiles that the line with the lane's number touches. All lanes must call.
template <int SUBTILES = kStripSubtiles>
MOTE_DEVICE TouchingLines<SUBTILES> touching_lines(unsigned own) {
  TouchingLines<SUBTILES> touching{};
  MOTE_UNROLL
  for (int j = 0; j < SUBTILES; ++j) {
    touching.lines[j] = __ballot_sync(kWholeWarp, (own & 1u << j) != 0);
  }
  return touching;
}

}  // namespace mote::cuda
