#include "scene/inner_views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <tuple>

#include "core/error.h"
#include "scene/scene_layout.h"

namespace mote {
namespace {

constexpr int kSamplesASide = 12;
constexpr std::array<double, 3> kDepths{0.7, 1, 1.5};  // relative to the view's middle depth
constexpr std::size_t kViewSamples = kSamplesASide * kSamplesASide * kDepths.size();
constexpr int kEnough = 3;  // number of views that determine the look of a place

bool shows(const Camera& camera, const glm::dvec3& position) {
  const glm::dvec3 p = camera.cam_from_world * position + camera.translation;
  if (!(p.z > 0)) return false;
  const glm::dvec2 px = camera.focal_px * glm::dvec2(p) / p.z + camera.center_px;
  return px.x >= 0 && px.y >= 0 && px.x <= camera.width && px.y <= camera.height;
}

/// Median depth of the points that the camera shows; `otherwise` if there are too few.
double middle_depth(const Camera& camera, const PointCloud& points, double otherwise) {
  constexpr std::size_t kMostPoints = 5000, kFewPoints = 8;
  const std::size_t stride = points.positions.size() / kMostPoints + 1;
  std::vector<double> depths;
  for (std::size_t i = 0; i < points.positions.size(); i += stride) {
    const glm::dvec3& position = points.positions[i];
    if (!shows(camera, position)) continue;
    depths.push_back((camera.cam_from_world * position + camera.translation).z);
  }
  if (depths.size() < kFewPoints) return otherwise;
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return *middle;
}

std::vector<glm::dvec3> sample_positions(const Camera& camera, double depth) {
  std::vector<glm::dvec3> positions;
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  for (const double factor : kDepths) {
    for (int y = 0; y < kSamplesASide; ++y) {
      for (int x = 0; x < kSamplesASide; ++x) {
        const glm::dvec2 px = (glm::dvec2(x, y) + 0.5) / double{kSamplesASide} *
                              glm::dvec2(camera.width, camera.height);
        const glm::dvec2 slope = (px - camera.center_px) / camera.focal_px;
        const glm::dvec3 in_camera = depth * factor * glm::dvec3(slope, 1);
        positions.push_back(world_from_cam * (in_camera - camera.translation));
      }
    }
  }
  return positions;
}

/// For each pair of views: the samples of the first view that the second shows.
class Coverage {
 public:
  Coverage(std::span<const Camera> cameras, const PointCloud& points) : count_(cameras.size()) {
    Dataset all;
    for (std::uint32_t i = 0; i < count_; ++i) {
      all.train.push_back(i);
      all.photographs.emplace_back().camera = cameras[i];
    }
    const double distance = measure_layout(all).distance;
    shown_.resize(count_ * count_);
    for (std::size_t view = 0; view < count_; ++view) {
      const glm::dvec3 eye = cameras[view].position_world();
      const std::vector<glm::dvec3> samples =
          sample_positions(cameras[view], middle_depth(cameras[view], points, distance));
      for (std::size_t other = 0; other < count_; ++other) {
        std::vector<bool>& shown = shown_[view * count_ + other];
        for (const glm::dvec3& sample : samples) {
          shown.push_back(other != view &&
                          alike(sample - eye, sample - cameras[other].position_world()) &&
                          shows(cameras[other], sample));
        }
      }
    }
  }

  std::size_t count() const { return count_; }

  /// How well the views not left out show this one, 0 to 1: the number of views that show a sample,
  /// at most kEnough, divided by kEnough; mean over its samples.
  double shown(std::size_t view, const std::vector<bool>& left_out) const {
    int sum = 0;
    for (std::size_t i = 0; i < kViewSamples; ++i) {
      sum += std::min(times(view, i, left_out), kEnough);
    }
    return static_cast<double>(sum) / static_cast<double>(kEnough * kViewSamples);
  }
  /// The fraction of the view's samples that at least two other views show.
  double shown_twice(std::size_t view, const std::vector<bool>& left_out) const {
    int sum = 0;
    for (std::size_t i = 0; i < kViewSamples; ++i) sum += times(view, i, left_out) >= 2 ? 1 : 0;
    return static_cast<double>(sum) / static_cast<double>(kViewSamples);
  }

 private:
  /// Whether two directions differ by less than 60 degrees. From behind, a place looks different.
  static bool alike(const glm::dvec3& a, const glm::dvec3& b) {
    return glm::dot(a, b) > 0.5 * glm::length(a) * glm::length(b);
  }
  int times(std::size_t view, std::size_t sample, const std::vector<bool>& left_out) const {
    int count = 0;
    for (std::size_t other = 0; other < count_ && count < kEnough; ++other) {
      count += !left_out[other] && shown_[view * count_ + other][sample] ? 1 : 0;
    }
    return count;
  }

  std::size_t count_;
  std::vector<std::vector<bool>> shown_;  // [view][other][sample]
};

/// The merit of adding `view` to the chosen views. The first criterion is how well the others show
/// the worst chosen view, in steps of 1/20; the second is the distance to `place` in the order of
/// names.
std::tuple<int, double, double> merit(const Coverage& coverage, std::size_t view, double place,
                                      const std::vector<bool>& taken) {
  std::vector<bool> left_out = taken;
  left_out[view] = true;
  double worst = 1;
  for (std::size_t i = 0; i < coverage.count(); ++i) {
    if (left_out[i]) worst = std::min(worst, coverage.shown(i, left_out));
  }
  return {static_cast<int>(20 * worst), -std::abs(static_cast<double>(view) - place), worst};
}

}  // namespace

InnerViews choose_inner_views(std::span<const Camera> cameras, const PointCloud& points,
                              std::size_t count) {
  CHECK(count <= cameras.size());
  const Coverage coverage(cameras, points);
  std::vector<bool> taken(cameras.size(), false);
  const auto all = static_cast<double>(cameras.size());
  for (std::size_t i = 0; i < count; ++i) {
    // The preferred place is the middle of the i-th of `count` equal parts of the order.
    const double place = (static_cast<double>(i) + 0.5) * all / static_cast<double>(count) - 0.5;
    std::size_t best = cameras.size();
    std::tuple<int, double, double> best_merit;
    for (std::size_t view = 0; view < cameras.size(); ++view) {
      if (taken[view]) continue;
      const auto one = merit(coverage, view, place, taken);
      if (best != cameras.size() && one <= best_merit) continue;
      best = view;
      best_merit = one;
    }
    taken[best] = true;
  }
  InnerViews result;
  for (std::uint32_t view = 0; view < cameras.size(); ++view) {
    if (!taken[view]) continue;
    result.views.push_back(view);
    result.least_seen = std::min(result.least_seen, coverage.shown_twice(view, taken));
  }
  return result;
}

}  // namespace mote
