// The loss and its gradient over tiles of 32x32 pixels in two passes: first the derivatives of SSIM
// with respect to the moments under the window, then the same window over the derivatives. The
// window is separable: along the rows for the tile and five rows on either side, then down the
// columns. A thread computes several results beside each other from values that it reads once,
// since reading shared memory takes longer than the arithmetic.

#include "cuda/kernels/loss.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "math/pixel_loss.h"

namespace mote::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kThreads = 256;
constexpr int kHalo = kSsimRadius;
constexpr int kWide = kTile + 2 * kHalo;
constexpr int kMoments = kSsimMoments;
constexpr int kX = 0, kY = 1;  // planes of one channel: exposed, photograph

// The results of a thread: beside each other in a row, and its pixels, one below the other.
constexpr int kAcross = 8, kDown = kTile * kTile / kThreads;
constexpr int kRuns = kTile / kAcross;  // per row

// With odd pitches, the runs of a warp lie in different banks of shared memory.
constexpr int kWidePitch = kWide + 1, kTilePitch = kTile + 1;
static_assert(kWidePitch % 2 == 1 && kTilePitch % 2 == 1);

/// One plane of a tile with its halo, and the planes filtered along the rows.
template <int INPUTS, int WEIGHED>
struct TilePlanes {
  float input[INPUTS][kWide][kWidePitch];
  float weighed[WEIGHED][kWide][kTilePitch];
};

/// The block's tile and the thread's first pixel in it. The others are below.
struct TilePlace {
  int left, top;    // px, of the tile
  int column, row;  // in the tile
};

MOTE_DEVICE TilePlace tile_place(const LossArgs& args) {
  const int columns = (args.width + kTile - 1) / kTile, block = static_cast<int>(blockIdx.x),
            thread = static_cast<int>(threadIdx.x);
  return {block % columns * kTile, block / columns * kTile, thread % kTile, thread / kTile * kDown};
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
  // In the order of memory, so that a warp writes to different banks.
  constexpr int kRows = kThreads / kWidePitch, kColumns = kThreads % kWidePitch;
  const int thread = static_cast<int>(threadIdx.x);
  for (int row = thread / kWidePitch, column = thread % kWidePitch; row < kWide;) {
    const int x = place.left + column - kHalo, y = place.top + row - kHalo;
    const bool inside = x >= 0 && y >= 0 && x < args.width && y < args.height;
    if (column < kWide) visit(row, column, inside ? pixel_at(args, x, y) : 0, inside);
    const bool wraps = column + kColumns >= kWidePitch;
    row += kRows + (wraps ? 1 : 0);
    column += kColumns - (wraps ? kWidePitch : 0);
  }
}

/// Calls visit(k, pixel) for the thread's pixels that are inside the image.
template <class Visit>
MOTE_DEVICE void for_each_own_pixel(const LossArgs& args, const TilePlace& place,
                                    const Visit& visit) {
  const int x = place.left + place.column, y = place.top + place.row;
#pragma unroll
  for (int k = 0; k < kDown; ++k) {
    if (x < args.width && y + k < args.height) visit(k, pixel_at(args, x, y + k));
  }
}

/// Calls visit(plane, row, column) for the first position of each run of kAcross positions, in the
/// tile and the rows of its halo.
template <class Visit>
MOTE_DEVICE void for_each_run(int planes, const Visit& visit) {
  constexpr int kPlaneRuns = kWide * kRuns;
  for (int i = static_cast<int>(threadIdx.x); i < planes * kPlaneRuns; i += kThreads) {
    const int run = i % kPlaneRuns;
    visit(i / kPlaneRuns, run / kRuns, run % kRuns * kAcross);
  }
}

/// The values under the windows of COUNT neighbours.
template <int COUNT>
struct Windows {
  float value[COUNT + 2 * kHalo];
};

/// The values from(0), from(1), and so on.
template <int COUNT, class From>
MOTE_DEVICE Windows<COUNT> windows_of(const From& from) {
  Windows<COUNT> windows;
#pragma unroll
  for (int k = 0; k < COUNT + 2 * kHalo; ++k) windows.value[k] = from(k);
  return windows;
}

/// Writes the windows' weighted sums.
template <int COUNT>
MOTE_DEVICE void weigh(const Windows<COUNT>& windows, float* sums) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    sums[i] = window_sum(SsimWindow<float>(), [&](int k) { return windows.value[i + kHalo + k]; });
  }
}

/// The moments of the thread's pixels.
struct OwnMoments {
  float of[kMoments][kDown];
};

MOTE_DEVICE SsimMoments<float> moments_at(const OwnMoments& own, int k) {
  return ssim_moments<float>([&](int m) { return own.of[m][k]; });
}

/// Filters a plane, which is filtered along the rows, down the columns of the thread's pixels.
MOTE_DEVICE void weigh_own(const float (&plane)[kWide][kTilePitch], const TilePlace& place,
                           float* sums) {
  weigh(windows_of<kDown>([&](int k) { return plane[place.row + k][place.column]; }), sums);
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
    for_each_run(1, [&](int, int row, int column) {
      const auto x = windows_of<kAcross>([&](int k) { return planes.input[kX][row][column + k]; });
      const auto y = windows_of<kAcross>([&](int k) { return planes.input[kY][row][column + k]; });
      weigh(x, &planes.weighed[kMeanX][row][column]);
      weigh(y, &planes.weighed[kMeanY][row][column]);
      weigh(windows_of<kAcross>([&](int k) { return ssim_squares(x.value[k], y.value[k]); }),
            &planes.weighed[kMeanSquares][row][column]);
      weigh(windows_of<kAcross>([&](int k) { return ssim_difference(x.value[k], y.value[k]); }),
            &planes.weighed[kMeanDifference][row][column]);
    });
    __syncthreads();
    OwnMoments moments;
#pragma unroll
    for (int m = 0; m < kMoments; ++m) weigh_own(planes.weighed[m], place, moments.of[m]);
    float* out = args.derivatives + static_cast<std::size_t>(channel * kMoments) * pixels;
    for_each_own_pixel(args, place, [&](int k, std::size_t pixel) {
      const Ssim<float> ssim = ssim_of(moments_at(moments, k));
      const float weight = weight_at(args, pixel);
      total[0] = fma(weight, ssim.value, total[0]);
      out[kMeanX * pixels + pixel] = weight * ssim.d.mean_x;
      out[kMeanY * pixels + pixel] = weight * ssim.d.mean_y;
      out[kMeanSquares * pixels + pixel] = weight * ssim.d.squares;
      out[kMeanDifference * pixels + pixel] = weight * ssim.d.difference;
    });
  }
  leave_block_sums(total, args.partials + blockIdx.x * kLossSums + kSsimSum);
}

/// The window over the derivatives at the thread's pixels, for one channel. All threads must call.
/// Takes two moments at a time, so that several blocks have room in shared memory.
MOTE_DEVICE OwnMoments weighed_derivatives(const LossArgs& args, const TilePlace& place,
                                           int channel) {
  constexpr int kTogether = 2;
  using Planes = TilePlanes<kTogether, kTogether>;
  Planes& planes = block_shared<Planes>();
  const std::size_t pixels = pixel_at(args, 0, args.height);
  OwnMoments moments;
#pragma unroll
  for (int first = 0; first < kMoments; first += kTogether) {
    const float* from =
        args.derivatives + static_cast<std::size_t>(channel * kMoments + first) * pixels;
    __syncthreads();
    for_each_with_halo(args, place, [&](int row, int column, std::size_t pixel, bool inside) {
      for (int m = 0; m < kTogether; ++m) {
        planes.input[m][row][column] =
            inside ? from[static_cast<std::size_t>(m) * pixels + pixel] : 0.0f;
      }
    });
    __syncthreads();
    for_each_run(kTogether, [&](int m, int row, int column) {
      weigh(windows_of<kAcross>([&](int k) { return planes.input[m][row][column + k]; }),
            &planes.weighed[m][row][column]);
    });
    __syncthreads();
#pragma unroll
    for (int m = 0; m < kTogether; ++m) weigh_own(planes.weighed[m], place, moments.of[first + m]);
  }
  return moments;
}

/// Converts dL/d(exposed colour) to dL/d(rendered colour), and adds it to the sums.
MOTE_DEVICE void leave_gradient(const LossArgs& args, std::size_t pixel,
                                const PixelLossGradient<float>* gradients, float* sums) {
  const float behind = 1.0f - args.alpha[pixel], photo_alpha = photo_alpha_at(args, pixel);
  Vec3<float> d_rgb{0, 0, 0};
  for (int c = 0; c < 3; ++c) {
    ExposureRow<float> d_row{0, 0, 0, 0};
    add_exposed_vjp(exposure_row<float>(args.exposure, c), rendered_at(args, pixel),
                    gradients[c].d_x, d_row, d_rgb);
    float* sum = sums + kExposureSum + kExposureRow * c;
#pragma unroll
    for (int k = 0; k < kExposureRow; ++k) sum[k] += value_of(d_row, k);
  }
  const float d_rendered[3] = {d_rgb.x, d_rgb.y, d_rgb.z};
  for (int c = 0; c < 3; ++c) {
    sums[kBackgroundSum + c] +=
        fma(behind, d_rendered[c], background_vjp(photo_alpha, gradients[c].d_y));
    args.d_rendered[3 * pixel + static_cast<std::size_t>(c)] = d_rendered[c];
  }
}

/// The gradient at one channel of a pixel. Adds the errors to the sums.
template <bool SSIM>
MOTE_DEVICE PixelLossGradient<float> channel_gradient(const LossArgs& args, std::size_t pixel,
                                                      int channel,
                                                      const SsimMoments<float>& of_ssim,
                                                      float* sums) {
  const float x = exposed_at(args, pixel, channel), y = target_at(args, pixel, channel);
  const float weight = weight_at(args, pixel);
  PixelErrors<float> errors{sums[kAbsoluteSum], sums[kSquaredSum]};
  add_error(x - y, weight, errors);
  sums[kAbsoluteSum] = errors.absolute;
  sums[kSquaredSum] = errors.squared;
  const PixelLossGradient<float> g =
      l1_gradient(x - y, l1_factor(args.scale, args.ssim_weight) * weight);
  if constexpr (!SSIM) return g;
  return add_ssim_gradient(g, x, y, of_ssim, ssim_factor(args.scale, args.ssim_weight));
}

template <bool SSIM>
MOTE_KERNEL(kThreads)
loss_gradient(LossArgs args) {
  if (args.counters->overflow != 0) return;
  const TilePlace place = tile_place(args);
  float sums[kLossSums] = {};
  PixelLossGradient<float> gradients[kDown][3] = {};
  if constexpr (SSIM) {
#pragma unroll
    for (int channel = 0; channel < 3; ++channel) {
      const OwnMoments of_ssim = weighed_derivatives(args, place, channel);
      for_each_own_pixel(args, place, [&](int k, std::size_t pixel) {
        gradients[k][channel] =
            channel_gradient<true>(args, pixel, channel, moments_at(of_ssim, k), sums);
      });
    }
  }
  for_each_own_pixel(args, place, [&](int k, std::size_t pixel) {
    if constexpr (!SSIM) {
#pragma unroll
      for (int channel = 0; channel < 3; ++channel) {
        gradients[k][channel] = channel_gradient<false>(args, pixel, channel, {}, sums);
      }
    }
    leave_gradient(args, pixel, gradients[k], sums);
  });
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
