// The loss and its gradient over one band of rows. Compiled once per instruction set.
//
// Each channel has the rendered colour x and the photograph y, with 10 more rows on either side.
// The passes are:
// - the weighted window sums of x, y, x^2 + y^2 and (x - y)^2 down the columns, with 5 more rows on
//   either side, then along the rows;
// - SSIM at each pixel, and its derivatives with respect to the moments, which overwrite the
// moments;
// - the window sums of the derivatives down the columns, then along the rows, and dL/dx.
// The window is separable and symmetric: six weights, five additions. Down the columns, its eleven
// values are in registers; along the rows, they are loaded at every offset.

#include "cpu/loss_kernel.h"

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "math/pixel_loss.h"

namespace mote::MOTE_ISA {
namespace {

constexpr int kTaps = 2 * kSsimRadius + 1;
static_assert(kLossHalo == 2 * kSsimRadius && kPlaneAlignment >= kSsimRadius);

constexpr int kAlphaPlane = 3;  // of a photograph, after its colours

/// The rows of a band in scratch. Row 0 of every plane is image row `top`. Pixels outside the image
/// are zero.
struct Band {
  int top, rows;      // with the halo
  int first, count;   // rows of the gradient, first relative to `top`
  std::size_t pitch;  // floats between rows
  float *x, *y;       // one channel: exposed, photograph
  // Row i is kSsimRadius rows below row i of x. The derivatives of a row overwrite the moments of
  // the previous row, which are no longer needed.
  float *moments[kSsimMoments], *derivatives[kSsimMoments];
  std::uint8_t* photo[kAlphaPlane + 1];  // [rows][stride]: red, green, blue, alpha
  std::uint8_t* weight;                  // [rows][stride]
};

Band lay_out(const LossParams& params, int first_row, float* scratch) {
  const int halo = params.ssim_weight != 0 ? kLossHalo : 0;
  const int left = params.height - first_row;
  Band band{};
  band.top = first_row - halo;
  band.count = left < kLossBandRows ? left : kLossBandRows;
  band.rows = band.count + 2 * halo;
  band.first = halo;
  band.pitch = loss_pitch(params.width);
  const std::size_t plane = static_cast<std::size_t>(kLossBandRows + 2 * kLossHalo) * band.pitch;
  float* next = scratch + kPlaneAlignment;  // space for zeros on the left
  const auto take = [&] {
    float* const taken = next;
    next += plane;
    return taken;
  };
  band.x = take();
  band.y = take();
  for (int i = 0; i < kSsimMoments; ++i) {
    band.derivatives[i] = take();
    band.moments[i] = band.derivatives[i] + band.pitch;
  }
  const std::size_t bytes = static_cast<std::size_t>(band.rows) * params.stride;
  auto* next_bytes = reinterpret_cast<std::uint8_t*>(scratch + 6 * plane);
  for (std::uint8_t*& photo : band.photo) {
    photo = next_bytes;
    next_bytes += bytes;
  }
  band.weight = next_bytes;
  return band;
}

/// Writes zeros on both sides of the moments' rows, and in the rows of x and y outside the image.
void clear_margins(const LossParams& params, const Band& band) {
  const std::size_t between = (band.pitch - params.stride) * sizeof(float);
  for (float* const rows : band.derivatives) {
    __builtin_memset(rows - kPlaneAlignment, 0, kPlaneAlignment * sizeof(float));
    for (int row = 0; row < band.rows; ++row) {
      __builtin_memset(rows + static_cast<std::size_t>(row) * band.pitch + params.stride, 0,
                       between);
    }
  }
  for (int row = 0; row < band.rows; ++row) {
    if (band.top + row >= 0 && band.top + row < params.height) continue;
    const std::size_t at = static_cast<std::size_t>(row) * band.pitch;
    __builtin_memset(band.x + at, 0, params.stride * sizeof(float));
    __builtin_memset(band.y + at, 0, params.stride * sizeof(float));
  }
}

/// Lanes of the pack at column x that are inside the image.
MOTE_LANE PackMask inside(const LossParams& params, std::size_t x) {
  return {hn::FirstN(PackTag(), static_cast<std::size_t>(params.width) - x)};
}

MOTE_LANE Pack load_bytes(const std::uint8_t* from) {
  const hn::Rebind<std::uint8_t, PackTag> bytes;
  const hn::Rebind<std::int32_t, PackTag> integers;
  return unit_of_byte(
      Pack(hn::ConvertTo(PackTag(), hn::PromoteTo(integers, hn::LoadU(bytes, from)))));
}

/// Splits sixteen pixels of a photograph into planes.
MOTE_LANE void split_pixels(const std::uint8_t* pixels, int channels, std::uint8_t* const* planes,
                            std::size_t at) {
  const hn::FixedTag<std::uint8_t, 16> tag;
  auto red = hn::Zero(tag), green = red, blue = red, alpha = red;
  if (channels == 4) {
    hn::LoadInterleaved4(tag, pixels, red, green, blue, alpha);
    hn::StoreU(alpha, tag, planes[3] + at);
  } else {
    hn::LoadInterleaved3(tag, pixels, red, green, blue);
  }
  hn::StoreU(red, tag, planes[0] + at);
  hn::StoreU(green, tag, planes[1] + at);
  hn::StoreU(blue, tag, planes[2] + at);
}

/// Writes planes of the photograph's bytes and weights, for all rows of the band.
void read_photo(const LossParams& params, const Band& band) {
  const auto width = static_cast<std::size_t>(params.width);
  const auto channels = static_cast<std::size_t>(params.photo_channels);
  for (int row = 0; row < band.rows; ++row) {
    const std::size_t at = static_cast<std::size_t>(row) * params.stride;
    std::uint8_t* const weight = band.weight + at;
    __builtin_memset(weight, 0, params.stride);
    const int y = band.top + row;
    if (y < 0 || y >= params.height) continue;
    const std::size_t pixel = static_cast<std::size_t>(y) * width;
    if (params.mask != nullptr) {
      __builtin_memcpy(weight, params.mask + pixel, width);
    } else {
      __builtin_memset(weight, 255, width);
    }
    const std::uint8_t* const pixels = params.photo + pixel * channels;
    std::size_t x = 0;
    for (; x + 16 <= width; x += 16) {
      split_pixels(pixels + x * channels, params.photo_channels, band.photo, at + x);
    }
    if (x < width) {
      std::uint8_t rest[64] = {};
      __builtin_memcpy(rest, pixels + x * channels, (width - x) * channels);
      split_pixels(rest, params.photo_channels, band.photo, at + x);
    }
  }
}

/// Computes x and y of one channel, for all rows of the band.
void prepare(const LossParams& params, const Band& band, int channel) {
  const auto exposure = exposure_row<Pack>(params.exposure, channel);
  const Pack background(params.background[channel]);
  for (int row = 0; row < band.rows; ++row) {
    const int y = band.top + row;
    if (y < 0 || y >= params.height) continue;
    const std::size_t source = static_cast<std::size_t>(y) * params.stride;
    const std::size_t bytes = static_cast<std::size_t>(row) * params.stride;
    const std::size_t to = static_cast<std::size_t>(row) * band.pitch;
    for (std::size_t x = 0; x < params.stride; x += kPackLanes) {
      const PackMask mask = inside(params, x);
      const Vec3<Pack> rendered{load(params.rendered[0] + source + x),
                                load(params.rendered[1] + source + x),
                                load(params.rendered[2] + source + x)};
      Pack target = load_bytes(band.photo[channel] + bytes + x);
      if (params.photo_channels == 4) {
        const Pack alpha = load_bytes(band.photo[kAlphaPlane] + bytes + x);
        target = composed(target, alpha, background);
      }
      store(keep(mask, exposed(exposure, rendered)), band.x + to + x);
      store(keep(mask, target), band.y + to + x);
    }
  }
}

using Window = SsimWindow<Pack>;

/// to[i] = weighted sum of value(i .. i + 10) for i in [0, rows), down a column of packs. `to` may
/// alias the source of value(i).
template <class Value>
MOTE_LANE void weigh_column(const Window& window, int rows, float* to, std::size_t pitch,
                            const Value& value) {
  Pack values[kTaps];
  for (int i = 0; i < kTaps - 1; ++i) values[i] = value(static_cast<std::size_t>(i));
  for (int row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    values[kTaps - 1] = value(at + kTaps - 1);
    store(window_sum(window, [&](int i) { return values[kSsimRadius + i]; }), to + at * pitch);
    for (int i = 0; i < kTaps - 1; ++i) values[i] = values[i + 1];
  }
}

/// The weighted sum around each of the pack's pixels, along a row.
MOTE_LANE Pack weigh_row(const Window& window, const float* middle) {
  return window_sum(window, [&](int i) { return load_unaligned(middle + i); });
}

/// Sums the moments of x and y down the columns, for all rows except kSsimRadius at either end.
void weigh_pictures(const LossParams& params, const Band& band) {
  const Window window;
  const std::size_t pitch = band.pitch;
  const int rows = band.rows - 2 * kSsimRadius;
  for (std::size_t at = 0; at < params.stride; at += kPackLanes) {
    const float *x = band.x + at, *y = band.y + at;
    weigh_column(window, rows, band.moments[kMeanX] + at, pitch,
                 [&](std::size_t row) { return load(x + row * pitch); });
    weigh_column(window, rows, band.moments[kMeanY] + at, pitch,
                 [&](std::size_t row) { return load(y + row * pitch); });
    weigh_column(window, rows, band.moments[kMeanSquares] + at, pitch, [&](std::size_t row) {
      return ssim_squares(load(x + row * pitch), load(y + row * pitch));
    });
    weigh_column(window, rows, band.moments[kMeanDifference] + at, pitch, [&](std::size_t row) {
      return ssim_difference(load(x + row * pitch), load(y + row * pitch));
    });
  }
}

MOTE_LANE double sum_of(Pack a) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(PackTag(), a.value)));
}

/// Completes the moments along the rows and replaces them by weight * derivatives. Returns the sum
/// of weight * SSIM over the band's own rows.
double differentiate(const LossParams& params, const Band& band) {
  const Window window;
  double total = 0;
  for (int row = 0; row < band.rows - 2 * kSsimRadius; ++row) {
    const std::size_t at = static_cast<std::size_t>(row) * band.pitch;
    const int pixel_row = row + kSsimRadius;
    const std::uint8_t* weights = band.weight + static_cast<std::size_t>(pixel_row) * params.stride;
    Pack sum(0.0f);
    for (std::size_t x = at; x < at + params.stride; x += kPackLanes) {
      const auto moment = [&](int i) { return weigh_row(window, band.moments[i] + x); };
      const Ssim<Pack> ssim = ssim_of(ssim_moments<Pack>(moment));
      const Pack weight = load_bytes(weights + (x - at));
      sum = fma(weight, ssim.value, sum);
      store(weight * ssim.d.mean_x, band.derivatives[kMeanX] + x);
      store(weight * ssim.d.mean_y, band.derivatives[kMeanY] + x);
      store(weight * ssim.d.squares, band.derivatives[kMeanSquares] + x);
      store(weight * ssim.d.difference, band.derivatives[kMeanDifference] + x);
    }
    if (pixel_row >= band.first && pixel_row < band.first + band.count) total += sum_of(sum);
  }
  return total;
}

/// Sums the derivatives down the columns, for the band's own rows.
void weigh_derivatives(const LossParams& params, const Band& band) {
  const Window window;
  const std::size_t pitch = band.pitch;
  for (std::size_t at = 0; at < params.stride; at += kPackLanes) {
    for (int i = 0; i < kSsimMoments; ++i) {
      if (i == kMeanY && params.photo_channels != 4) continue;  // only for the background
      float* const values = band.derivatives[i] + at;
      weigh_column(window, band.count, values, pitch,
                   [&](std::size_t row) { return load(values + row * pitch); });
    }
  }
}

/// Computes the loss and dL/dx of one channel, into d_rendered, for the band's own rows.
template <bool SSIM, bool ALPHA>
void finish(const LossParams& params, const Band& band, int channel, LossSums& sums) {
  const Window window;
  const Pack l1_scale(l1_factor(params.scale, params.ssim_weight));
  const Pack ssim_scale(ssim_factor(params.scale, params.ssim_weight));
  for (int row = 0; row < band.count; ++row) {
    const auto own = static_cast<std::size_t>(row);
    const std::size_t in_band = own + static_cast<std::size_t>(band.first);
    const std::size_t at = in_band * band.pitch, bytes = in_band * params.stride;
    const int image_row = band.top + band.first + row;
    float* const out =
        params.d_rendered[channel] + static_cast<std::size_t>(image_row) * params.stride;
    PixelErrors<Pack> errors{};
    Pack to_background(0.0f);
    for (std::size_t i = 0; i < params.stride; i += kPackLanes) {
      const Pack x = load(band.x + at + i), y = load(band.y + at + i), difference = x - y;
      const Pack weight = load_bytes(band.weight + bytes + i);
      add_error(difference, weight, errors);
      PixelLossGradient<Pack> g = l1_gradient(difference, l1_scale * weight);
      if constexpr (SSIM) {
        const auto derivative = [&](int k) {
          return weigh_row(window, band.derivatives[k] + own * band.pitch + i);
        };
        const Pack of_mean_y = ALPHA ? derivative(kMeanY) : Pack(0.0f);
        g = add_ssim_gradient(
            g, x, y,
            {derivative(kMeanX), of_mean_y, derivative(kMeanSquares), derivative(kMeanDifference)},
            ssim_scale);
      }
      store(keep(inside(params, i), g.d_x), out + i);
      if constexpr (ALPHA) {
        const Pack alpha = load_bytes(band.photo[kAlphaPlane] + bytes + i);
        to_background = to_background + keep(inside(params, i), background_vjp(alpha, g.d_y));
      }
    }
    sums.absolute += sum_of(errors.absolute);
    sums.squared += sum_of(errors.squared);
    if constexpr (ALPHA) sums.d_background_target[channel] += sum_of(to_background);
  }
}

/// Converts d_rendered from the exposed to the rendered colour, and sums the exposure's gradient.
void finish_exposure(const LossParams& params, const Band& band, LossSums& sums) {
  for (int row = 0; row < band.count; ++row) {
    const std::size_t at = static_cast<std::size_t>(band.top + band.first + row) * params.stride;
    ExposureRow<Pack> d_exposure[3]{};
    for (std::size_t x = 0; x < params.stride; x += kPackLanes) {
      const PackMask mask = inside(params, x);
      const Vec3<Pack> rendered{keep(mask, load(params.rendered[0] + at + x)),
                                keep(mask, load(params.rendered[1] + at + x)),
                                keep(mask, load(params.rendered[2] + at + x))};
      Vec3<Pack> d_rendered{};
      for (int c = 0; c < 3; ++c) {
        add_exposed_vjp(exposure_row<Pack>(params.exposure, c), rendered,
                        load(params.d_rendered[c] + at + x), d_exposure[c], d_rendered);
      }
      store(d_rendered.x, params.d_rendered[0] + at + x);
      store(d_rendered.y, params.d_rendered[1] + at + x);
      store(d_rendered.z, params.d_rendered[2] + at + x);
    }
    for (int c = 0; c < 3; ++c) {
      double* const sum = sums.d_exposure + c * kExposureRow;
      for (int k = 0; k < kExposureRow; ++k) sum[k] += sum_of(value_of(d_exposure[c], k));
    }
  }
}

}  // namespace

LossSums loss_band(const LossParams& params, int first_row, float* scratch) {
  const Band band = lay_out(params, first_row, scratch);
  const bool with_ssim = params.ssim_weight != 0, with_alpha = params.photo_channels == 4;
  clear_margins(params, band);
  read_photo(params, band);
  LossSums sums;
  for (int channel = 0; channel < 3; ++channel) {
    prepare(params, band, channel);
    if (with_ssim) {
      weigh_pictures(params, band);
      sums.ssim += differentiate(params, band);
      weigh_derivatives(params, band);
      (with_alpha ? finish<true, true> : finish<true, false>)(params, band, channel, sums);
    } else {
      (with_alpha ? finish<false, true> : finish<false, false>)(params, band, channel, sums);
    }
  }
  finish_exposure(params, band, sums);
  return sums;
}

}  // namespace mote::MOTE_ISA
