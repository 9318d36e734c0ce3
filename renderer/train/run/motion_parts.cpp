#include "train/run/motion_parts.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace mote {
namespace {

constexpr int kCell = 4;           // side of a cell, coarse pixels
constexpr int kLeastPart_px = 64;  // shorter sides would be mostly the window of SSIM
constexpr int kPartsOfSide = 3;    // a part has a third of the photograph's width and height

Image8 part_of(const Image8& image, const PhotoPart& part) {
  Image8 result;
  if (image.pixels.empty()) return result;
  result.resize_discard(part.width, part.height, image.channels);
  for (int y = 0; y < part.height; ++y) {
    const std::uint8_t* from = image.row(part.y + y) + part.x * image.channels;
    std::copy_n(from, part.width * image.channels, result.row(y));
  }
  return result;
}

/// Where a side of `length` pixels of a part begins, so that its middle is near `middle`.
int begin_of(double middle, int length, int whole) {
  return std::clamp(static_cast<int>(std::lround(middle - 0.5 * length)), 0, whole - length);
}

}  // namespace

Camera camera_of(const Camera& camera, const PhotoPart& part) {
  Camera result = camera;
  result.width = part.width;
  result.height = part.height;
  result.center_px -= glm::dvec2(part.x, part.y);
  return result;
}

PhotoPixels pixels_of(const PhotoPixels& photo, const PhotoPart& part) {
  PhotoPixels result;
  result.color = part_of(photo.color, part);
  result.mask = part_of(photo.mask, part);
  return result;
}

std::optional<PhotoPart> MotionParts::draw(std::uint32_t photograph, const Camera& camera,
                                           Random& random) {
  PhotoPart part{.width = (camera.width + kPartsOfSide - 1) / kPartsOfSide,
                 .height = (camera.height + kPartsOfSide - 1) / kPartsOfSide};
  if (std::min(part.width, part.height) < kLeastPart_px) return {};
  const Image8 differences = medians_.differences(photograph);
  if (differences.pixels.empty()) return {};
  const int columns = (differences.width + kCell - 1) / kCell,
            rows = (differences.height + kCell - 1) / kCell;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(columns) *
                                  static_cast<std::size_t>(rows));
  for (int y = 0; y < differences.height; ++y) {
    for (int x = 0; x < differences.width; ++x) {
      const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(differences.width) +
                         static_cast<std::size_t>(x);
      const auto cell = static_cast<std::size_t>(y / kCell) * static_cast<std::size_t>(columns) +
                        static_cast<std::size_t>(x / kCell);
      sums[cell] += differences.pixels[pixel];
    }
  }
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  if (sums.back() == 0) return {};
  const auto drawn =
      static_cast<std::uint64_t>(random.uniform() * static_cast<double>(sums.back()));
  const auto cell = static_cast<int>(std::ranges::upper_bound(sums, drawn) - sums.begin());
  const double per_coarse_x = static_cast<double>(camera.width) / differences.width,
               per_coarse_y = static_cast<double>(camera.height) / differences.height;
  // The place is anywhere in the middle half of the part.
  const double middle_x =
      (cell % columns + 0.5) * kCell * per_coarse_x + random.uniform(-0.25, 0.25) * part.width;
  const double middle_y =
      (cell / columns + 0.5) * kCell * per_coarse_y + random.uniform(-0.25, 0.25) * part.height;
  part.x = begin_of(middle_x, part.width, camera.width);
  part.y = begin_of(middle_y, part.height, camera.height);
  return part;
}

}  // namespace mote
