#pragma once

// A batch of a tile's list, for forward and backward blending: the blocks that each splat touches
// and the value of its form there. Only kernel files include this.

#include "cpu/grid_lists.h"
#include "lanes/pack.h"
#include "pipeline/blend.h"
#include "splats/kinds/kind.h"

namespace mote::MOTE_ISA {

inline constexpr int kBlocks = kGridCells;  // per tile
inline constexpr int kBlockPixels = kPixelBlock * kPixelBlock;
inline constexpr int kBatch = 64;  // splats; their data fit into L1
static_assert(kTilesPerBin == kGridCells && kTilePx == kGridSide * kPixelBlock);

/// The exponents of a kind whose form is its exponent: those for which exp2_scaled() is made.
struct ScaledExponent {
  static MOTE_LANE Pack alpha(Pack exponent) { return exp2_scaled(exponent); }
  static constexpr float kLeast = (kLog2AlphaMin - kExponentOrigin) * kExponentScale;
};

template <class Kind>
using ExponentOf = std::conditional_t<Kind::kFormIsExponent, ScaledExponent, Log2Exponent>;

/// The coefficients of q, with q in the unit of ExponentOf<Kind>.
template <class F>
struct ScaledForm {
  EllipseForm<F> form;
  F log2_opacity;
};

template <class Kind, class F>
MOTE_LANE ScaledForm<F> scaled_form(const EllipseForm<F>& form, F log2_opacity) {
  if constexpr (!Kind::kFormIsExponent) return {form, log2_opacity};
  const F scale(kExponentScale);
  return {{form.curvature_u * scale, form.shear, form.curvature_y * scale, form.shear_x},
          (log2_opacity - F(kExponentOrigin)) * scale};
}

/// The data of a batch of splats for a tile.
struct Batch {
  // BlockPolynomial of each splat in each block.
  alignas(64) float constant[kBlocks][kBatch], slope_u[kBlocks][kBatch];
  alignas(64) float slope_y[kGridSide][kBatch];  // the same for a whole row of blocks
  // BlockBasis of each splat; its y is kPixel.row.
  alignas(64) float basis_u[kBatch][kBlockPixels], basis_square[kBatch][kBlockPixels];
  const ProjectedSplat* splats[kBatch];
  // The splats that touch each block, with space for the overhang of append_numbers().
  std::uint32_t touching[kBlocks][kBatch + 16];
  std::size_t touching_size[kBlocks];
  // The blocks that each splat touches, as a bit mask.
  alignas(64) std::uint32_t blocks[kBatch];
};

struct PixelOffsets {
  alignas(64) float column[kBlockPixels], row[kBlockPixels];
};

constexpr PixelOffsets pixel_offsets() {
  PixelOffsets offsets{};
  for (int i = 0; i < kBlockPixels; ++i) {
    offsets.column[i] = static_cast<float>(i % kPixelBlock);
    offsets.row[i] = static_cast<float>(i / kPixelBlock);
  }
  return offsets;
}

constexpr PixelOffsets kPixel = pixel_offsets();

alignas(64) constexpr std::uint32_t kIota[kBatch] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/// One splat as blending reads it, the same in all lanes.
template <class Kind>
MOTE_LANE BlendedSplat<Kind, Pack> blended_splat(const ProjectedSplat& s, const float* extra) {
  BlendedSplat<Kind, Pack> splat{
      {s.curvature_u, s.shear, s.curvature_y, s.shear_x}, s.log2_opacity, s.depth, {}};
  if constexpr (Kind::kExtraWords > 0) {
    for (int k = 0; k < Kind::kExtraWords; ++k) splat.extra.value[k] = Pack(extra[k]);
  }
  return splat;
}

/// The additional words of a splat of the tile's bin; null if the kind has none.
template <class Kind, class Params>
MOTE_LANE const float* extra_of(const Params& params, const ProjectedSplat& s) {
  if constexpr (Kind::kExtraWords == 0) return nullptr;
  return params.extras + (&s - params.splats) * Kind::kExtraWords;
}

/// The tile of the batch: its bin's splats with their additional words, and its first pixel.
struct BatchTile {
  const ProjectedSplat* splats;
  const float* extras;
  float origin_x, origin_y;  // px
};

/// The lists that a pass needs: the splats of each block, or the blocks of each splat.
enum class BatchFor { blocks, splats };

/// Fills `batch` with the splats list[0 .. count). `list` must be readable up to a whole pack.
template <class Kind, BatchFor FOR>
MOTE_LANE void enter_batch(BatchTile tile, const std::uint32_t* list, std::size_t count,
                           Batch& batch) {
  for (std::size_t& size : batch.touching_size) size = 0;
  for (std::size_t at = 0; at < count; at += kPackLanes) {
    const PackMask valid = first_lanes(count - at);
    const auto splats = gather_splats<Kind>(tile.splats, tile.extras, list + at, valid);
    const auto scaled = scaled_form<Kind>(splats.form, splats.log2_opacity);
    const hn::RebindToUnsigned<PackTag> bits_tag;
    auto blocks = hn::Zero(bits_tag);
    visit_cells<kPixelBlock>(
        splats, valid, tile.origin_x, tile.origin_y,
        [&](int block, Pack x, Pack y, PackMask touched) {
          const BlockPolynomial<Pack> p = block_polynomial(scaled.form, scaled.log2_opacity, x, y);
          store(p.constant, &batch.constant[block][at]);
          store(p.slope_u, &batch.slope_u[block][at]);
          if (block % kGridSide == 0) store(p.slope_y, &batch.slope_y[block / kGridSide][at]);
          if constexpr (FOR == BatchFor::blocks) {
            std::size_t& size = batch.touching_size[block];
            size += append_numbers(touched, kIota + at, batch.touching[block] + size);
          } else {
            const auto bit = hn::Set(bits_tag, std::uint32_t{1} << block);
            blocks =
                hn::Or(blocks, hn::IfThenElseZero(hn::RebindMask(bits_tag, touched.value), bit));
          }
        });
    if constexpr (FOR == BatchFor::splats) hn::Store(blocks, bits_tag, batch.blocks + at);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ProjectedSplat& s = tile.splats[list[i]];
    batch.splats[i] = &s;
    const EllipseForm<float> stored{s.curvature_u, s.shear, s.curvature_y, s.shear_x};
    const EllipseForm<float> scaled = scaled_form<Kind>(stored, s.log2_opacity).form;
    const EllipseForm<Pack> form{scaled.curvature_u, scaled.shear, scaled.curvature_y, {}};
    for (int at = 0; at < kBlockPixels; at += kPackLanes) {
      const BlockBasis<Pack> basis =
          block_basis(form, load(kPixel.column + at), load(kPixel.row + at));
      store(basis.u, &batch.basis_u[i][at]);
      store(basis.square, &batch.basis_square[i][at]);
    }
  }
}

}  // namespace mote::MOTE_ISA
