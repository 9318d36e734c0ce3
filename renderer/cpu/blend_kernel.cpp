// Tile lists and blending. Compiled once per instruction set.
//
// A tile is blended in batches of its list. For each batch, packs of splats first determine the
// 4x4-pixel blocks that each splat touches and the value of its form there. Then, block by block,
// packs of pixels go through the splats that touch the block. The pixels' state is in registers.
// Neither part has unpredictable branches.

#include "cpu/grid_lists.h"
#include "cpu/isa_kernels.h"
#include "cpu/tile_pixels.h"
#include "lanes/pack.h"
#include "pipeline/blend.h"
#include "pipeline/surface.h"
#include "splats/kinds/kinds.h"

namespace mote::MOTE_ISA {
namespace {

/// Blends the batch into one pack of pixels of a block. Returns whether all of them have stopped.
template <class Kind, PixelSums SUMS>
MOTE_LANE bool blend_pixels(const TileParams& params, const Pinhole<Pack>& camera, TileState& state,
                            const Batch& batch, int block, int at) {
  PixelForward<Pack> pixel{load(&state.transmittance[block][at]), load(&state.least[block][at])};
  Vec3<Pack> color{load(&state.color[0][block][at]), load(&state.color[1][block][at]),
                   load(&state.color[2][block][at])};
  PixelDepth<Pack> depth{load(&state.weighted_depth[block][at]),
                         load(&state.median_depth[block][at])};
  Pack overdraw = load(&state.overdraw[block][at]);
  Pack surface[kSurfaceSums];
  if constexpr (SUMS.surface) {
    for (int k = 0; k < kSurfaceSums; ++k) surface[k] = load(&state.surface[k][block][at]);
  }
  const Pack row = load(kPixel.row + at);
  const Pack x =
      Pack(params.origin_x + static_cast<float>(block % kGridSide * kPixelBlock) + 0.5f) +
      load(kPixel.column + at);
  const Pack y =
      Pack(params.origin_y + static_cast<float>(block / kGridSide * kPixelBlock) + 0.5f) + row;
  bool stopped = false;
  const std::size_t count = batch.touching_size[block];
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = batch.touching[block][k];
    const ProjectedSplat& s = *batch.splats[i];
    const BlockPolynomial<Pack> polynomial{batch.constant[block][i], batch.slope_u[block][i],
                                           batch.slope_y[block / kGridSide][i]};
    const BlockBasis<Pack> basis{load(&batch.basis_u[i][at]), row,
                                 load(&batch.basis_square[i][at])};
    const BlendedSplat<Kind, Pack> splat = blended_splat<Kind>(s, extra_of<Kind>(params, s));
    const auto at_pixels =
        Kind::respond(splat, form_value(polynomial, basis), x - Pack(s.mean_x), y - Pack(s.mean_y));
    const Pack before = pixel.transmittance;
    const BlendStep<Pack> step = blend_step(Kind::log2_alpha(at_pixels), pixel);
    if (__builtin_expect(step.stopped, 0)) stopped = !any(pixel.least < Pack(kNeverTouched));
    color = add_color(color, step.weight, {s.red, s.green, s.blue});
    if constexpr (SUMS.depth) {
      add_depth(Kind::depth(splat, at_pixels), step.weight, before, pixel.transmittance, depth);
    }
    if constexpr (SUMS.overdraw) overdraw = add_overdraw(overdraw, step.weight);
    if constexpr (SUMS.surface) {
      add_to_surface(SurfacePoint<Pack>{Kind::depth(splat, at_pixels),
                                        Kind::normal(splat, camera, {s.mean_x, s.mean_y})},
                     step.weight, surface);
    }
    if (__builtin_expect(stopped, 0)) break;
  }
  store(pixel.transmittance, &state.transmittance[block][at]);
  store(pixel.least, &state.least[block][at]);
  store(color.x, &state.color[0][block][at]);
  store(color.y, &state.color[1][block][at]);
  store(color.z, &state.color[2][block][at]);
  if constexpr (SUMS.depth) {
    store(depth.weighted, &state.weighted_depth[block][at]);
    store(depth.median, &state.median_depth[block][at]);
  }
  if constexpr (SUMS.overdraw) store(overdraw, &state.overdraw[block][at]);
  if constexpr (SUMS.surface) {
    for (int k = 0; k < kSurfaceSums; ++k) store(surface[k], &state.surface[k][block][at]);
  }
  return stopped || !any(pixel.least < Pack(kNeverTouched));
}

template <PixelSums SUMS>
MOTE_LANE Pinhole<Pack> camera_of(const TileParams& params) {
  if constexpr (SUMS.surface) return view_camera<Pack>(*params.camera).pinhole;
  return {};
}

template <class Kind, PixelSums SUMS>
std::uint64_t blend(const TileParams& params) {
  const Pinhole<Pack> camera = camera_of<SUMS>(params);
  TileState state;
  Batch batch;
  std::uint32_t open = clear<SUMS>(state, params.width, params.height);
  std::uint64_t touches = 0;
  for (std::size_t first = 0; first < params.list_size && open != 0; first += kBatch) {
    const std::size_t left = params.list_size - first;
    enter_batch<Kind, BatchFor::blocks>(
        {params.splats, params.extras, params.origin_x, params.origin_y}, params.list + first,
        left < kBatch ? left : kBatch, batch);
    for (std::uint32_t blocks = open; blocks != 0; blocks &= blocks - 1) {
      const int block = __builtin_ctz(blocks);
      touches += batch.touching_size[block];
      bool stopped = true;
      for (int at = 0; at < kBlockPixels; at += kPackLanes) {
        stopped &= blend_pixels<Kind, SUMS>(params, camera, state, batch, block, at);
      }
      if (stopped) open &= ~(1u << block);
    }
  }
  if (params.planes[0] != nullptr) {
    write_planes<SUMS.surface>(state, params);
    return touches * kBlockPixels;
  }
  TileColors colors;
  finish_colors(state, params.background, colors);
  write_colors(colors, params);
  if (SUMS.depth || SUMS.overdraw || SUMS.surface || params.alpha != nullptr) {
    write_extras<SUMS>(state, params);
  }
  return touches * kBlockPixels;
}

using BlendFunction = std::uint64_t (*)(const TileParams&);

/// Indices: depth, overdraw.
template <class Kind, bool SURFACE>
constexpr BlendFunction kBlend[2][2] = {
    {blend<Kind, PixelSums{false, false, SURFACE}>, blend<Kind, PixelSums{false, true, SURFACE}>},
    {blend<Kind, PixelSums{true, false, SURFACE}>, blend<Kind, PixelSums{true, true, SURFACE}>}};

BlendFunction blend_of(const TileParams& params) {
  const int depth = params.depth_expected != nullptr ? 1 : 0;
  const int overdraw = params.overdraw != nullptr ? 1 : 0;
  return visit_kind(params.kind, [&]<class Kind>() -> BlendFunction {
    if constexpr (Kind::kIsSurface) {
      if (params.normal != nullptr || params.surface[0] != nullptr) {
        return kBlend<Kind, true>[depth][overdraw];
      }
    }
    return kBlend<Kind, false>[depth][overdraw];
  });
}

/// Lists tiles with the tests of the kind.
template <class Kind>
void list_tiles_of(const ListParams& params, std::uint32_t* lists, std::size_t* sizes) {
  for (std::size_t at = 0; at < params.count; at += kPackLanes) {
    const PackMask valid = first_lanes(params.count - at);
    visit_cells<kTilePx>(
        gather_splats<Kind>(params.splats, params.extras, params.numbers + at, valid), valid,
        params.x, params.y, [&](int tile, Pack, Pack, PackMask touched) {
          std::size_t& size = sizes[tile];
          size +=
              append_numbers(touched, params.numbers + at,
                             lists + static_cast<std::size_t>(tile) * params.list_capacity + size);
        });
  }
}

}  // namespace

void list_tiles(const ListParams& params, std::uint32_t* lists, std::size_t* sizes) {
  visit_kind(params.kind, [&]<class Kind>() {
    if constexpr (Kind::kTestsCells) {
      if (!params.solid) return list_tiles_of<Kind>(params, lists, sizes);
    }
    list_tiles_of<Gaussian>(params, lists, sizes);
  });
}

std::uint64_t blend_tile(const TileParams& params) {
  if (params.list_size == 0 && params.planes[0] == nullptr) {
    fill(params);
    return 0;
  }
  return blend_of(params)(params);
}

}  // namespace mote::MOTE_ISA
