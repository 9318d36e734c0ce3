#include "synth/dataset_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <memory>
#include <numbers>
#include <optional>

#include "cameras/lens_rays.h"
#include "core/options.h"
#include "core/random.h"

namespace mote::synth {
namespace {

/// Whether view i of the plan is for testing; test views are evenly spaced.
bool is_test_view(int i, const DatasetPlan& plan) {
  const std::int64_t count = plan.train_views + plan.test_views;
  const std::int64_t before = i * std::int64_t{plan.test_views} / count;
  return (i + 1) * std::int64_t{plan.test_views} / count > before;
}

/// Throws UsageError where a point of the image has no direction, or one beyond a fold.
void check_lens(const Lens& lens, const Camera& camera) {
  constexpr int kSteps = 24;
  std::optional<LensRays> fisheye;
  if (lens.kind == LensKind::fisheye) fisheye.emplace(camera, lens, "--distortion");
  for (int i = 0; i <= kSteps; ++i) {
    for (int k = 0; k <= kSteps; ++k) {
      const glm::dvec2 at(static_cast<double>(i) * camera.width / kSteps,
                          static_cast<double>(k) * camera.height / kSteps);
      const glm::dvec2 plane = (at - camera.center_px) / camera.focal_px;
      if (fisheye ? fisheye->sees(plane) : undistort(lens, plane).has_value()) continue;
      throw UsageError(
          fmt::format("the distortion has no unique inverse at pixel ({:.0f}, {:.0f})", at.x, at.y),
          "--distortion", "give smaller coefficients, such as -0.1,0.02,0,0");
    }
  }
}

/// A motion that turns the camera about a random axis across the view axis and moves it by as much
/// as the turn would move what it looks at.
ShutterMotion shutter_motion(double turn_rad, double distance, Random& random) {
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const glm::dvec3 across(std::cos(angle), std::sin(angle), 0);
  const double move_angle = random.uniform(0, 2 * std::numbers::pi);
  return {
      .turn_cam = turn_rad * across,
      .shift_cam = turn_rad * distance * glm::dvec3(std::cos(move_angle), std::sin(move_angle), 0),
      .by_row = 1};
}

/// Van der Corput's sequence in [0, 1): any range of the numbers covers all of it.
double spread_share(int number) {
  double share = 0;
  for (int rest = number, unit = 2; rest > 0; rest /= 2, unit *= 2) {
    share += static_cast<double>(rest % 2) / unit;
  }
  return share;
}

struct Stand {
  glm::dvec3 position, target;  // world
};
struct ViewNumber {
  int view, count;
};

/// Where a camera stands and looks. `start`: azimuth of the first view, radians.
Stand stand_of(const Scene& scene, ViewNumber number, double start, Random& random) {
  constexpr double kTurn = std::numbers::pi * (3 - 2.2360679774997896);  // the golden angle
  constexpr double kShake = 0.04, kDistanceShake = 0.07;
  const double low = std::sin(static_cast<double>(scene.low_rad));
  const double high = std::sin(static_cast<double>(scene.high_rad));
  const double share = spread_share(number.view) + random.uniform(0, 1.0 / number.count);
  const double rise = low + (high - low) * std::min(share, 1.0);
  const double azimuth = start + number.view * kTurn + random.uniform(-kShake, kShake);
  const double across = std::sqrt(1 - rise * rise);
  const glm::dvec3 direction(across * std::cos(azimuth), across * std::sin(azimuth), rise);
  const auto reach = static_cast<double>(scene.distance);
  const auto shaken = [&] { return random.uniform(-1, 1); };
  if (scene.looks_outwards) {
    const double around = random.uniform(0, 2 * std::numbers::pi);
    const double away = reach * std::sqrt(random.uniform(0, 1));
    const glm::dvec3 place(away * std::cos(around), away * std::sin(around),
                           0.3 * reach * shaken());
    const glm::dvec3 position = glm::dvec3(scene.target) + place;
    return {position, position + direction};
  }
  const double distance = reach * (1 + random.uniform(-kDistanceShake, kDistanceShake));
  const double z = shaken(), y = shaken(), x = shaken();
  const glm::dvec3 target = glm::dvec3(scene.target) + kShake * glm::dvec3(x, y, z);
  return {target + distance * direction, target};
}

}  // namespace

Camera camera_with_lens(const Scene& scene, PictureSize size, const Lens& lens, double zoom) {
  constexpr double kFisheye_rad = 75.0 / 180 * std::numbers::pi;
  Camera camera;
  camera.width = size.width;
  camera.height = size.height;
  camera.center_px = {0.5 * size.width, 0.5 * size.height};
  if (lens.kind == LensKind::equirectangular) {
    camera.focal_px = glm::dvec2(size.width, 2 * size.height) / (2 * std::numbers::pi);
  } else if (lens.kind == LensKind::fisheye) {
    camera.focal_px = glm::dvec2(zoom * 0.5 * std::min(size.width, size.height) / kFisheye_rad);
  } else {
    // The field of view of the smaller side equals that of a 4:3 picture.
    const double across_px = std::min<double>(size.width, size.height * 4.0 / 3.0);
    camera.focal_px = glm::dvec2(zoom * 0.5 * across_px / std::tan(0.5 * scene.field_of_view_rad));
  }
  if (is_identity(lens)) return camera;
  if (!is_panorama(lens)) check_lens(lens, camera);
  camera.lens = std::make_shared<const LensRays>(camera, lens, "--distortion");
  return camera;
}

std::vector<DatasetView> dataset_views(const Scene& scene, const DatasetPlan& plan) {
  CHECK(plan.train_views > 0 && plan.test_views >= 0);
  const int count = plan.train_views + plan.test_views;
  Random random(plan.seed, 1), exposures(plan.seed, 2), shutters(plan.seed, 4);
  const Camera shared = camera_with_lens(scene, {plan.width, plan.height}, plan.lens);
  const double start = random.uniform(0, 2 * std::numbers::pi);
  std::vector<DatasetView> views;
  for (int i = 0; i < count; ++i) {
    DatasetView view;
    view.name = fmt::format("r_{:0{}}", i, count > 1000 ? 5 : 3);
    view.is_test = is_test_view(i, plan);
    view.time = plan.moving && count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    const double gain = std::exp2(plan.exposure_jitter * exposures.normal());
    view.exposure = view.is_test ? 1 : gain;
    view.camera = shared;
    const Stand stand = stand_of(scene, {i, count}, start, random);
    look_at(view.camera, stand.position, stand.target, {0, 0, 1});
    if (plan.rolling_shutter_rad > 0) {
      const double distance = glm::distance(stand.position, stand.target);
      view.camera.motion = std::make_shared<const ShutterMotion>(
          shutter_motion(plan.rolling_shutter_rad, distance, shutters));
    }
    views.push_back(std::move(view));
  }
  return views;
}

ShutterPoses shutter_poses(const Camera& camera) {
  const CameraPose own{glm::transpose(camera.cam_from_world), camera.position_world()};
  const auto moved = [&](double share) {
    const CameraPose pose = camera.motion->pose_cam(share);
    return CameraPose{own.world_from_cam * pose.world_from_cam,
                      own.position_world + own.world_from_cam * pose.position_world};
  };
  return {moved(-0.5), moved(0.5)};
}

}  // namespace mote::synth
