#pragma once

// Determines the macro tiles that a splat touches. For kernels.

#include "cuda/kernels/frame.h"
#include "cuda/runtime/dialect.h"
#include "lanes/pinned.h"
#include "splats/kinds/ellipse.h"

namespace mote::cuda {

/// Number of macro tiles in the rectangle of a visible splat.
MOTE_DEVICE unsigned slot_count(MacroRect rect) {
  return static_cast<unsigned>(rect.last_column - rect.first_column + 1) *
         static_cast<unsigned>(rect.last_row - rect.first_row + 1);
}

/// The parts of a splat's ellipse that binning needs.
struct SplatEllipse {
  float mean_x, mean_y, limit, extent_x, extent_y;
  EllipseForm<float> form;
};

MOTE_DEVICE SplatEllipse ellipse_of(const SplatRecord& s) {
  const float limit = (PinnedFloat(s.log2_opacity) - PinnedFloat(kLog2AlphaMin)).value;
  return {s.mean_x,
          s.mean_y,
          limit,
          s.extent_x,
          sqrt(limit / s.curvature_y),
          {s.curvature_u, s.shear, s.curvature_y, s.shear_x}};
}

struct ColumnSpan {
  int first, last;  // first > last if the ellipse does not meet the row
};

/// The macro tiles that the ellipse touches in one row of its rectangle. Projection counts them and
/// filing lists them, so both must get the same ones.
MOTE_DEVICE ColumnSpan columns_in_row(const SplatEllipse& s, MacroRect rect, int row) {
  using F = PinnedFloat;
  constexpr float kPx = kMacroPx;
  const F top = F(static_cast<float>(row)) * F(kPx) - F(s.mean_y);
  const EllipseForm<F> form{s.form.curvature_u, s.form.shear, s.form.curvature_y, s.form.shear_x};
  const EllipseSpan<F> span =
      ellipse_span<F>(form, s.limit, s.extent_x, s.extent_y, top, top + F(kPx));
  const F first(rect.first_column), last(rect.last_column);
  const F left = (F(s.mean_x) + span.left) / F(kPx), right = (F(s.mean_x) + span.right) / F(kPx);
  if (right < first || left > last + F(1.0f)) return {1, 0};
  return {static_cast<int>(min(max(left, first), last).value),
          static_cast<int>(min(max(right, first), last).value)};
}

MOTE_DEVICE SplatEllipse from_lane(const SplatEllipse& s, int lane) {
  const auto get = [&](float value) { return __shfl_sync(kWholeWarp, value, lane); };
  return {
      get(s.mean_x),
      get(s.mean_y),
      get(s.limit),
      get(s.extent_x),
      get(s.extent_y),
      {get(s.form.curvature_u), get(s.form.shear), get(s.form.curvature_y), get(s.form.shear_x)}};
}

/// Whether the rows of a visible splat are distributed over the lanes of its warp.
MOTE_DEVICE bool rows_are_shared(MacroRect rect) {
  constexpr int kManyRows = 6;
  return rect.last_row - rect.first_row >= kManyRows;
}

/// Calls visit(key, column, row) for every macro tile that the splats of a warp touch, with the key
/// from the splat's lane. The rows of a large splat are distributed over the lanes, so that one
/// splat over the whole image does not delay its warp. All lanes must call.
template <class Visit>
MOTE_DEVICE void for_each_macro_tile(const SplatEllipse& own, MacroRect rect, bool visible,
                                     TileKey key, const Visit& visit) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const bool many = visible && rows_are_shared(rect);
  if (visible && !many) {
    for (int row = rect.first_row; row <= rect.last_row; ++row) {
      const ColumnSpan span = columns_in_row(own, rect, row);
      for (int column = span.first; column <= span.last; ++column) visit(key, column, row);
    }
  }
  for (unsigned left = __ballot_sync(kWholeWarp, many); left != 0; left &= left - 1) {
    const int source = __ffs(static_cast<int>(left)) - 1;
    const SplatEllipse shared = from_lane(own, source);
    const TileKey shared_key = __shfl_sync(kWholeWarp, key, source);
    const unsigned columns = __shfl_sync(
        kWholeWarp, static_cast<unsigned>(rect.first_column | rect.last_column << 16), source);
    const unsigned rows = __shfl_sync(
        kWholeWarp, static_cast<unsigned>(rect.first_row | rect.last_row << 16), source);
    const MacroRect box{
        static_cast<std::uint16_t>(columns & 0xffff), static_cast<std::uint16_t>(columns >> 16),
        static_cast<std::uint16_t>(rows & 0xffff), static_cast<std::uint16_t>(rows >> 16)};
    for (int row = box.first_row + lane; row <= box.last_row; row += kWarp) {
      const ColumnSpan span = columns_in_row(shared, box, row);
      for (int column = span.first; column <= span.last; ++column) visit(shared_key, column, row);
    }
  }
}

}  // namespace mote::cuda
