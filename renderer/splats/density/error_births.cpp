#include "splats/density/error_births.h"

#include <algorithm>
#include <cmath>
#include <glm/matrix.hpp>
#include <limits>
#include <optional>

#include "core/error.h"
#include "math/counter_random.h"
#include "splats/density/mcmc.h"

namespace mote {
namespace {

/// Sums of errors are integers, which do not depend on the order.
constexpr double kErrorUnit = 0x1p-20;
constexpr double kLargestError = 16;

struct ErrorCell {
  std::uint64_t error = 0;   // in kErrorUnit, over the pixels that count
  std::uint64_t pixels = 0;  // that count
  bool is_above(double mean) const {
    return static_cast<double>(error) * kErrorUnit > mean * static_cast<double>(pixels);
  }
};

class ErrorCells {
 public:
  explicit ErrorCells(const ErrorPicture& picture)
      : picture_(picture),
        width_(picture.camera.width),
        height_(picture.camera.height),
        columns_((width_ + kBirthCell_px - 1) / kBirthCell_px) {
    const int rows = (height_ + kBirthCell_px - 1) / kBirthCell_px;
    cells_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows));
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) add(x, y);
    }
    sum_up();
  }

  /// Whether some cell has births.
  bool any() const { return !sums_.empty() && sums_.back() > 0; }
  std::size_t draw(std::uint64_t bits) const {
    return lottery_winner(sums_.data(), static_cast<std::uint32_t>(sums_.size()), bits);
  }
  /// A random pixel of a cell, of those that count; number in the picture.
  std::size_t pixel_of(std::size_t cell, std::uint64_t bits) const {
    std::uint64_t left = random_below(cells_[cell].pixels, bits);
    const int first_x = static_cast<int>(cell) % columns_ * kBirthCell_px;
    const int first_y = static_cast<int>(cell) / columns_ * kBirthCell_px;
    for (int y = first_y; y < std::min(first_y + kBirthCell_px, height_); ++y) {
      for (int x = first_x; x < std::min(first_x + kBirthCell_px, width_); ++x) {
        if (!counts(number(x, y))) continue;
        if (left == 0) return number(x, y);
        --left;
      }
    }
    CHECK(false);
    return 0;
  }

 private:
  std::size_t number(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  bool counts(std::size_t pixel) const {
    return picture_.weight.pixels.empty() || picture_.weight.pixels[pixel] >= 0.5f;
  }
  void add(int x, int y) {
    const std::size_t pixel = number(x, y);
    if (!counts(pixel)) return;
    double error = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      error += std::abs(static_cast<double>(picture_.rgb.pixels[3 * pixel + c]) -
                        static_cast<double>(picture_.truth.pixels[3 * pixel + c]));
    }
    // Phrased positively, so that NaN counts as none.
    const double limited = error > 0 ? std::min(error, kLargestError) : 0;
    ErrorCell& cell =
        cells_[static_cast<std::size_t>(y / kBirthCell_px * columns_ + x / kBirthCell_px)];
    cell.error += static_cast<std::uint64_t>(limited / kErrorUnit);
    ++cell.pixels;
  }
  /// Inclusive sums of the errors of cells that have births.
  void sum_up() {
    ErrorCell all;
    for (const ErrorCell& cell : cells_) {
      all.error += cell.error;
      all.pixels += cell.pixels;
    }
    if (all.pixels == 0) return;
    const double mean =
        static_cast<double>(all.error) * kErrorUnit / static_cast<double>(all.pixels);
    std::uint64_t sum = 0;
    for (const ErrorCell& cell : cells_) {
      if (cell.is_above(std::max(2 * mean, kLeastBirthError))) sum += cell.error;
      sums_.push_back(sum);
    }
  }

  const ErrorPicture& picture_;
  int width_, height_, columns_;
  std::vector<ErrorCell> cells_;
  std::vector<std::uint64_t> sums_;
};

/// The depths of a picture.
class BirthDepths {
 public:
  explicit BirthDepths(const ErrorPicture& picture) : picture_(picture) {
    for (std::size_t i = 0; i < picture.depth_median.pixels.size(); ++i) {
      if (is_solid(i)) solid_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  /// View z: that of the pixel, or of a random one; empty without any.
  std::optional<double> at(std::size_t pixel, std::uint64_t bits) const {
    if (is_solid(pixel)) return depth(pixel);
    if (solid_.empty()) return {};
    return depth(solid_[random_below(solid_.size(), bits)]);
  }

 private:
  double depth(std::size_t pixel) const {
    return static_cast<double>(picture_.depth_median.pixels[pixel]);
  }
  bool is_solid(std::size_t pixel) const {
    return picture_.alpha.pixels[pixel] > 0.5f && depth(pixel) > 0 &&
           depth(pixel) < std::numeric_limits<float>::max();
  }

  const ErrorPicture& picture_;
  std::vector<std::uint32_t> solid_;  // pixels
};

/// From -1 to 1.
double random_sign(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

}  // namespace

std::vector<BirthPlace> error_births(const ErrorPicture& picture, std::size_t count,
                                     std::uint64_t seed) {
  const Camera& camera = picture.camera;
  const std::size_t pixels =
      static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  CHECK(picture.rgb.pixels.size() == 3 * pixels && picture.truth.pixels.size() == 3 * pixels);
  CHECK(picture.alpha.pixels.size() == pixels && picture.depth_median.pixels.size() == pixels);
  CHECK(picture.weight.pixels.empty() || picture.weight.pixels.size() == pixels);
  std::vector<BirthPlace> places;
  const ErrorCells cells(picture);
  if (count == 0 || !cells.any()) return places;
  const BirthDepths depths(picture);
  constexpr std::uint64_t kDraws = 4;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = [&](std::uint64_t draw) { return random_bits(seed, kDraws * i + draw); };
    const std::size_t pixel = cells.pixel_of(cells.draw(bits(0)), bits(1));
    const std::optional<double> depth = depths.at(pixel, bits(2));
    if (!depth) continue;
    const double z = *depth * (1 + kBirthDepthShare * random_sign(bits(3)));
    const auto width = static_cast<std::size_t>(camera.width);
    const glm::dvec2 place(static_cast<double>(pixel % width) + 0.5,
                           static_cast<double>(pixel / width) + 0.5);
    const glm::dvec2 slope = (place - camera.center_px) / camera.focal_px;
    const glm::dvec3 position_cam = glm::dvec3(slope, 1) * z;
    BirthPlace birth;
    birth.position_world =
        glm::transpose(camera.cam_from_world) * (position_cam - camera.translation);
    birth.size_world = kBirthCell_px * z / std::sqrt(camera.focal_px.x * camera.focal_px.y);
    for (std::size_t c = 0; c < 3; ++c) {
      birth.color[c] = static_cast<double>(picture.truth.pixels[3 * pixel + c]);
    }
    places.push_back(birth);
  }
  return places;
}

}  // namespace mote
