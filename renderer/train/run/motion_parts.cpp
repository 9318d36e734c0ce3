#include "train/run/motion_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace mote {
namespace {

constexpr int kCell = 4;               // side of a cell, coarse pixels
constexpr int kLeastPart_px = 64;      // shorter sides would be mostly the window of SSIM
constexpr int kPartsOfSide = 3;        // a part has a third of the photograph's width and height
constexpr std::size_t kOfMedian = 11;  // photographs of a camera
constexpr std::size_t kFewestMoments = 8;
constexpr int kNoise = 12;  // smaller differences, of 255, count as noise

bool is_same_place(const Camera& a, const Camera& b) {
  return a.width == b.width && a.height == b.height && a.focal_px == b.focal_px &&
         a.center_px == b.center_px && a.cam_from_world == b.cam_from_world &&
         a.translation == b.translation;
}

/// The difference of a pixel's colour from the median, of 255 and above the noise.
int difference_at(const Image8& picture, const Image8& median, std::size_t pixel) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  int most = 0;
  for (std::size_t c = 0; c < std::min<std::size_t>(channels, 3); ++c) {
    const std::size_t at = pixel * channels + c;
    most = std::max(most, std::abs(int{picture.pixels[at]} - int{median.pixels[at]}));
  }
  return std::max(most - kNoise, 0);
}

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

std::vector<std::vector<std::uint32_t>> photographs_of_cameras(const Dataset& dataset) {
  std::vector<std::vector<std::uint32_t>> of_cameras(
      std::max<std::size_t>(dataset.camera_groups.size(), 1));
  for (const std::uint32_t i : dataset.train) {
    of_cameras[dataset.photographs[i].camera_group].push_back(i);
  }
  for (std::vector<std::uint32_t>& list : of_cameras) {
    std::ranges::stable_sort(list, {},
                             [&](std::uint32_t i) { return dataset.photographs[i].time_s; });
  }
  return of_cameras;
}

MotionParts::MotionParts(const Dataset& dataset, PhotoStore& photos, int coarse_side_px)
    : dataset_(dataset),
      photos_(photos),
      coarse_side_px_(coarse_side_px),
      of_cameras_(photographs_of_cameras(dataset)),
      still_(of_cameras_.size()) {}

int MotionParts::coarse_level(std::uint32_t photograph) const {
  const Camera& camera = dataset_.photographs[photograph].camera;
  int level = 0;
  while (std::max(camera.width, camera.height) >> level > coarse_side_px_) ++level;
  return level;
}

const Image8& MotionParts::median_of(std::uint32_t group) {
  Still& still = still_[group];
  if (std::exchange(still.is_known, true)) return still.median;
  const std::vector<std::uint32_t>& list = of_cameras_[group];
  const Camera& camera = dataset_.photographs[list.front()].camera;
  const bool is_still = list.size() >= kFewestMoments && std::ranges::all_of(list, [&](auto i) {
                          return is_same_place(dataset_.photographs[i].camera, camera);
                        });
  if (!is_still || camera.lens) return still.median;
  const std::size_t count = std::min(kOfMedian, list.size());
  std::vector<std::shared_ptr<const PhotoPixels>> pictures;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t photograph = list[(2 * i + 1) * list.size() / (2 * count)];
    pictures.push_back(photos_.get(photograph, coarse_level(photograph)));
    const bool fits = !pictures.back()->is_linear() &&
                      pictures.back()->color.pixels.size() == pictures.front()->color.pixels.size();
    if (!fits) return still.median;
  }
  const Image8& first = pictures.front()->color;
  Image8 median;
  median.resize_discard(first.width, first.height, first.channels);
  std::array<std::uint8_t, kOfMedian> values{};
  for (std::size_t i = 0; i < median.pixels.size(); ++i) {
    for (std::size_t k = 0; k < count; ++k) values[k] = pictures[k]->color.pixels[i];
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
    median.pixels[i] = *middle;
  }
  still.median = std::move(median);
  return still.median;
}

Image8 MotionParts::differing_pixels(std::uint32_t photograph) {
  Image8 differing;
  const Image8& median = median_of(dataset_.photographs[photograph].camera_group);
  if (median.pixels.empty()) return differing;
  const auto photo = photos_.get(photograph, coarse_level(photograph));
  const Image8& picture = photo->color;
  if (picture.pixels.size() != median.pixels.size()) return differing;
  differing.resize_discard(picture.width, picture.height, 1);
  for (std::size_t i = 0; i < differing.pixels.size(); ++i) {
    const bool differs = difference_at(picture, median, i) > 0;
    differing.pixels[i] = static_cast<std::uint8_t>(differs ? 255 : 0);
  }
  return differing;
}

std::optional<PhotoPart> MotionParts::draw(std::uint32_t photograph, const Camera& camera,
                                           Random& random) {
  PhotoPart part{.width = (camera.width + kPartsOfSide - 1) / kPartsOfSide,
                 .height = (camera.height + kPartsOfSide - 1) / kPartsOfSide};
  if (std::min(part.width, part.height) < kLeastPart_px) return {};
  const Image8& median = median_of(dataset_.photographs[photograph].camera_group);
  if (median.pixels.empty()) return {};
  const auto photo = photos_.get(photograph, coarse_level(photograph));
  const Image8& picture = photo->color;
  if (picture.pixels.size() != median.pixels.size()) return {};
  const int columns = (picture.width + kCell - 1) / kCell,
            rows = (picture.height + kCell - 1) / kCell;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(columns) *
                                  static_cast<std::size_t>(rows));
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                         static_cast<std::size_t>(x);
      const auto cell = static_cast<std::size_t>(y / kCell) * static_cast<std::size_t>(columns) +
                        static_cast<std::size_t>(x / kCell);
      sums[cell] += static_cast<std::uint64_t>(difference_at(picture, median, pixel));
    }
  }
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  if (sums.back() == 0) return {};
  const auto drawn =
      static_cast<std::uint64_t>(random.uniform() * static_cast<double>(sums.back()));
  const auto cell = static_cast<int>(std::ranges::upper_bound(sums, drawn) - sums.begin());
  const double per_coarse_x = static_cast<double>(camera.width) / picture.width,
               per_coarse_y = static_cast<double>(camera.height) / picture.height;
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
