// Drawing of solid splats. Compiled once per instruction set.
//
// A tile's list is sorted by the nearest point of each splat. A block is therefore done when all
// its pixels show surfaces nearer than the next splat's nearest point.

#include "cpu/isa_kernels.h"
#include "cpu/tile_pixels.h"
#include "splats/kinds/gaussian.h"
#include "splats/kinds/solid.h"

namespace mote::MOTE_ISA {
namespace {

/// Position of a block's first pixel in the image, px.
struct BlockPlace {
  float x, y;
};

/// While a tile is drawn, TileState::weighted_depth holds inverse depth.
template <bool SHADED>
MOTE_LANE void draw_pixels(const SolidTileParams& params, TileState& state, const Batch& batch,
                           int block, int at) {
  const BlockPlace first{
      params.tile.origin_x + static_cast<float>(block % kGridSide * kPixelBlock) + 0.5f,
      params.tile.origin_y + static_cast<float>(block / kGridSide * kPixelBlock) + 0.5f};
  const Pack x = Pack(first.x) + load(kPixel.column + at);
  const Pack y = Pack(first.y) + load(kPixel.row + at);
  const PixelRay<Pack> ray =
      pixel_ray<Pack>(x, y, {params.center_x, params.center_y}, params.focal_x, params.focal_y);
  SolidPixel<Pack> pixel{load(&state.weighted_depth[block][at]),
                         {load(&state.color[0][block][at]), load(&state.color[1][block][at]),
                          load(&state.color[2][block][at])}};
  for (std::size_t k = 0; k < batch.touching_size[block]; ++k) {
    const ProjectedSplat& s = *batch.splats[batch.touching[block][k]];
    const float* surface = params.tile.extras + (&s - params.tile.splats) * kSurfaceWords;
    solid_step<SHADED>(EllipseForm<Pack>{s.curvature_u, s.shear, s.curvature_y, s.shear_x},
                       surface_of<Pack>([&](int word) { return surface[word]; }),
                       Vec3<Pack>{s.red, s.green, s.blue}, x - Pack(s.mean_x), y - Pack(s.mean_y),
                       ray, pixel);
  }
  store(pixel.inverse_depth, &state.weighted_depth[block][at]);
  store(pixel.color.x, &state.color[0][block][at]);
  store(pixel.color.y, &state.color[1][block][at]);
  store(pixel.color.z, &state.color[2][block][at]);
}

/// The blocks in which a pixel may still show a surface at this distance or farther.
std::uint32_t open_blocks(const TileState& state, std::uint32_t blocks, float nearest) {
  std::uint32_t open = 0;
  for (; blocks != 0; blocks &= blocks - 1) {
    const int block = __builtin_ctz(blocks);
    for (int at = 0; at < kBlockPixels; at += kPackLanes) {
      const Pack inverse_depth = load(&state.weighted_depth[block][at]);
      if (any(is_open_at<Pack>(inverse_depth, nearest))) open |= 1u << block;
    }
  }
  return open;
}

/// Converts inverse depths to the state from which the tile's pixels are written.
void finish(TileState& state) {
  for (int block = 0; block < kBlocks; ++block) {
    for (int at = 0; at < kBlockPixels; at += kPackLanes) {
      const Pack inverse_depth = load(&state.weighted_depth[block][at]), one(1.0f);
      const PackMask covered = inverse_depth > Pack();
      const Pack depth = solid_depth(inverse_depth);
      store(depth, &state.weighted_depth[block][at]);
      store(depth, &state.median_depth[block][at]);
      store(keep(covered, one), &state.overdraw[block][at]);
      store(select(covered, Pack(), one), &state.transmittance[block][at]);
    }
  }
}

template <bool SHADED>
std::uint64_t draw(const SolidTileParams& params) {
  const TileParams& tile = params.tile;
  TileState state;
  Batch batch;
  std::uint32_t open = clear<PixelSums{.depth = true, .overdraw = true, .surface = false}>(
      state, tile.width, tile.height);
  std::uint64_t touches = 0;
  for (std::size_t first = 0; first < tile.list_size && open != 0; first += kBatch) {
    open = open_blocks(state, open, tile.splats[tile.list[first]].depth);
    const std::size_t left = tile.list_size - first;
    enter_batch<Gaussian, BatchFor::blocks>({tile.splats, nullptr, tile.origin_x, tile.origin_y},
                                            tile.list + first, left < kBatch ? left : kBatch,
                                            batch);
    for (std::uint32_t blocks = open; blocks != 0; blocks &= blocks - 1) {
      const int block = __builtin_ctz(blocks);
      touches += batch.touching_size[block];
      for (int at = 0; at < kBlockPixels; at += kPackLanes) {
        draw_pixels<SHADED>(params, state, batch, block, at);
      }
    }
  }
  finish(state);
  TileColors colors;
  finish_colors(state, tile.background, colors);
  write_colors(colors, tile);
  write_extras<PixelSums{.depth = true, .overdraw = true, .surface = false}>(state, tile);
  return touches * kBlockPixels;
}

}  // namespace

std::uint64_t draw_solid_tile(const SolidTileParams& params) {
  if (params.tile.list_size == 0) {
    fill(params.tile);
    return 0;
  }
  return params.shaded ? draw<true>(params) : draw<false>(params);
}

}  // namespace mote::MOTE_ISA
