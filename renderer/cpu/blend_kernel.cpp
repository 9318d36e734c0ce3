// Tile lists and blending. Compiled once per instruction set.
//
// A tile is blended in batches of its list. Per batch, first a pack of splats at a time finds the
// 4x4-pixel blocks that each splat touches and its exponent there; then block by block a pack of
// pixels at a time goes through the splats that touch it, its state in registers. Neither half has
// a branch that the processor cannot foresee.

#include <hwy/cache_control.h>

#include "cpu/grid_lists.h"
#include "cpu/isa_kernels.h"
#include "cpu/tile_batch.h"
#include "lanes/pack.h"
#include "primitives/gaussian.h"
#include "primitives/gaussian_block.h"

namespace mote::MOTE_ISA {
namespace {

/// The state of a tile's pixels, block by block.
struct TileState {
  alignas(64) float transmittance[kBlocks][kBlockPixels];
  alignas(64) float color[3][kBlocks][kBlockPixels];
  // The least exponent that a pixel takes; kNeverTouched once it has stopped.
  alignas(64) float least[kBlocks][kBlockPixels];
  alignas(64) float weighted_depth[kBlocks][kBlockPixels];
  alignas(64) float median_depth[kBlocks][kBlockPixels];
};

/// Blends the batch into one pack of pixels of a block. Returns whether all of them have stopped.
template <bool DEPTH>
MOTE_LANE bool blend_pixels(TileState& state, const Batch& batch, int block, int at) {
  PixelForward<Pack> pixel{load(&state.transmittance[block][at]), load(&state.least[block][at])};
  Pack red = load(&state.color[0][block][at]), green = load(&state.color[1][block][at]),
       blue = load(&state.color[2][block][at]);
  Pack depth = load(&state.weighted_depth[block][at]),
       median = load(&state.median_depth[block][at]);
  const Pack row = load(kPixel.row + at);
  bool stopped = false;
  const std::size_t count = batch.touching_size[block];
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = batch.touching[block][k];
    const ProjectedSplat& s = *batch.splats[i];
    const BlockPolynomial<Pack> polynomial{batch.constant[block][i], batch.slope_u[block][i],
                                           batch.slope_y[block / kGridSide][i]};
    const BlockBasis<Pack> basis{load(&batch.basis_u[i][at]), row,
                                 load(&batch.basis_square[i][at])};
    const Pack exponent = log2_alpha(polynomial, basis);
    const Pack before = pixel.transmittance;
    const BlendStep<Pack> step = blend_step(exponent, pixel);
    if (__builtin_expect(step.stopped, 0)) stopped = !any(pixel.least < Pack(kNeverTouched));
    red = fma(step.weight, Pack(s.red), red);
    green = fma(step.weight, Pack(s.green), green);
    blue = fma(step.weight, Pack(s.blue), blue);
    if constexpr (DEPTH) {
      depth = fma(step.weight, Pack(s.depth), depth);
      median = select((before >= Pack(0.5f)) & (pixel.transmittance < Pack(0.5f)), Pack(s.depth),
                      median);
    }
    if (__builtin_expect(stopped, 0)) break;
  }
  store(pixel.transmittance, &state.transmittance[block][at]);
  store(pixel.least, &state.least[block][at]);
  store(red, &state.color[0][block][at]);
  store(green, &state.color[1][block][at]);
  store(blue, &state.color[2][block][at]);
  if constexpr (DEPTH) {
    store(depth, &state.weighted_depth[block][at]);
    store(median, &state.median_depth[block][at]);
  }
  return stopped || !any(pixel.least < Pack(kNeverTouched));
}

/// Marks the pixels outside the image as stopped. Returns the blocks that have a pixel inside, a
/// bit each.
template <bool DEPTH>
std::uint32_t clear(TileState& state, int width, int height) {
  std::uint32_t inside = 0;
  for (int block = 0; block < kBlocks; ++block) {
    for (int i = 0; i < kBlockPixels; i += kPackLanes) {
      store(Pack(1.0f), &state.transmittance[block][i]);
      store(Pack(kLog2AlphaMin), &state.least[block][i]);
      for (auto& channel : state.color) store(Pack(), &channel[block][i]);
      if constexpr (DEPTH) {
        store(Pack(), &state.weighted_depth[block][i]);
        store(Pack(), &state.median_depth[block][i]);
      }
    }
    const int x = block % kGridSide * kPixelBlock, y = block / kGridSide * kPixelBlock;
    if (x < width && y < height) inside |= 1u << block;
    if (x + kPixelBlock <= width && y + kPixelBlock <= height) continue;
    for (int i = 0; i < kBlockPixels; ++i) {
      if (x + i % kPixelBlock >= width || y + i / kPixelBlock >= height) {
        state.least[block][i] = kNeverTouched;
      }
    }
  }
  return inside;
}

/// The colours of a tile's pixels as the frame holds them: [kTilePx][kTilePx][3].
struct TileColors {
  alignas(64) float rgb[kTilePx][kTilePx * 3];
};

void finish_colors(const TileState& state, const float* background, TileColors& colors) {
  const hn::FixedTag<float, kPixelBlock> four;
  const auto behind = [&](std::size_t c) { return hn::Set(four, background[c]); };
  const auto red = behind(0), green = behind(1), blue = behind(2);
  for (int block = 0; block < kBlocks; ++block) {
    for (int y = 0; y < kPixelBlock; ++y) {
      const int pixel = y * kPixelBlock;
      const auto transmittance = hn::Load(four, &state.transmittance[block][pixel]);
      const auto channel = [&](std::size_t c, auto color) {
        return hn::MulAdd(transmittance, color, hn::Load(four, &state.color[c][block][pixel]));
      };
      hn::StoreInterleaved3(
          channel(0, red), channel(1, green), channel(2, blue), four,
          &colors.rgb[block / kGridSide * kPixelBlock + y][block % kGridSide * kPixelBlock * 3]);
    }
  }
}

/// A whole tile on a cache line's boundary goes past the caches, which saves reading the frame in
/// to overwrite it: a frame is larger than they are.
void write_colors(const TileColors& colors, const TileParams& params) {
  constexpr std::size_t kRow = kTilePx * 3;
  const bool whole_lines = params.width == kTilePx && params.row_pixels % kTilePx == 0;
  for (int y = 0; y < params.height; ++y) {
    float* out = params.rgb + static_cast<std::size_t>(y) * params.row_pixels * 3;
    if (whole_lines) {
      for (std::size_t i = 0; i < kRow; i += kPackLanes) {
        hn::Stream(load(colors.rgb[y] + i).value, PackTag(), out + i);
      }
    } else {
      __builtin_memcpy(out, colors.rgb[y],
                       static_cast<std::size_t>(params.width) * 3 * sizeof(float));
    }
  }
}

/// The colours with the background behind them, channel by channel.
void write_planes(const TileState& state, const TileParams& params) {
  const hn::FixedTag<float, kPixelBlock> four;
  for (int block = 0; block < kBlocks; ++block) {
    const int x = block % kGridSide * kPixelBlock, first_y = block / kGridSide * kPixelBlock;
    for (int row = 0; row < kPixelBlock && first_y + row < params.height; ++row) {
      const int pixel = row * kPixelBlock;
      const auto transmittance = hn::Load(four, &state.transmittance[block][pixel]);
      const std::size_t at = static_cast<std::size_t>(first_y + row) * params.plane_stride +
                             static_cast<std::size_t>(x);
      for (std::size_t c = 0; c < 3; ++c) {
        // Planes have room for whole tiles in a row.
        hn::Store(hn::MulAdd(transmittance, hn::Set(four, params.background[c]),
                             hn::Load(four, &state.color[c][block][pixel])),
                  four, params.planes[c] + at);
      }
      hn::Store(transmittance, four, params.transmittance + at);
    }
  }
}

template <bool DEPTH>
void write_alpha_and_depth(const TileState& state, const TileParams& params) {
  for (int y = 0; y < params.height; ++y) {
    for (int x = 0; x < params.width; ++x) {
      const int block = y / kPixelBlock * kGridSide + x / kPixelBlock;
      const int pixel = y % kPixelBlock * kPixelBlock + x % kPixelBlock;
      const std::size_t at =
          static_cast<std::size_t>(y) * params.row_pixels + static_cast<std::size_t>(x);
      const float weight = 1.0f - state.transmittance[block][pixel];
      if (params.alpha != nullptr) params.alpha[at] = weight;
      if constexpr (DEPTH) {
        params.depth_expected[at] = weight > 0 ? state.weighted_depth[block][pixel] / weight : 0.0f;
        params.depth_median[at] = state.median_depth[block][pixel];
      }
    }
  }
}

/// The background, where no splat comes.
void fill(const TileParams& params) {
  TileColors colors;
  for (float(&row)[kTilePx * 3] : colors.rgb) {
    for (int i = 0; i < kTilePx * 3; ++i) row[i] = params.background[i % 3];
  }
  write_colors(colors, params);
  for (float* plane : {params.alpha, params.depth_expected, params.depth_median}) {
    if (plane == nullptr) continue;
    for (int y = 0; y < params.height; ++y) {
      __builtin_memset(plane + static_cast<std::size_t>(y) * params.row_pixels, 0,
                       static_cast<std::size_t>(params.width) * sizeof(float));
    }
  }
}

template <bool DEPTH>
std::uint64_t blend(const TileParams& params) {
  TileState state;
  Batch batch;
  std::uint32_t open = clear<DEPTH>(state, params.width, params.height);
  std::uint64_t touches = 0;
  for (std::size_t first = 0; first < params.list_size && open != 0; first += kBatch) {
    const std::size_t left = params.list_size - first;
    enter_batch<BatchFor::blocks>({params.splats, params.origin_x, params.origin_y},
                                  params.list + first, left < kBatch ? left : kBatch, batch);
    for (std::uint32_t blocks = open; blocks != 0; blocks &= blocks - 1) {
      const int block = __builtin_ctz(blocks);
      touches += batch.touching_size[block];
      bool stopped = true;
      for (int at = 0; at < kBlockPixels; at += kPackLanes) {
        stopped &= blend_pixels<DEPTH>(state, batch, block, at);
      }
      if (stopped) open &= ~(1u << block);
    }
  }
  if (params.planes[0] != nullptr) {
    write_planes(state, params);
    return touches * kBlockPixels;
  }
  TileColors colors;
  finish_colors(state, params.background, colors);
  write_colors(colors, params);
  if (DEPTH || params.alpha != nullptr) write_alpha_and_depth<DEPTH>(state, params);
  return touches * kBlockPixels;
}

}  // namespace

void list_tiles(const ProjectedSplat* splats, std::size_t count, float x, float y,
                const std::uint32_t* numbers, std::uint32_t* lists, std::size_t list_room,
                std::size_t* sizes) {
  for (std::size_t at = 0; at < count; at += kPackLanes) {
    const PackMask valid = first_lanes(count - at);
    visit_cells<kTilePx>(gather_splats(splats, numbers + at, valid), valid, x, y,
                         [&](int tile, Pack, Pack, PackMask touched) {
                           std::size_t& size = sizes[tile];
                           size += append_numbers(
                               touched, numbers + at,
                               lists + static_cast<std::size_t>(tile) * list_room + size);
                         });
  }
}

std::uint64_t blend_tile(const TileParams& params) {
  std::uint64_t evaluations = 0;
  if (params.list_size == 0 && params.planes[0] == nullptr) {
    fill(params);
  } else {
    evaluations = params.depth_expected != nullptr ? blend<true>(params) : blend<false>(params);
  }
  hwy::FlushStream();
  return evaluations;
}

}  // namespace mote::MOTE_ISA
