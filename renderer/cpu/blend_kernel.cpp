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

/// One pack of pixels of a block, whose state is in registers while a batch is blended into it.
template <class Kind, PixelSums SUMS>
class PixelPack {
 public:
  MOTE_LANE PixelPack(const TileParams& params, const Pinhole<Pack>& camera, const Batch& batch,
                      int block, int at)
      : params_(params), camera_(camera), batch_(batch), block_(block), at_(at) {
    row_ = load(kPixel.row + at);
    x_ = Pack(params.origin_x + static_cast<float>(block % kGridSide * kPixelBlock) + 0.5f) +
         load(kPixel.column + at);
    y_ = Pack(params.origin_y + static_cast<float>(block / kGridSide * kPixelBlock) + 0.5f) + row_;
  }

  MOTE_LANE void load_from(const TileState& state);
  MOTE_LANE void store_to(TileState& state) const;

  /// Blends the batch. Returns whether all pixels have stopped.
  MOTE_LANE bool blend_batch() {
    const std::size_t count = batch_.touching_size[block_];
    if (count == 0) return have_stopped();
    // Each splat's alpha is computed while the splat before is blended. The transmittance is then
    // all that its blending waits for, so that fewer operations wait in the processor.
    SplatAtPixels now = evaluate(0);
    for (std::size_t k = 1; k < count; ++k) {
      const SplatAtPixels next = evaluate(k);
      blend(now);
      if (k % kStopCheck == 0 && have_stopped()) return true;
      now = next;
    }
    blend(now);
    return have_stopped();
  }

 private:
  static constexpr std::size_t kStopCheck =
      8;  // number of splats between checks for a stopped block

  /// A splat at the pixels, as far as it does not depend on those before.
  struct SplatAtPixels {
    const ProjectedSplat* projected;
    BlendedSplat<Kind, Pack> splat;
    typename Kind::template At<Pack> response;
    Pack alpha;
  };

  /// The k-th of the splats that touch the block.
  MOTE_LANE SplatAtPixels evaluate(std::size_t k) const {
    const std::uint32_t i = batch_.touching[block_][k];
    const ProjectedSplat& s = *batch_.splats[i];
    const BlockPolynomial<Pack> polynomial{batch_.constant[block_][i], batch_.slope_u[block_][i],
                                           batch_.slope_y[block_ / kGridSide][i]};
    const BlockBasis<Pack> basis{load(&batch_.basis_u[i][at_]), row_,
                                 load(&batch_.basis_square[i][at_])};
    const BlendedSplat<Kind, Pack> splat = blended_splat<Kind>(s, extra_of<Kind>(params_, s));
    const auto response = Kind::respond(splat, form_value(polynomial, basis), x_ - Pack(s.mean_x),
                                        y_ - Pack(s.mean_y));
    return {&s, splat, response,
            blend_alpha<ExponentOf<Kind>>(Kind::log2_alpha(response), pixel_.open)};
  }

  MOTE_LANE void blend(const SplatAtPixels& at) {
    const ProjectedSplat& s = *at.projected;
    [[maybe_unused]] const Pack before = pixel_.running;
    const Pack weight = blend_with_alpha(at.alpha, pixel_);
    color_ = add_color(color_, weight, {s.red, s.green, s.blue});
    if constexpr (SUMS.depth) {
      add_depth(Kind::depth(at.splat, at.response), weight, before, pixel_.running, depth_);
    }
    if constexpr (SUMS.overdraw) overdraw_ = add_overdraw(overdraw_, weight);
    if constexpr (SUMS.surface) {
      add_to_surface(SurfacePoint<Pack>{Kind::depth(at.splat, at.response),
                                        Kind::normal(at.splat, camera_, {s.mean_x, s.mean_y})},
                     weight, surface_);
    }
  }

  MOTE_LANE bool have_stopped() const { return !any(pixel_.open); }

  const TileParams& params_;
  const Pinhole<Pack>& camera_;
  const Batch& batch_;
  int block_, at_;
  Pack row_, x_, y_;  // row: in the block; (x, y): in the image
  LaneForward<Pack> pixel_;
  Vec3<Pack> color_;
  PixelDepth<Pack> depth_;
  Pack overdraw_;
  Pack surface_[kSurfaceSums];
};

template <class Kind, PixelSums SUMS>
MOTE_LANE void PixelPack<Kind, SUMS>::load_from(const TileState& state) {
  const Pack transmittance = load(&state.transmittance[block_][at_]);
  pixel_ = {transmittance, transmittance, load(&state.open[block_][at_]) > Pack(0.0f)};
  color_ = {load(&state.color[0][block_][at_]), load(&state.color[1][block_][at_]),
            load(&state.color[2][block_][at_])};
  if constexpr (SUMS.depth) {
    depth_ = {load(&state.weighted_depth[block_][at_]), load(&state.median_depth[block_][at_])};
  }
  if constexpr (SUMS.overdraw) overdraw_ = load(&state.overdraw[block_][at_]);
  if constexpr (SUMS.surface) {
    for (int k = 0; k < kSurfaceSums; ++k) surface_[k] = load(&state.surface[k][block_][at_]);
  }
}

template <class Kind, PixelSums SUMS>
MOTE_LANE void PixelPack<Kind, SUMS>::store_to(TileState& state) const {
  store(pixel_.transmittance, &state.transmittance[block_][at_]);
  store(keep(pixel_.open, Pack(1.0f)), &state.open[block_][at_]);
  store(color_.x, &state.color[0][block_][at_]);
  store(color_.y, &state.color[1][block_][at_]);
  store(color_.z, &state.color[2][block_][at_]);
  if constexpr (SUMS.depth) {
    store(depth_.weighted, &state.weighted_depth[block_][at_]);
    store(depth_.median, &state.median_depth[block_][at_]);
  }
  if constexpr (SUMS.overdraw) store(overdraw_, &state.overdraw[block_][at_]);
  if constexpr (SUMS.surface) {
    for (int k = 0; k < kSurfaceSums; ++k) store(surface_[k], &state.surface[k][block_][at_]);
  }
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
        PixelPack<Kind, SUMS> pixels(params, camera, batch, block, at);
        pixels.load_from(state);
        stopped &= pixels.blend_batch();
        pixels.store_to(state);
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
