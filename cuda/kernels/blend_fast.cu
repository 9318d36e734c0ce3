// Blending in half precision: transmittance, colour and their products, two pixels to an operation.
// The exponent of alpha stays in single precision, since its terms cancel. A pixel does not stop at
// a splat, as in blend.cu: a warp only looks once in 32 splats whether its pixels are opaque.

#include "cuda/kernels/blend.h"
#include "cuda/kernels/blend_tile.h"
#include "cuda/kernels/texels.h"
#include "cuda/runtime/halves.h"
#include "pipeline/blend.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

/// A colour for two pixels.
struct alignas(16) HalfColor {
  __half2 red, green, blue;
};

MOTE_DEVICE __half2 two_halves(float value) {
  constexpr float kMost = 6e4f;  // infinity times a weight of 0 would be NaN
  return __float2half2_rn(min(value, kMost));
}

MOTE_DEVICE void store_color(float red, float green, float blue, HalfColor& to) {
  to = {two_halves(red), two_halves(green), two_halves(blue)};
}

/// The calling thread's pixels, two to a value: those of two subtiles, one below the other.
template <Share SHARE>
struct Pixels : WarpShare<SHARE> {
  using Own = WarpShare<SHARE>;
  using Color = HalfColor;
  static constexpr int kPairs = Own::kWarpSubtiles / 2;
  using Touching = TouchingLines<kPairs>;
  static constexpr unsigned kCheckpointSplats = 0;

  __half2 transmittance[kPairs], red[kPairs], green[kPairs], blue[kPairs];

  /// Pixels outside the image are opaque from the start.
  MOTE_MEMBER void begin(const StripPlace& place, int width, int height) {
    const auto clear = [&](int k) {
      const PixelPlace at = pixel_place<Own>(place, k);
      return at.x < width && at.y < height ? 1.0f : 0.0f;
    };
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      transmittance[pair] = __floats2half2_rn(clear(2 * pair), clear(2 * pair + 1));
      red[pair] = green[pair] = blue[pair] = __float2half2_rn(0.0f);
    }
  }

  MOTE_MEMBER unsigned going() const {
    unsigned some = 0;
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      const float2 both = __half22float2(transmittance[pair]);
      if (__any_sync(kWholeWarp, max(both.x, both.y) >= kTransmittanceMin)) some |= 3u << 2 * pair;
    }
    return some;
  }

  static MOTE_MEMBER Touching touching(unsigned own) {
    Touching result{};
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      result.lines[pair] = __ballot_sync(kWholeWarp, (own & 3u << 2 * pair) != 0);
    }
    return result;
  }

  /// Blends the splat of a line into the pairs of subtiles that it touches; `bit`: the line's bit
  /// in `touching`.
  template <class Kind>
  MOTE_MEMBER void blend(const PixelBatch<Kind, Pixels>& batch, const CameraFloats&, unsigned line,
                         const Touching& touching, unsigned bit, const StripPlace& place) {
    const float4 at = batch.place[line];
    const HalfColor color = batch.color[line];
    const float bend = batch.shape[line].w;
    const BlendedSplat<Kind, float> splat = blended_splat<Kind>(batch, line);
    const float first_y = place.center_y - at.y;
#pragma unroll
    for (int strip = 0; strip < Own::kWarpStrips; ++strip) {
      const float x = place.center_x + static_cast<float>(strip * kSubtileColumnPx) - at.x;
      const ColumnPolynomial<float> column =
          column_polynomial(splat.form, splat.log2_opacity, x, first_y, bend);
      const auto alpha = [&](int k) {
        const auto below = static_cast<float>(Own::row_in_strip(k) * kSubtileRowPx);
        return exp2_bounded(
            Kind::log2_alpha(Kind::respond(splat, form_value(column, below), x, first_y + below)));
      };
#pragma unroll
      for (int row = 0; row < Own::kWarpRows; row += 2) {
        const int k = strip * Own::kWarpRows + row;
        if ((touching.lines[k / 2] & bit) == 0) continue;
        blend_two(__floats2half2_rn(alpha(k), alpha(k + 1)), color, k / 2);
      }
    }
  }

  /// Skips alphas below kAlphaMin and NaN, and clamps them to kAlphaMax.
  MOTE_MEMBER void blend_two(__half2 unclamped, const HalfColor& color, int pair) {
    const unsigned touched = __hge2_mask(unclamped, __float2half2_rn(kAlphaMin));
    const __half2 clamped = __hmin2(unclamped, __float2half2_rn(kAlphaMax));
    const __half2 alpha = halves_of(bits_of(clamped) & touched);
    const __half2 weight = __hmul2(alpha, transmittance[pair]);
    transmittance[pair] = __hsub2(transmittance[pair], weight);
    red[pair] = __hfma2(weight, color.red, red[pair]);
    green[pair] = __hfma2(weight, color.green, green[pair]);
    blue[pair] = __hfma2(weight, color.blue, blue[pair]);
  }

  MOTE_MEMBER void write(const FrameParams& f, const PixelOutputs& out, const StripPlace& place,
                         unsigned) const {
#pragma unroll
    for (int k = 0; k < Own::kWarpSubtiles; ++k) {
      const auto [x, y] = pixel_place<Own>(place, k);
      if (x >= f.width || y >= f.height) continue;
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                             static_cast<std::size_t>(x);
      const auto own = [k](__half2 both) {
        return k % 2 == 0 ? __low2float(both) : __high2float(both);
      };
      write_blended(f, out, at, {own(red[k / 2]), own(green[k / 2]), own(blue[k / 2])},
                    own(transmittance[k / 2]));
    }
  }
};

/// Blocks per multiprocessor: the maximum without register spilling. Unused on the host.
template <class Kind, Share SHARE>
[[maybe_unused]] constexpr int kResident = SHARE == Share::two ? (Kind::kIsSurface ? 7 : 8) : 2;

template <class Kind, Share SHARE>
MOTE_KERNEL(Pixels<SHARE>::kThreads, (kResident<Kind, SHARE>))
blend_fast(BlendArgs args) {
  blend_tiles<Kind, Pixels<SHARE>>(args);
}

}  // namespace

void run_blend_fast(const BlendArgs& args, cudaStream_t stream) {
  const PixelOutputs& out = args.out;
  CHECK(out.depth_expected == nullptr && out.normal == nullptr && out.overdraw == nullptr &&
        out.tile_cost == nullptr && out.surface == nullptr && args.checkpoints.states == nullptr);
  visit_kind(args.kind, [&]<class Kind>() {
    launch_blend(args, {blend_fast<Kind, Share::half>, Pixels<Share::half>::kThreads},
                 {blend_fast<Kind, Share::two>, Pixels<Share::two>::kThreads}, stream);
  });
}

}  // namespace mote::cuda
