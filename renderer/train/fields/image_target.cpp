#include "train/fields/image_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/file.h"
#include "core/machine.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/plain_configs.h"
#include "math/counter_random.h"
#include "math/display_curve.h"

namespace mote {
namespace {

constexpr std::size_t kPerTile = 64;  // samples of one tile of a picture that is not in memory

std::uint64_t random_offset(std::uint64_t seed, std::uint64_t axis) {
  return random_bits(seed, axis);
}

/// Coordinates of evenly spread points, as fractions of 2^64: the sequence R2 of M. Roberts 2018,
/// "The unreasonable effectiveness of quasirandom sequences", with a random offset.
struct SpreadPoints {
  explicit SpreadPoints(std::uint64_t seed)
      : x(random_offset(seed, 0)), y(random_offset(seed, 1)) {}

  static constexpr std::uint64_t kStep_x = 0xc13fa9a902a6328full, kStep_y = 0x91e10da5c79e7b1dull;
  std::uint64_t x_at(std::uint64_t i) const { return x + i * kStep_x; }
  std::uint64_t y_at(std::uint64_t i) const { return y + i * kStep_y; }
  std::uint64_t x, y;
};

int below(int count, std::uint64_t bits) {
  return static_cast<int>(random_below(static_cast<std::uint64_t>(count), bits));
}

}  // namespace

ImageTarget::ImageTarget(const std::filesystem::path& file, std::uint64_t memory_bytes,
                         const std::function<void(double fraction)>& progress)
    : file_(file), file_bytes_(InputFile(file).size()), pixels_(file, memory_bytes, progress) {
  if (pixels_.facts().has_alpha) notes_.emplace_back("transparent pixels are over black");
  if (!pixels_.is_in_memory()) {
    notes_.emplace_back("its pixels are read from a temporary file, since they exceed --memory");
  }
}

std::string ImageTarget::description() const {
  constexpr std::array<std::string_view, 3> kDepths{"8 bits", "16 bits", "floating point"};
  return fmt::format("{}, a picture of {}x{} pixels, {}", file_.string(), pixels_.width(),
                     pixels_.height(), kDepths[static_cast<std::size_t>(pixels_.facts().depth)]);
}

NeuralField ImageTarget::untrained(const FieldConfig& chosen) const {
  NeuralField field;
  field.application = FieldApplication::image;
  field.hdr = pixels_.facts().is_linear;
  field.image_width = pixels_.width();
  field.image_height = pixels_.height();
  field.config = complete_image_config(chosen, field.image_width, field.image_height, field.hdr);
  return field;
}

void ImageTarget::put(const PixelStore::TileReader& tile, int x, int y, const FieldSamples& samples,
                      std::size_t at) const {
  float rgb[3];
  tile.color(x % PixelStore::kTile_px, y % PixelStore::kTile_px, rgb);
  const auto center = [](int place, int side) {
    return static_cast<float>((static_cast<double>(place) + 0.5) / side);
  };
  samples.positions[at] = center(x, pixels_.width());
  samples.positions[samples.stride + at] = center(y, pixels_.height());
  for (std::size_t c = 0; c < 3; ++c) samples.values[c * samples.stride + at] = rgb[c];
}

void ImageTarget::fill(const TargetDraw& draw, const FieldSamples& samples) const {
  pixels_.is_in_memory() ? fill_anywhere(draw, samples) : fill_from_tiles(draw, samples);
}

void ImageTarget::fill_anywhere(const TargetDraw& draw, const FieldSamples& samples) const {
  const SpreadPoints points(draw.seed);
  PixelStore::TileReader tile(pixels_);
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::uint64_t number = samples.first + i;
    const int x = below(pixels_.width(), points.x_at(number));
    const int y = below(pixels_.height(), points.y_at(number));
    tile.open(x / PixelStore::kTile_px, y / PixelStore::kTile_px);
    put(tile, x, y, samples, i);
  }
}

void ImageTarget::fill_from_tiles(const TargetDraw& draw, const FieldSamples& samples) const {
  constexpr int kSide = PixelStore::kTile_px;
  const SpreadPoints points(draw.seed);
  PixelStore::TileReader tile(pixels_);
  int tile_x = 0, tile_y = 0;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::uint64_t number = samples.first + i;
    if (i == 0 || number % kPerTile == 0) {
      // The tile of a random pixel, so that those at the borders are not preferred.
      tile_x = below(pixels_.width(), points.x_at(number / kPerTile)) / kSide;
      tile_y = below(pixels_.height(), points.y_at(number / kPerTile)) / kSide;
      tile.open(tile_x, tile_y);
    }
    const std::uint64_t bits = random_bits(draw.seed, 2 + number);
    const int columns = std::min(kSide, pixels_.width() - tile_x * kSide);
    const int rows = std::min(kSide, pixels_.height() - tile_y * kSide);
    const int x = tile_x * kSide + below(columns, bits);
    const int y = tile_y * kSide + below(rows, mixed_bits(bits));
    put(tile, x, y, samples, i);
  }
}

std::uint64_t ImageTarget::evaluation_bytes(bool pictures) const {
  return picture_comparison_bytes(pixels_, pictures);
}

std::vector<std::filesystem::path> ImageTarget::picture_files() const {
  return comparison_files(file_.stem().string());
}

std::vector<TargetScore> ImageTarget::score(const TargetScoreRequest& request) const {
  const ImageComparison result = compare_with_picture(pixels_, request, file_.stem().string());
  const double bytes =
      2.0 * static_cast<double>(field_parameters(FieldApplication::image, request.config));
  const double pixels = static_cast<double>(pixels_.width()) * pixels_.height();
  std::vector<TargetScore> scores{{"psnr", "PSNR", "dB", result.psnr_db}};
  if (result.ssim) scores.push_back({"ssim", "SSIM", "", *result.ssim});
  scores.push_back({"bits_per_pixel", "size", "bits per pixel", 8 * bytes / pixels});
  scores.push_back({"of_raw", "times the raw bytes", "", bytes / (3 * pixels)});
  scores.push_back(
      {"of_file", "times the file's bytes", "", bytes / static_cast<double>(file_bytes_)});
  return scores;
}

}  // namespace mote
