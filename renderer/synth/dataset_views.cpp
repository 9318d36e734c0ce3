#include "synth/dataset_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/options.h"
#include "core/random.h"

namespace mote::synth {
namespace {

constexpr double kFieldOfView = 0.73;  // across the width, radians

/// Whether view i of the plan is for testing; test views are evenly spaced.
bool is_test_view(int i, const DatasetPlan& plan) {
  const std::int64_t count = plan.train_views + plan.test_views;
  const std::int64_t before = i * std::int64_t{plan.test_views} / count;
  return (i + 1) * std::int64_t{plan.test_views} / count > before;
}

}  // namespace

std::vector<DatasetView> dataset_views(const Scene& scene, const DatasetPlan& plan) {
  constexpr double kTurn = std::numbers::pi * (3 - 2.2360679774997896);  // the golden angle
  constexpr double kShake = 0.04, kDistanceShake = 0.07;
  CHECK(plan.train_views > 0 && plan.test_views >= 0);
  const int count = plan.train_views + plan.test_views;
  Random random(plan.seed, 1), exposures(plan.seed, 2);
  const double start = random.uniform(0, 2 * std::numbers::pi);
  std::vector<DatasetView> views;
  for (int i = 0; i < count; ++i) {
    DatasetView view;
    view.name = fmt::format("r_{:0{}}", i, count > 1000 ? 5 : 3);
    view.is_test = is_test_view(i, plan);
    view.time = plan.moving && count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    const double gain = std::exp2(plan.exposure_jitter * exposures.normal());
    view.exposure = view.is_test ? 1 : gain;
    // Elevations by van der Corput's sequence, so that any range of the views covers all of them.
    double share = 0;
    for (int rest = i, unit = 2; rest > 0; rest /= 2, unit *= 2) {
      share += static_cast<double>(rest % 2) / unit;
    }
    const double low = std::sin(static_cast<double>(scene.low_rad));
    const double high = std::sin(static_cast<double>(scene.high_rad));
    const double rise = low + (high - low) * std::min(share + random.uniform(0, 1.0 / count), 1.0);
    const double azimuth = start + i * kTurn + random.uniform(-kShake, kShake);
    const double across = std::sqrt(1 - rise * rise);
    const double distance =
        static_cast<double>(scene.distance) * (1 + random.uniform(-kDistanceShake, kDistanceShake));
    const glm::dvec3 target =
        glm::dvec3(scene.target) +
        kShake * glm::dvec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    Camera& camera = view.camera;
    camera.width = plan.width;
    camera.height = plan.height;
    // The field of view of the smaller side equals that of a 4:3 picture.
    const double across_px = std::min<double>(plan.width, plan.height * 4.0 / 3.0);
    camera.focal_px = glm::dvec2(0.5 * across_px / std::tan(0.5 * kFieldOfView));
    camera.center_px = {0.5 * plan.width, 0.5 * plan.height};
    look_at(camera,
            target +
                distance * glm::dvec3(across * std::cos(azimuth), across * std::sin(azimuth), rise),
            target, {0, 0, 1});
    views.push_back(std::move(view));
  }
  return views;
}

void check_lens(const Lens& lens, const Camera& camera) {
  constexpr int kSteps = 24;
  constexpr double kClose = 1e-6;
  for (int i = 0; i <= kSteps; ++i) {
    for (int k = 0; k <= kSteps; ++k) {
      const glm::dvec2 at(static_cast<double>(i) * camera.width / kSteps,
                          static_cast<double>(k) * camera.height / kSteps);
      const glm::dvec2 plane = (at - camera.center_px) / camera.focal_px;
      const auto direction = undistort(lens, plane), found = undistort_from(lens, plane, plane);
      if (direction && found && glm::length(*direction - *found) < kClose) continue;
      throw UsageError(
          fmt::format("the distortion has no unique inverse at pixel ({:.0f}, {:.0f})", at.x, at.y),
          "--distortion", "give smaller coefficients, such as -0.1,0.02,0,0");
    }
  }
}

}  // namespace mote::synth
