// Pictures of neural images. A warp has a rectangle of pixels and takes one sample of each at a
// time.

#include "cuda/kernels/fields/image_picture.h"

#include "cuda/kernels/fields/field_launch.h"
#include "cuda/pictures/texels.h"
#include "math/display_curve.h"

namespace mote::cuda {
namespace {

constexpr int kTileWidth_px = 8;

/// The pixels of a warp, one after the other in rows of kTileWidth_px.
struct PixelTile {
  int x, y;  // of the first pixel

  MOTE_MEMBER int column(int pixel) const { return x + pixel % kTileWidth_px; }
  MOTE_MEMBER int row(int pixel) const { return y + pixel / kTileWidth_px; }
};

MOTE_DEVICE SeenPoint<float> seen(const ImagePictureArgs& args, const PixelTile& tile, int pixel,
                                  int sample) {
  const auto step = 1.0f / static_cast<float>(args.samples_per_side);
  const auto offset = [&](int i) { return (static_cast<float>(i) + 0.5f) * step; };
  return seen_point(args.view,
                    static_cast<float>(tile.column(pixel)) + offset(sample % args.samples_per_side),
                    static_cast<float>(tile.row(pixel)) + offset(sample / args.samples_per_side));
}

MOTE_DEVICE float shown(const ImagePictureArgs& args, float value) {
  return args.hdr ? display_from_linear(value) : clamped_display(value);
}

/// Sums over the samples of a lane's pixels: pixel 8 i + g of the tile, with g = lane / 4. Lanes
/// with lane % 4 = 0 have red and green, those with 1 have blue.
template <int PIXELS>
struct PixelSums {
  float first[PIXELS], second[PIXELS];
  int inside[PIXELS];
};

template <int ROWS>
MOTE_DEVICE void add_samples(const ImagePictureArgs& args, const BlockSums<ROWS>& outputs,
                             const bool (&inside)[2 * ROWS], PixelSums<2 * ROWS>& sums) {
  MOTE_UNROLL
  for (int i = 0; i < 2 * ROWS; ++i) {
    if (!inside[i]) continue;
    const float4 own = outputs.at[i / 2][0];
    sums.first[i] += shown(args, i % 2 == 0 ? own.x : own.z);
    sums.second[i] += shown(args, i % 2 == 0 ? own.y : own.w);
    ++sums.inside[i];
  }
}

MOTE_DEVICE void store_pixel(const ImagePictureArgs& args, const PixelTile& tile, int pixel,
                             float first, float second, int inside) {
  const int x = tile.column(pixel), y = tile.row(pixel);
  const float blue = __shfl_down_sync(kWholeWarp, first, 1);
  if (x >= args.width || y >= args.height || threadIdx.x % 4 != 0) return;
  const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(args.width) +
                         static_cast<std::size_t>(x);
  const auto samples = static_cast<float>(args.samples_per_side * args.samples_per_side);
  const float alpha = static_cast<float>(inside) / samples;
  const auto over = [&](float sum, int channel) {
    return sum / samples + (1 - alpha) * args.background[channel];
  };
  const PictureImages& to = args.images;
  write_color(to.texels, to.rgb, at, {over(first, 0), over(second, 1), over(blue, 2)});
  if (to.alpha != nullptr) to.alpha[at] = alpha;
  if (to.overdraw != nullptr) to.overdraw[at] = static_cast<float>(inside);
  if (to.depth_expected == nullptr) return;
  const SeenPoint<float> middle =
      seen_point(args.view, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
  to.depth_expected[at] = to.depth_median[at] =
      inside > 0 && middle.distance > 0 ? middle.distance : 0.0f;
}

template <int WIDTH, int FEATURES>
MOTE_DEVICE void draw_tile(const ImagePictureArgs& args, const FieldMemory& memory,
                           const StageClock& clock, const PixelTile& tile) {
  constexpr int kOwnRows = kRows<WIDTH>, kPixels = 2 * kOwnRows;
  const auto g = static_cast<int>(threadIdx.x % kWarp / 4);
  PixelSums<kPixels> sums{};
  for (int sample = 0; sample < args.samples_per_side * args.samples_per_side; ++sample) {
    bool inside[kPixels], some = false;
    MOTE_UNROLL
    for (int i = 0; i < kPixels; ++i) {
      inside[i] = is_inside(seen(args, tile, 8 * i + g, sample));
      some |= inside[i];
    }
    if (__any_sync(kWholeWarp, some ? 1 : 0) == 0) continue;
    BlockSums<kOwnRows> outputs;
    evaluate_field<WIDTH, 2, FEATURES>(
        args.field, memory.weights,
        [&](int pixel, float(&x)[2]) {
          const SeenPoint<float> point = seen(args, tile, pixel, sample);
          const bool is_point = is_inside(point);
          x[0] = is_point ? point.x : 0.5f;
          x[1] = is_point ? point.y : 0.5f;
        },
        memory.warp_words, outputs, clock);
    add_samples<kOwnRows>(args, outputs, inside, sums);
  }
  MOTE_UNROLL
  for (int i = 0; i < kPixels; ++i) {
    store_pixel(args, tile, 8 * i + g, sums.first[i], sums.second[i], sums.inside[i]);
  }
  clock.reach(FieldStage::rest);
}

template <int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kFieldThreads, kFieldBlocks<WEIGHTS_IN_SHARED>)
image_picture(ImagePictureArgs args) {
  constexpr int kTileHeight_px = static_cast<int>(kTileSamples<WIDTH>) / kTileWidth_px;
  const FieldMemory memory =
      field_memory<WIDTH, FEATURES, WEIGHTS_IN_SHARED>(args.field, kStageWords);
  const StageClock clock(args.stage_ticks, memory.kernel_words);
  const unsigned across = static_cast<unsigned>((args.width + kTileWidth_px - 1) / kTileWidth_px);
  const unsigned down = static_cast<unsigned>((args.height + kTileHeight_px - 1) / kTileHeight_px);
  const unsigned first_tile = blockIdx.x * kFieldWarps + threadIdx.x / kWarp;
  for (unsigned tile = first_tile; tile < across * down; tile += gridDim.x * kFieldWarps) {
    draw_tile<WIDTH, FEATURES>(args, memory, clock,
                               {static_cast<int>(tile % across) * kTileWidth_px,
                                static_cast<int>(tile / across) * kTileHeight_px});
  }
  clock.finish();
}

}  // namespace

void run_image_picture(const ImagePictureArgs& args, cudaStream_t stream) {
  const std::size_t pixels =
      static_cast<std::size_t>(args.width) * static_cast<std::size_t>(args.height);
  launch_field(
      args.field, pixels, "drawing a neural image",
      [&]<int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>() {
        return image_picture<WIDTH, FEATURES, WEIGHTS_IN_SHARED>;
      },
      stream, args, kStageWords);
}

}  // namespace mote::cuda
