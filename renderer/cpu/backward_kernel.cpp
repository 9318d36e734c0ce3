// Backward blending. Compiled once per instruction set.
//
// A tile goes through its list front to back again, splat by splat. The pixels' state is in the L1
// cache. The sums of a splat stay in registers over all of its blocks, so each splat costs one
// reduction per tile. The sums are added to the splat's record of this bin. One thread processes a
// bin: atomics are not needed, and the result does not depend on the number of threads.

#include <type_traits>
#include <variant>

#include "cameras/view_camera.h"
#include "cpu/isa_kernels.h"
#include "cpu/quad.h"
#include "cpu/tile_batch.h"
#include "lanes/pack.h"
#include "lanes/pack_sums.h"
#include "pipeline/backward.h"
#include "splats/kinds/kinds.h"

namespace mote::MOTE_ISA {
namespace {

constexpr int kCheck = 16;  // number of splats between checks for stopped blocks

/// Positions of the pixels of each block in the tile.
struct TilePixels {
  alignas(64) float x[kBlocks][kBlockPixels], y[kBlocks][kBlockPixels];
};

constexpr TilePixels tile_pixels() {
  TilePixels pixels{};
  for (int block = 0; block < kBlocks; ++block) {
    for (int i = 0; i < kBlockPixels; ++i) {
      pixels.x[block][i] = static_cast<float>(block % kGridSide * kPixelBlock + i % kPixelBlock);
      pixels.y[block][i] = static_cast<float>(block / kGridSide * kPixelBlock + i / kPixelBlock);
    }
  }
  return pixels;
}

constexpr TilePixels kTile = tile_pixels();

/// The state of a tile's pixels, by block.
struct BackwardState {
  alignas(64) float transmittance[kBlocks][kBlockPixels];
  alignas(64) float behind[kBlocks][kBlockPixels];
  alignas(64) float d_pixel[3][kBlocks][kBlockPixels];
  alignas(64) float d_surface[kSurfaceGradients][kBlocks][kBlockPixels];
};

/// Four pixels in a row of a block: their position, and the number of them inside the image.
struct RowPlace {
  int block, pixel;
  int x, y;  // in the tile
  int inside;
};

template <bool SURFACE>
MOTE_LANE void enter_row(const BackwardTileParams& params, RowPlace place, BackwardState& state) {
  const std::size_t at =
      static_cast<std::size_t>(place.y) * params.plane_stride + static_cast<std::size_t>(place.x);
  // Rows of planes are long enough for whole tiles.
  const auto read = [&](const float* plane) {
    return first_of(load_quad(plane + at), place.inside);
  };
  const Vec3<Quad> d_pixel{read(params.d_color[0]), read(params.d_color[1]),
                           read(params.d_color[2])};
  Quad behind =
      color_behind(d_pixel, {read(params.color[0]), read(params.color[1]), read(params.color[2])});
  store(d_pixel.x, &state.d_pixel[0][place.block][place.pixel]);
  store(d_pixel.y, &state.d_pixel[1][place.block][place.pixel]);
  store(d_pixel.z, &state.d_pixel[2][place.block][place.pixel]);
  if constexpr (SURFACE) {
    Quad sums[kSurfaceSums];
    SurfaceGradient<Quad> d;
    for (std::size_t k = 0; k < kSurfaceSums; ++k) sums[k] = read(params.surface[k]);
    for (std::size_t k = 0; k < kSurfaceGradients; ++k) {
      d.value[k] = read(params.d_surface[k]);
      store(d.value[k], &state.d_surface[k][place.block][place.pixel]);
    }
    behind = behind + surface_behind(sums, alpha_of(read(params.transmittance)), d);
  }
  store(behind, &state.behind[place.block][place.pixel]);
  store(first_of(Quad(1.0f), place.inside), &state.transmittance[place.block][place.pixel]);
}

/// Reads the pixels of the tile and marks pixels outside the image as stopped. Returns a bit mask
/// of the blocks with a pixel inside the image.
template <bool SURFACE>
std::uint32_t enter_pixels(const BackwardTileParams& params, BackwardState& state) {
  std::uint32_t inside = 0;
  for (int block = 0; block < kBlocks; ++block) {
    const int x = block % kGridSide * kPixelBlock, first_y = block / kGridSide * kPixelBlock;
    if (x >= params.width || first_y >= params.height) continue;
    inside |= 1u << block;
    const int columns = params.width - x < kPixelBlock ? params.width - x : kPixelBlock;
    for (int row = 0; row < kPixelBlock; ++row) {
      const int y = first_y + row;
      const bool below = y >= params.height;
      enter_row<SURFACE>(
          params, {block, row * kPixelBlock, x, below ? first_y : y, below ? 0 : columns}, state);
    }
  }
  return inside;
}

/// The blocks among `open` with an active pixel.
std::uint32_t still_open(const BackwardState& state, std::uint32_t open) {
  for (std::uint32_t blocks = open; blocks != 0; blocks &= blocks - 1) {
    const int block = __builtin_ctz(blocks);
    Pack most;
    for (int i = 0; i < kBlockPixels; i += kPackLanes) {
      most = max(most, load(&state.transmittance[block][i]));
    }
    if (!any(most > Pack(0.0f))) open &= ~(1u << block);
  }
  return open;
}

/// Adds the sums over the lanes of each pack to a record, whose beginning is 16-byte aligned.
template <int COUNT, int FIRST = 0, class Sums>
MOTE_LANE void add_to_record(const Sums& sums, float* record) {
  const auto sum = [&](int k) { return k < COUNT ? sums.value[k] : Pack(); };
  if constexpr (COUNT - FIRST == 1) {
    record[FIRST] += sum_of_lanes(sums.value[FIRST]);
  } else if constexpr (FIRST < COUNT) {
    add_lane_sums(sum(FIRST), sum(FIRST + 1), sum(FIRST + 2), sum(FIRST + 3), record + FIRST);
    add_to_record<COUNT, FIRST + 4>(sums, record);
  }
}

/// A splat at one pack of pixels of each block.
template <class Kind>
class SplatAtBlocks {
 public:
  MOTE_LANE void put(int block, const SplatForVjp<Kind, Pack>& s) {
    store(s.alpha.alpha, alpha_[block]);
    if constexpr (!Kind::kFormIsExponent) at_[block] = s.at;
  }
  MOTE_LANE SplatForVjp<Kind, Pack> get(int block) const {
    const Pack alpha = load(alpha_[block]);
    const AlphaForVjp<Pack> for_vjp{alpha, alpha};
    if constexpr (Kind::kFormIsExponent) {
      return {Pack(), for_vjp};
    } else {
      return {at_[block], for_vjp};
    }
  }

 private:
  // The response of a kind whose form is its exponent is not needed beside alpha.
  using At =
      std::conditional_t<Kind::kFormIsExponent, std::monostate, typename Kind::template At<Pack>>;
  alignas(64) float alpha_[kBlocks][kPackLanes];
  At at_[kBlocks];
};

/// Processes splat `i` of the batch over its open blocks and adds to its record.
template <class Kind, bool ABSOLUTE, bool SURFACE>
MOTE_LANE void backward_splat(const BackwardTileParams& params, const Pinhole<Pack>& camera,
                              const Batch& batch, std::size_t i, std::uint32_t blocks,
                              BackwardState& state, float* record) {
  const ProjectedSplat& s = *batch.splats[i];
  const BlendedSplat<Kind, Pack> splat = blended_splat<Kind>(s, extra_of<Kind>(params, s));
  const Vec3<Pack> color{s.red, s.green, s.blue};
  const Pack first_x(params.origin_x + 0.5f - s.mean_x);
  const Pack first_y(params.origin_y + 0.5f - s.mean_y);
  Vec3<Pack> normal{};
  if constexpr (SURFACE) normal = Kind::normal(splat, camera, {s.mean_x, s.mean_y});
  SplatSums<Kind, Pack> sums{};
  for (int at = 0; at < kBlockPixels; at += kPackLanes) {
    // The alphas of all blocks come before the steps. So the powers of two of several blocks
    // overlap, and the steps, which need all registers for their sums, are short.
    const BlockBasis<Pack> basis{load(&batch.basis_u[i][at]), load(kPixel.row + at),
                                 load(&batch.basis_square[i][at])};
    SplatAtBlocks<Kind> splat_at;
    for (std::uint32_t left = blocks; left != 0; left &= left - 1) {
      const int block = __builtin_ctz(left);
      const BlockPolynomial<Pack> polynomial{batch.constant[block][i], batch.slope_u[block][i],
                                             batch.slope_y[block / kGridSide][i]};
      splat_at.put(block,
                   splat_for_vjp<Kind, ExponentOf<Kind>>(splat, form_value(polynomial, basis),
                                                         load(&kTile.x[block][at]) + first_x,
                                                         load(&kTile.y[block][at]) + first_y));
    }
    for (std::uint32_t left = blocks; left != 0; left &= left - 1) {
      const int block = __builtin_ctz(left);
      const Pack x = load(&kTile.x[block][at]) + first_x;
      const Pack y = load(&kTile.y[block][at]) + first_y;
      const Vec3<Pack> d_pixel{load(&state.d_pixel[0][block][at]),
                               load(&state.d_pixel[1][block][at]),
                               load(&state.d_pixel[2][block][at])};
      PixelBackward<Pack> pixel{load(&state.transmittance[block][at]),
                                load(&state.behind[block][at])};
      if constexpr (SURFACE) {
        SurfaceGradient<Pack> d;
        for (int k = 0; k < kSurfaceGradients; ++k) {
          d.value[k] = load(&state.d_surface[k][block][at]);
        }
        blend_surface_vjp<Kind, ABSOLUTE>(splat, splat_at.get(block), color, normal, d_pixel, d, x,
                                          y, pixel, sums);
      } else {
        blend_splat_vjp<Kind, ABSOLUTE>(splat, splat_at.get(block), color, d_pixel, x, y, pixel,
                                        sums);
      }
      store(pixel.transmittance, &state.transmittance[block][at]);
      store(pixel.behind, &state.behind[block][at]);
    }
  }
  add_to_record<kUsedSums<Kind, ABSOLUTE, SURFACE>>(sums, record);
}

template <class Kind, bool ABSOLUTE, bool SURFACE>
void backward(const BackwardTileParams& params) {
  Pinhole<Pack> camera{};
  if constexpr (SURFACE) camera = view_camera<Pack>(*params.camera).pinhole;
  BackwardState state;
  Batch batch;
  std::uint32_t open = enter_pixels<SURFACE>(params, state);
  for (std::size_t first = 0; first < params.list_size && open != 0; first += kBatch) {
    const std::size_t left = params.list_size - first;
    const std::size_t count = left < kBatch ? left : kBatch;
    const std::uint32_t* list = params.list + first;
    enter_batch<Kind, BatchFor::splats>(
        {params.splats, params.extras, params.origin_x, params.origin_y}, list, count, batch);
    for (std::size_t i = 0; i < count && open != 0; ++i) {
      const std::uint32_t blocks = batch.blocks[i] & open;
      if (blocks != 0) {
        backward_splat<Kind, ABSOLUTE, SURFACE>(
            params, camera, batch, i, blocks, state,
            params.sums + static_cast<std::size_t>(list[i]) * kPaddedSums<Kind>);
      }
      if ((i + 1) % kCheck == 0) open = still_open(state, open);
    }
  }
}

using BackwardFunction = void (*)(const BackwardTileParams&);

BackwardFunction backward_of(const BackwardTileParams& params) {
  return visit_kind(params.kind, [&]<class Kind>() -> BackwardFunction {
    if constexpr (Kind::kIsSurface) {
      if (params.d_surface[0] != nullptr) {
        return params.absolute ? backward<Kind, true, true> : backward<Kind, false, true>;
      }
    }
    return params.absolute ? backward<Kind, true, false> : backward<Kind, false, false>;
  });
}

}  // namespace

void backward_tile(const BackwardTileParams& params) {
  backward_of(params)(params);
}

}  // namespace mote::MOTE_ISA
