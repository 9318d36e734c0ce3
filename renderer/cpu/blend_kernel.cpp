// Tile lists and blending, 4x4 blocks of pixels at a time. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "primitives/gaussian.h"
#include "primitives/gaussian_block.h"

namespace mote::MOTE_ISA {
namespace {

constexpr int kBlocks = 16;       // in a tile, and tiles in a bin
constexpr int kBlockPixels = 16;  // px
constexpr int kPacks = kBlockPixels / kPackLanes;
static_assert(kTilesPerBin == kBlocks && kTilePx == 4 * kPixelBlock);
constexpr float kNever = 1e30f;  // an exponent that no splat reaches

/// Offsets of the 16 cells of a 4x4 grid, row by row.
struct Grid {
  alignas(64) float column[16], row[16];
};

constexpr Grid grid_of(float step) {
  Grid grid{};
  for (int i = 0; i < 16; ++i) {
    grid.column[i] = step * static_cast<float>(i % 4);
    grid.row[i] = step * static_cast<float>(i / 4);
  }
  return grid;
}

constexpr Grid kPixelGrid = grid_of(1), kBlockGrid = grid_of(kPixelBlock),
               kTileGrid = grid_of(kTilePx);

MOTE_LANE LogResponse<Pack> broadcast(const ProjectedSplat& s) {
  return {s.curvature_u, s.shear, s.curvature_y, s.shear_x};
}

/// The state of a tile's pixels, block by block.
struct TileState {
  alignas(64) float transmittance[kBlocks][kBlockPixels];
  alignas(64) float color[3][kBlocks][kBlockPixels];
  // The least exponent that a pixel takes; kNever once it has stopped.
  alignas(64) float least[kBlocks][kBlockPixels];
  alignas(64) float weighted_depth[kBlocks][kBlockPixels];
  alignas(64) float median_depth[kBlocks][kBlockPixels];
};

/// What one splat brings to all blocks of a tile.
struct SplatInTile {
  alignas(64) float constant[kBlocks], slope_u[kBlocks], slope_y[kBlocks];
  Pack basis_u[kPacks], basis_y[kPacks], basis_square[kPacks];
  Pack red, green, blue, depth;
};

/// Stops the pixels that this splat would take below kTransmittanceMin, excluding the splat there.
/// Returns whether all pixels of the block have stopped.
__attribute__((noinline)) bool stop_pixels(float* least, PackMask stop, int pack) {
  float* mine = least + pack * kPackLanes;
  store(select(stop, Pack(kNever), load(mine)), mine);
  for (int i = 0; i < kBlockPixels; ++i) {
    if (least[i] != kNever) return false;
  }
  return true;
}

/// Blends one splat into one block. Returns whether the block is finished.
template <bool DEPTH>
MOTE_LANE bool blend_block(TileState& state, int block, const SplatInTile& splat) {
  bool finished = false;
  const BlockPolynomial<Pack> polynomial{splat.constant[block], splat.slope_u[block],
                                         splat.slope_y[block]};
  for (int pack = 0; pack < kPacks; ++pack) {
    const int at = pack * kPackLanes;
    const BlockBasis<Pack> basis{splat.basis_u[pack], splat.basis_y[pack],
                                 splat.basis_square[pack]};
    const Pack exponent = log2_alpha(polynomial, basis);
    const PackMask touched = exponent >= load(&state.least[block][at]);
    const Pack alpha = min(Pack(kAlphaMax), exp2_bounded(exponent));
    const Pack before = load(&state.transmittance[block][at]);
    Pack weight = keep(touched, alpha * before);
    Pack after = before - weight;
    const PackMask stop = touched & (after < Pack(kTransmittanceMin));
    if (__builtin_expect(any(stop), 0)) {
      weight = select(stop, Pack(0.0f), weight);
      after = select(stop, before, after);
      finished = stop_pixels(state.least[block], stop, pack);
    }
    store(after, &state.transmittance[block][at]);
    const auto add = [&](float* sum, Pack value) { store(fma(weight, value, load(sum)), sum); };
    add(&state.color[0][block][at], splat.red);
    add(&state.color[1][block][at], splat.green);
    add(&state.color[2][block][at], splat.blue);
    if constexpr (DEPTH) {
      add(&state.weighted_depth[block][at], splat.depth);
      float* median = &state.median_depth[block][at];
      const PackMask crosses = (before >= Pack(0.5f)) & (after < Pack(0.5f));
      store(select(crosses, splat.depth, load(median)), median);
    }
  }
  return finished;
}

/// Fills `splat` and returns the blocks of the tile at (x, y) that it touches, a bit each.
MOTE_LANE std::uint32_t enter_tile(const ProjectedSplat& s, float x, float y, SplatInTile& splat) {
  const LogResponse<Pack> response = broadcast(s);
  const Pack limit(s.log2_opacity - kLog2AlphaMin), side(kPixelBlock - 1);
  // Relative to the mean: the first pixel's centre of the tile.
  const Pack first_x(x + 0.5f - s.mean_x), first_y(y + 0.5f - s.mean_y);
  std::uint32_t touched = 0;
  for (int at = 0; at < kBlocks; at += kPackLanes) {
    const Pack x0 = first_x + load(kBlockGrid.column + at);
    const Pack y0 = first_y + load(kBlockGrid.row + at);
    touched |= mask_bits(touches_box(response, limit, x0, x0 + side, y0, y0 + side)) << at;
    const BlockPolynomial<Pack> p = block_polynomial(response, Pack(s.log2_opacity), x0, y0);
    store(p.constant, splat.constant + at);
    store(p.slope_u, splat.slope_u + at);
    store(p.slope_y, splat.slope_y + at);
  }
  for (int pack = 0; pack < kPacks; ++pack) {
    const BlockBasis<Pack> basis =
        block_basis(response, load(kPixelGrid.column + pack * kPackLanes),
                    load(kPixelGrid.row + pack * kPackLanes));
    splat.basis_u[pack] = basis.u;
    splat.basis_y[pack] = basis.y;
    splat.basis_square[pack] = basis.square;
  }
  splat.red = s.red;
  splat.green = s.green;
  splat.blue = s.blue;
  splat.depth = s.depth;
  return touched;
}

/// The blocks that have a pixel in the image, a bit each.
std::uint32_t blocks_inside(int width, int height) {
  std::uint32_t bits = 0;
  for (int block = 0; block < kBlocks; ++block) {
    const bool inside = block % 4 * kPixelBlock < width && block / 4 * kPixelBlock < height;
    bits |= static_cast<std::uint32_t>(inside) << block;
  }
  return bits;
}

void clear(TileState& state) {
  for (int block = 0; block < kBlocks; ++block) {
    for (int i = 0; i < kBlockPixels; i += kPackLanes) {
      store(Pack(1.0f), &state.transmittance[block][i]);
      store(Pack(kLog2AlphaMin), &state.least[block][i]);
      for (auto& channel : state.color) store(Pack(), &channel[block][i]);
      store(Pack(), &state.weighted_depth[block][i]);
      store(Pack(), &state.median_depth[block][i]);
    }
  }
}

template <bool DEPTH>
void write_tile(const TileState& state, const TileParams& params) {
  for (int y = 0; y < params.height; ++y) {
    const std::size_t row = static_cast<std::size_t>(y) * params.row_pixels;
    for (int x = 0; x < params.width; ++x) {
      const int block = y / kPixelBlock * 4 + x / kPixelBlock;
      const int pixel = y % kPixelBlock * 4 + x % kPixelBlock;
      const std::size_t at = row + static_cast<std::size_t>(x);
      const float transmittance = state.transmittance[block][pixel];
      for (std::size_t c = 0; c < 3; ++c) {
        params.rgb[at * 3 + c] =
            state.color[c][block][pixel] + transmittance * params.background[c];
      }
      if (params.alpha != nullptr) params.alpha[at] = 1.0f - transmittance;
      if constexpr (DEPTH) {
        const float weight = 1.0f - transmittance;
        params.depth_expected[at] = weight > 0 ? state.weighted_depth[block][pixel] / weight : 0.0f;
        params.depth_median[at] = state.median_depth[block][pixel];
      }
    }
  }
}

template <bool DEPTH>
std::uint64_t blend(const TileParams& params) {
  TileState state;
  clear(state);
  std::uint32_t open = blocks_inside(params.width, params.height);
  std::uint64_t blocks = 0;
  SplatInTile splat;
  for (std::size_t i = 0; i < params.list_size && open != 0; ++i) {
    const ProjectedSplat& s = params.splats[params.list[i]];
    std::uint32_t touched = enter_tile(s, params.origin_x, params.origin_y, splat) & open;
    blocks += static_cast<std::uint64_t>(__builtin_popcount(touched));
    for (; touched != 0; touched &= touched - 1) {
      const int block = __builtin_ctz(touched);
      if (blend_block<DEPTH>(state, block, splat)) open &= ~(1u << block);
    }
  }
  write_tile<DEPTH>(state, params);
  return blocks * kBlockPixels;
}

}  // namespace

void list_tiles(const ProjectedSplat* splats, std::size_t count, float x, float y,
                std::uint32_t* lists, std::uint32_t* sizes) {
  const Pack side(kTilePx - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const ProjectedSplat& s = splats[i];
    const LogResponse<Pack> response = broadcast(s);
    const Pack limit(s.log2_opacity - kLog2AlphaMin);
    const Pack first_x(x + 0.5f - s.mean_x), first_y(y + 0.5f - s.mean_y);
    std::uint32_t touched = 0;
    for (int at = 0; at < kBlocks; at += kPackLanes) {
      const Pack x0 = first_x + load(kTileGrid.column + at);
      const Pack y0 = first_y + load(kTileGrid.row + at);
      touched |= mask_bits(touches_box(response, limit, x0, x0 + side, y0, y0 + side)) << at;
    }
    for (; touched != 0; touched &= touched - 1) {
      const auto tile = static_cast<std::size_t>(__builtin_ctz(touched));
      lists[tile * count + sizes[tile]++] = static_cast<std::uint32_t>(i);
    }
  }
}

std::uint64_t blend_tile(const TileParams& params) {
  return params.depth_expected != nullptr ? blend<true>(params) : blend<false>(params);
}

}  // namespace mote::MOTE_ISA
