// The loss and its gradient over tiles of 16x16 pixels in two passes: first the derivatives of SSIM
// with respect to the moments under the window, then the same window over the derivatives. The
// window is separable: along the rows for the tile and five rows on either side, then down the
// columns.

#include "cuda/kernels/loss.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "math/pixel_loss.h"

namespace mote::cuda {
namespace {

constexpr int kTile = 16;
constexpr int kThreads = kTile * kTile;
constexpr int kHalo = kSsimRadius;
constexpr int kWide = kTile + 2 * kHalo;
constexpr int kMoments = kSsimMoments;
constexpr int kX = 0, kY = 1;  // planes of one channel: exposed, photograph

// A warp takes 16 pixels of each of two rows that are kApart rows apart, which these pitches put in
// different banks of shared memory, before and after filtering along the rows. With two rows side
// by side, most accesses would need two turns.
constexpr int kApart = 4;
constexpr int kInputPitch = 28, kWeighedPitch = 20;
static_assert(kApart * kInputPitch % kWarp == kTile && kApart * kWeighedPitch % kWarp == kTile);

/// One plane of a tile with its halo, and the planes filtered along the rows.
template <int INPUTS, int WEIGHED>
struct TilePlanes {
  float input[INPUTS][kWide][kInputPitch];
  float weighed[WEIGHED][kWide][kWeighedPitch];
};

/// The i-th place in a tile, in the order in which warps take them.
struct TileSpot {
  int row, column;
};
MOTE_DEVICE TileSpot tile_spot(int i) {
  const int pair = i / kWarp, lane = i % kWarp;
  return {pair / kApart * 2 * kApart + pair % kApart + lane / kTile * kApart, lane % kTile};
}
/// Enough places for kWide rows. Some of them are below.
constexpr int kWideSpots = (kWide + 2 * kApart - 1) / (2 * kApart) * (2 * kApart) * kTile;

/// The block's tile and the thread's pixel in it.
struct TilePlace {
  int left, top;    // px, of the tile
  int column, row;  // in the tile
  int x, y;         // px
  bool inside;      // whether the pixel is inside the image
};

MOTE_DEVICE TilePlace tile_place(const LossArgs& args) {
  const int columns = (args.width + kTile - 1) / kTile, block = static_cast<int>(blockIdx.x),
            thread = static_cast<int>(threadIdx.x);
  TilePlace p{};
  p.left = block % columns * kTile;
  p.top = block / columns * kTile;
  const TileSpot spot = tile_spot(thread);
  p.column = spot.column;
  p.row = spot.row;
  p.x = p.left + p.column;
  p.y = p.top + p.row;
  p.inside = p.x < args.width && p.y < args.height;
  return p;
}

MOTE_DEVICE std::size_t pixel_at(const LossArgs& args, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(args.width) +
         static_cast<std::size_t>(x);
}

MOTE_DEVICE float value_of(std::uint8_t byte) {
  return unit_of_byte(static_cast<float>(byte));
}

MOTE_DEVICE float weight_at(const LossArgs& args, std::size_t pixel) {
  return args.mask != nullptr ? value_of(args.mask[pixel]) : 1.0f;
}

MOTE_DEVICE Vec3<float> rendered_at(const LossArgs& args, std::size_t pixel) {
  const float* rgb = args.rendered + 3 * pixel;
  return {rgb[0], rgb[1], rgb[2]};
}

MOTE_DEVICE float exposed_at(const LossArgs& args, std::size_t pixel, int channel) {
  return exposed(exposure_row<float>(args.exposure, channel), rendered_at(args, pixel));
}

MOTE_DEVICE float photo_alpha_at(const LossArgs& args, std::size_t pixel) {
  return args.photo_channels == 4 ? value_of(args.photo[4 * pixel + 3]) : 1.0f;
}

MOTE_DEVICE float target_at(const LossArgs& args, std::size_t pixel, int channel) {
  const auto channels = static_cast<std::size_t>(args.photo_channels);
  const float color = value_of(args.photo[channels * pixel + static_cast<std::size_t>(channel)]);
  if (args.photo_channels == 3) return color;
  return composed(color, photo_alpha_at(args, pixel), args.background[channel]);
}

/// Calls visit(row, column, pixel, inside) for every position of the tile and its halo. `pixel` is
/// valid if `inside` the image.
template <class Visit>
MOTE_DEVICE void for_each_with_halo(const LossArgs& args, const TilePlace& place,
                                    const Visit& visit) {
  for (int i = static_cast<int>(threadIdx.x); i < kWide * kWide; i += kThreads) {
    const int row = i / kWide, column = i % kWide;
    const int x = place.left + column - kHalo, y = place.top + row - kHalo;
    const bool inside = x >= 0 && y >= 0 && x < args.width && y < args.height;
    visit(row, column, inside ? pixel_at(args, x, y) : 0, inside);
  }
}

/// Calls visit(row, column) for every position of the tile and the rows of its halo.
template <class Visit>
MOTE_DEVICE void for_each_wide_spot(const Visit& visit) {
  for (int i = static_cast<int>(threadIdx.x); i < kWideSpots; i += kThreads) {
    const TileSpot spot = tile_spot(i);
    if (spot.row < kWide) visit(spot.row, spot.column);
  }
}

/// The window's weighted sum of value(-5) to value(5).
template <class Value>
MOTE_DEVICE float weigh(const Value& value) {
  return window_sum(SsimWindow<float>(), value);
}

/// Sums the values over the block; thread 0 writes the totals to `out`. All threads must call.
template <int N>
MOTE_DEVICE void leave_block_sums(const float (&values)[N], float* out) {
  struct WarpSums {
    float sum[kThreads / kWarp][N];
  };
  WarpSums& sums = block_shared<WarpSums>();
  const float sum = warp_sums(values);
  const int place = sum_place(N, threadIdx.x % kWarp);
  if (place >= 0) sums.sum[threadIdx.x / kWarp][place] = sum;
  __syncthreads();
  if (threadIdx.x < N) {
    float total = 0;
    for (int w = 0; w < kThreads / kWarp; ++w) total += sums.sum[w][threadIdx.x];
    out[threadIdx.x] = total;
  }
}

MOTE_KERNEL(kThreads) ssim_derivatives(LossArgs args) {
  if (args.counters->overflow != 0) return;
  using Planes = TilePlanes<2, kMoments>;
  Planes& planes = block_shared<Planes>();
  const TilePlace place = tile_place(args);
  const std::size_t pixels = pixel_at(args, 0, args.height);
  float total[1] = {0};
  for (int channel = 0; channel < 3; ++channel) {
    __syncthreads();
    for_each_with_halo(args, place, [&](int row, int column, std::size_t pixel, bool inside) {
      planes.input[kX][row][column] = inside ? exposed_at(args, pixel, channel) : 0.0f;
      planes.input[kY][row][column] = inside ? target_at(args, pixel, channel) : 0.0f;
    });
    __syncthreads();
    for_each_wide_spot([&](int row, int column) {
      const float *x = &planes.input[kX][row][column + kHalo],
                  *y = &planes.input[kY][row][column + kHalo];
      planes.weighed[kMeanX][row][column] = weigh([&](int k) { return x[k]; });
      planes.weighed[kMeanY][row][column] = weigh([&](int k) { return y[k]; });
      planes.weighed[kMeanSquares][row][column] =
          weigh([&](int k) { return ssim_squares(x[k], y[k]); });
      planes.weighed[kMeanDifference][row][column] =
          weigh([&](int k) { return ssim_difference(x[k], y[k]); });
    });
    __syncthreads();
    if (!place.inside) continue;
    const auto moment = [&](int m) {
      return weigh([&](int k) { return planes.weighed[m][place.row + kHalo + k][place.column]; });
    };
    const Ssim<float> ssim = ssim_of(ssim_moments<float>(moment));
    const std::size_t pixel = pixel_at(args, place.x, place.y);
    const float weight = weight_at(args, pixel);
    total[0] = fma(weight, ssim.value, total[0]);
    float* out = args.derivatives + static_cast<std::size_t>(channel * kMoments) * pixels + pixel;
    out[kMeanX * pixels] = weight * ssim.d.mean_x;
    out[kMeanY * pixels] = weight * ssim.d.mean_y;
    out[kMeanSquares * pixels] = weight * ssim.d.squares;
    out[kMeanDifference * pixels] = weight * ssim.d.difference;
  }
  leave_block_sums(total, args.partials + blockIdx.x * kLossSums + kSsimSum);
}

/// The window over the derivatives at the thread's pixel, for one channel. All threads must call.
MOTE_DEVICE SsimMoments<float> weighed_derivatives(const LossArgs& args, const TilePlace& place,
                                                   int channel) {
  using Planes = TilePlanes<kMoments, kMoments>;
  Planes& planes = block_shared<Planes>();
  const std::size_t pixels = pixel_at(args, 0, args.height);
  const float* from = args.derivatives + static_cast<std::size_t>(channel * kMoments) * pixels;
  __syncthreads();
  for_each_with_halo(args, place, [&](int row, int column, std::size_t pixel, bool inside) {
    for (int m = 0; m < kMoments; ++m) {
      planes.input[m][row][column] =
          inside ? from[static_cast<std::size_t>(m) * pixels + pixel] : 0.0f;
    }
  });
  __syncthreads();
  for_each_wide_spot([&](int row, int column) {
    for (int m = 0; m < kMoments; ++m) {
      const float* middle = &planes.input[m][row][column + kHalo];
      planes.weighed[m][row][column] = weigh([&](int k) { return middle[k]; });
    }
  });
  __syncthreads();
  const auto moment = [&](int m) {
    return weigh([&](int k) { return planes.weighed[m][place.row + kHalo + k][place.column]; });
  };
  return ssim_moments<float>(moment);
}

/// Converts dL/d(exposed colour) to dL/d(rendered colour), and sums it.
MOTE_DEVICE void leave_gradient(const LossArgs& args, std::size_t pixel, const float* d_exposed,
                                const float* d_target, float* sums) {
  const float behind = 1.0f - args.alpha[pixel], photo_alpha = photo_alpha_at(args, pixel);
  Vec3<float> d_rgb{0, 0, 0};
  for (int c = 0; c < 3; ++c) {
    ExposureRow<float> d_row{0, 0, 0, 0};
    add_exposed_vjp(exposure_row<float>(args.exposure, c), rendered_at(args, pixel), d_exposed[c],
                    d_row, d_rgb);
    float* sum = sums + kExposureSum + kExposureRow * c;
#pragma unroll
    for (int k = 0; k < kExposureRow; ++k) sum[k] = value_of(d_row, k);
  }
  const float d_rendered[3] = {d_rgb.x, d_rgb.y, d_rgb.z};
  for (int c = 0; c < 3; ++c) {
    sums[kBackgroundSum + c] = fma(behind, d_rendered[c], background_vjp(photo_alpha, d_target[c]));
    args.d_rendered[3 * pixel + static_cast<std::size_t>(c)] = d_rendered[c];
  }
}

template <bool SSIM>
MOTE_KERNEL(kThreads)
loss_gradient(LossArgs args) {
  if (args.counters->overflow != 0) return;
  const TilePlace place = tile_place(args);
  const std::size_t pixel = place.inside ? pixel_at(args, place.x, place.y) : 0;
  const float weight = place.inside ? weight_at(args, pixel) : 0.0f;
  const float weight_l1 = l1_factor(args.scale, args.ssim_weight) * weight;
  float sums[kLossSums] = {}, d_exposed[3] = {}, d_target[3] = {};
#pragma unroll
  for (int channel = 0; channel < 3; ++channel) {
    SsimMoments<float> of_ssim{};
    if constexpr (SSIM) of_ssim = weighed_derivatives(args, place, channel);
    if (!place.inside) continue;
    const float x = exposed_at(args, pixel, channel), y = target_at(args, pixel, channel);
    PixelLossGradient<float> g = l1_gradient(x - y, weight_l1);
    if constexpr (SSIM) {
      g = add_ssim_gradient(g, x, y, of_ssim, ssim_factor(args.scale, args.ssim_weight));
    }
    d_exposed[channel] = g.d_x;
    d_target[channel] = g.d_y;
    PixelErrors<float> errors{sums[kAbsoluteSum], sums[kSquaredSum]};
    add_error(x - y, weight, errors);
    sums[kAbsoluteSum] = errors.absolute;
    sums[kSquaredSum] = errors.squared;
  }
  if (place.inside) leave_gradient(args, pixel, d_exposed, d_target, sums);
  float* partials = args.partials + blockIdx.x * kLossSums;
  if constexpr (SSIM) sums[kSsimSum] = threadIdx.x == 0 ? partials[kSsimSum] : 0.0f;
  leave_block_sums(sums, partials);
}

}  // namespace

unsigned loss_blocks(int width, int height) {
  return static_cast<unsigned>((width + kTile - 1) / kTile) *
         static_cast<unsigned>((height + kTile - 1) / kTile);
}

void run_loss(const LossArgs& args, cudaStream_t stream) {
  const unsigned blocks = loss_blocks(args.width, args.height);
  if (args.ssim_weight == 0) {
    launch(loss_gradient<false>, {.blocks = blocks, .threads = kThreads, .name = "the loss"},
           stream, args);
    return;
  }
  launch(ssim_derivatives, {.blocks = blocks, .threads = kThreads, .name = "SSIM"}, stream, args);
  launch(loss_gradient<true>, {.blocks = blocks, .threads = kThreads, .name = "the loss"}, stream,
         args);
}

}  // namespace mote::cuda
