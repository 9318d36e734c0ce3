#include "train/run/camera_medians.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

namespace mote {
namespace {

constexpr std::size_t kOfMedian = 11;  // photographs of a camera
constexpr std::size_t kFewestMoments = 8;
constexpr int kNoise = 12;  // smaller differences, of 255, count as noise

bool is_same_place(const Camera& a, const Camera& b) {
  return a.width == b.width && a.height == b.height && a.focal_px == b.focal_px &&
         a.center_px == b.center_px && a.cam_from_world == b.cam_from_world &&
         a.translation == b.translation;
}

}  // namespace

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

CameraMedians::CameraMedians(const Dataset& dataset, PhotoStore& photos, int coarse_side_px)
    : dataset_(dataset),
      photos_(photos),
      coarse_side_px_(coarse_side_px),
      of_cameras_(photographs_of_cameras(dataset)),
      still_(of_cameras_.size()) {}

int CameraMedians::coarse_level(std::uint32_t photograph) const {
  return level_within(dataset_.photographs[photograph].camera, coarse_side_px_);
}

const Image8& CameraMedians::median_of(std::uint32_t group) {
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

Image8 CameraMedians::differences(std::uint32_t photograph) {
  Image8 result;
  const Image8& median = median_of(dataset_.photographs[photograph].camera_group);
  if (median.pixels.empty()) return result;
  const auto photo = photos_.get(photograph, coarse_level(photograph));
  const Image8& picture = photo->color;
  if (picture.pixels.size() != median.pixels.size()) return result;
  result.resize_discard(picture.width, picture.height, 1);
  const auto channels = static_cast<std::size_t>(picture.channels);
  for (std::size_t i = 0; i < result.pixels.size(); ++i) {
    int most = 0;
    for (std::size_t at = i * channels; at < i * channels + std::min<std::size_t>(channels, 3);
         ++at) {
      most = std::max(most, std::abs(int{picture.pixels[at]} - int{median.pixels[at]}));
    }
    result.pixels[i] = static_cast<std::uint8_t>(std::max(most - kNoise, 0));
  }
  return result;
}

}  // namespace mote
