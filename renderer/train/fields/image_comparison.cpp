#include "train/fields/image_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/buffer.h"
#include "core/file.h"
#include "fields/planes.h"
#include "io/images/image_files.h"
#include "math/display_curve.h"
#include "train/fields/image_target.h"
#include "train/run/evaluation.h"
#include "train/run/metrics.h"
#include "train/run/metrics_file.h"

namespace mote {
namespace {

/// Pictures of the target and of the field, scaled down by a whole factor.
class ShownPictures {
 public:
  explicit ShownPictures(const PixelStore& pixels) : factor_(factor_of(pixels)) {
    const auto covered = [&](int side) { return std::min(side, factor_); };
    share_ = 1 / static_cast<float>(covered(pixels.width()) * covered(pixels.height()));
    const ImageSize size = size_of(pixels);
    for (Image* image : {&truth, &rendered}) {
      image->resize_discard(size.width, size.height, 3);
      std::ranges::fill(image->pixels.span(), 0.0f);
    }
  }

  /// Pixels of the target per side of a pixel.
  static int factor_of(const PixelStore& pixels) {
    const int longest = std::max(pixels.width(), pixels.height());
    return (longest + ImageTarget::kMostShown_px - 1) / ImageTarget::kMostShown_px;
  }
  /// Rows and columns that do not fill a pixel are left out.
  static ImageSize size_of(const PixelStore& pixels) {
    const int factor = factor_of(pixels);
    return {std::max(pixels.width() / factor, 1), std::max(pixels.height() / factor, 1)};
  }

  bool is_whole() const { return factor_ == 1; }
  void add(int x, int y, std::size_t channel, float wanted, float found) {
    const int to_x = x / factor_, to_y = y / factor_;
    if (to_x >= truth.width || to_y >= truth.height) return;
    const auto at = static_cast<std::size_t>(3 * to_x) + channel;
    truth.row(to_y)[at] += share_ * wanted;
    rendered.row(to_y)[at] += share_ * found;
  }

  Image truth, rendered;

 private:
  const int factor_;
  float share_ = 1;  // of a pixel in the one that shows it
};

void write_pictures(const ShownPictures& shown, const std::filesystem::path& folder,
                    const std::string& name) {
  Image difference;
  difference.resize_discard(shown.truth.width, shown.truth.height, 3);
  for (std::size_t i = 0; i < difference.pixels.size(); ++i) {
    difference.pixels[i] = kDiffGain * std::abs(shown.rendered.pixels[i] - shown.truth.pixels[i]);
  }
  const std::array<const Image*, 3> images{&shown.truth, &shown.rendered, &difference};
  const std::vector<std::filesystem::path> files = comparison_files(name);
  for (std::size_t i = 0; i < images.size(); ++i) {
    make_folders((folder / files[i]).parent_path());
    write_png(*images[i], folder / files[i]);
  }
}

}  // namespace

std::vector<std::filesystem::path> comparison_files(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const char* kind : {"gt", "render", "diff"}) {
    files.push_back(std::filesystem::path(kind) / (name + ".png"));
  }
  return files;
}

std::size_t positions_at_once(const PixelStore& pixels) {
  return static_cast<std::size_t>(pixels.width()) * PixelStore::kTile_px;
}

std::uint64_t picture_comparison_bytes(const PixelStore& pixels, bool pictures) {
  constexpr std::uint64_t kPlanes = 2 + 3;  // positions and values
  const std::uint64_t bands = kPlanes * field_plane_stride(positions_at_once(pixels));
  const ImageSize size = ShownPictures::size_of(pixels);
  const std::uint64_t image =
      3 * static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  const bool has_ssim = ShownPictures::factor_of(pixels) == 1;
  const std::uint64_t after =
      std::max(pictures ? image * sizeof(float) : 0,
               has_ssim ? image_comparison_bytes(static_cast<std::uint64_t>(size.width)) : 0);
  return (bands + 2 * image) * sizeof(float) + after;
}

ImageComparison compare_with_picture(const PixelStore& pixels, const TargetScoreRequest& request,
                                     const std::string& name) {
  constexpr int kSide = PixelStore::kTile_px;
  const bool linear = pixels.facts().is_linear;
  const auto shown_value = [&](float value) {
    return linear ? display_from_linear(value) : std::clamp(value, 0.0f, 1.0f);
  };
  ShownPictures shown(pixels);
  const auto width = static_cast<std::size_t>(pixels.width());
  const std::size_t stride = field_plane_stride(positions_at_once(pixels));
  Buffer<float> positions(2 * stride), values(3 * stride);
  double squared = 0;
  for (int band = 0; band < pixels.tiles_down(); ++band) {
    const int rows = std::min(kSide, pixels.height() - band * kSide);
    const std::size_t count = width * static_cast<std::size_t>(rows);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = static_cast<double>(i % width) + 0.5;
      const double y = static_cast<double>(i / width) + 0.5 + band * kSide;
      positions[i] = static_cast<float>(x / pixels.width());
      positions[stride + i] = static_cast<float>(y / pixels.height());
    }
    request.field.evaluate(positions.data(), count, stride, values.data());
    PixelStore::TileReader tile(pixels);
    for (int tile_x = 0; tile_x < pixels.tiles_across(); ++tile_x) {
      tile.open(tile_x, band);
      const int columns = std::min(kSide, pixels.width() - tile_x * kSide);
      for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
          float rgb[3];
          tile.color(x, y, rgb);
          const int whole_x = tile_x * kSide + x;
          const std::size_t at =
              static_cast<std::size_t>(y) * width + static_cast<std::size_t>(whole_x);
          for (std::size_t c = 0; c < 3; ++c) {
            const float wanted = shown_value(rgb[c]), found = shown_value(values[c * stride + at]);
            const double difference = static_cast<double>(found) - static_cast<double>(wanted);
            squared += difference * difference;
            shown.add(whole_x, band * kSide + y, c, wanted, found);
          }
        }
      }
    }
    if (request.progress) request.progress((band + 1.0) / pixels.tiles_down());
  }
  ImageComparison result;
  result.psnr_db = psnr_of_mse(squared / (3.0 * static_cast<double>(width) * pixels.height()));
  if (shown.is_whole()) result.ssim = compare_images(shown.rendered, shown.truth, {}).ssim;
  if (!request.pictures.empty()) write_pictures(shown, request.pictures, name);
  return result;
}

}  // namespace mote
