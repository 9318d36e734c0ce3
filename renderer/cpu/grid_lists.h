#pragma once

// Determines which of the 4x4 cells of a square each splat touches, for a pack of splats at a time.
// The square is a bin with its tiles, or a tile with its blocks. Only kernel files include this.

#include "cpu/kernels.h"
#include "lanes/pack.h"
#include "splats/kinds/kind.h"

namespace mote::MOTE_ISA {

inline constexpr int kGridSide = 4;
inline constexpr int kGridCells = kGridSide * kGridSide;

/// The data of a pack of splats for a grid.
template <class Kind>
struct SplatPack {
  Pack mean_x, mean_y, log2_opacity;
  EllipseForm<Pack> form;
  Words<Pack, Kind::kTestsCells ? Kind::kExtraWords : 0> extra;
};

/// The first `count` lanes.
MOTE_LANE PackMask first_lanes(std::size_t count) {
  return {hn::FirstN(PackTag(), count)};
}

/// Gathers the splats numbers[0 .. kPackLanes), and splat 0 for lanes that are not `valid`. Reads
/// `extras` only for kinds that test cells.
template <class Kind>
MOTE_LANE SplatPack<Kind> gather_splats(const ProjectedSplat* splats, const float* extras,
                                        const std::uint32_t* numbers, PackMask valid) {
  const PackTag tag;
  const hn::RebindToUnsigned<PackTag> integer_tag;
  constexpr std::uint32_t kFloats = sizeof(ProjectedSplat) / sizeof(float);
  const auto number =
      hn::IfThenElseZero(hn::RebindMask(integer_tag, valid.value), hn::LoadU(integer_tag, numbers));
  alignas(64) std::uint32_t offsets[kPackLanes];
  hn::Store(hn::Mul(number, hn::Set(integer_tag, kFloats)), integer_tag, offsets);
  // The fields in their order in memory.
  const float* fields = &splats->mean_x;
  const PackQuad low = load_quads(fields, offsets), high = load_quads(fields + 4, offsets);
  SplatPack<Kind> pack{
      low.first, low.second, high.third, {low.third, low.fourth, high.first, high.second}, {}};
  if constexpr (Kind::kTestsCells) {
    const hn::RebindToSigned<PackTag> signed_tag;
    const auto first =
        hn::BitCast(signed_tag, hn::Mul(number, hn::Set(integer_tag, Kind::kExtraWords)));
    for (int k = 0; k < Kind::kExtraWords; ++k) {
      pack.extra.value[k] = Pack(hn::GatherIndex(tag, extras + k, first));
    }
  }
  return pack;
}

/// Appends those of kPackLanes `numbers` whose lane is set to `list`. Returns the number appended.
/// Always writes kPackLanes numbers. A compressing store to memory would write fewer, but AMD's Zen
/// 4 runs it as microcode, and a frame would take 1.5 times as long.
MOTE_LANE std::size_t append_numbers(PackMask mask, const std::uint32_t* numbers,
                                     std::uint32_t* list) {
  const hn::RebindToUnsigned<PackTag> tag;
  const auto set = hn::RebindMask(tag, mask.value);
  hn::StoreU(hn::Compress(hn::LoadU(tag, numbers), set), tag, list);
  return hn::CountTrue(tag, set);
}

/// Calls visit(cell, x, y, mask) for each cell of the grid at (x, y) px; cells have CELL_PX pixels
/// per side. The visited (x, y) is the centre of the cell's first pixel relative to each splat's
/// mean. The mask marks the `valid` splats that touch the cell.
template <int CELL_PX, class Kind, class Visit>
MOTE_LANE void visit_cells(const SplatPack<Kind>& splat, PackMask valid, float x, float y,
                           const Visit& visit) {
  const Pack limit = splat.log2_opacity - Pack(kLog2AlphaMin), side(CELL_PX - 1);
  const Pack first_x = Pack(x + 0.5f) - splat.mean_x, first_y = Pack(y + 0.5f) - splat.mean_y;
  for (int row = 0; row < kGridSide; ++row) {
    const Pack y0 = first_y + Pack(static_cast<float>(row * CELL_PX));
    for (int column = 0; column < kGridSide; ++column) {
      const Pack x0 = first_x + Pack(static_cast<float>(column * CELL_PX));
      PackMask touched = valid & touches_box(splat.form, limit, x0, x0 + side, y0, y0 + side);
      if constexpr (Kind::kTestsCells) {
        touched =
            touched & Kind::touches_cell(splat.log2_opacity, splat.extra.value, x0, y0, side, side);
      }
      visit(row * kGridSide + column, x0, y0, touched);
    }
  }
}

}  // namespace mote::MOTE_ISA
