// Rays through lenses against the formulas of the lenses, over whole photographs.
#include "cameras/lens_rays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <numbers>
#include <vector>

#include "cameras/camera_ray.h"
#include "cameras/shutter_motion.h"
#include "core/error.h"

namespace mote {
namespace {

constexpr double kPi = std::numbers::pi;

/// The formula of a lens, written down plainly: from a direction to the normalised image plane.
using Formula = std::function<glm::dvec2(glm::dvec3)>;

struct KnownRays {
  const char* name;
  Lens lens;
  Formula formula;
};

glm::dvec2 opencv(glm::dvec3 d, const std::array<double, 8>& k) {
  const double x = d.x / d.z, y = d.y / d.z, r2 = x * x + y * y;
  const double radial = (1 + k[0] * r2 + k[1] * r2 * r2 + k[4] * r2 * r2 * r2) /
                        (1 + k[5] * r2 + k[6] * r2 * r2 + k[7] * r2 * r2 * r2);
  return {x * radial + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x),
          y * radial + k[2] * (r2 + 2 * y * y) + 2 * k[3] * x * y};
}

glm::dvec2 opencv_fisheye(glm::dvec3 d, const std::array<double, 4>& k) {
  const double side = std::hypot(d.x, d.y), a = std::acos(d.z / glm::length(d));
  const double bent = a * (1 + k[0] * std::pow(a, 2) + k[1] * std::pow(a, 4) +
                           k[2] * std::pow(a, 6) + k[3] * std::pow(a, 8));
  return side > 0 ? glm::dvec2(d.x, d.y) * (bent / side) : glm::dvec2(0);
}

const std::vector<KnownRays>& lenses_with_formulas() {
  static const std::vector<KnownRays> kLenses{
      {"opencv",
       {LensKind::brown, {-0.2, 0.05, 0.01, -0.02}},
       [](glm::dvec3 d) {
         return opencv(d, {-0.2, 0.05, 0.01, -0.02});
       }},
      {"full opencv",
       {LensKind::brown, {0.2, 0.05, 0.01, -0.02, 0.03, 0.1, -0.04, 0.02}},
       [](glm::dvec3 d) {
         return opencv(d, {0.2, 0.05, 0.01, -0.02, 0.03, 0.1, -0.04, 0.02});
       }},
      {"opencv fisheye",
       {LensKind::fisheye, {-0.03, 0.01, 0, 0, 0.004, -0.002}},
       [](glm::dvec3 d) {
         return opencv_fisheye(d, {-0.03, 0.01, 0.004, -0.002});
       }},
      {"equirectangular",
       {LensKind::equirectangular, {}},
       [](glm::dvec3 d) {
         return glm::dvec2(std::atan2(d.x, d.z), std::asin(d.y / glm::length(d)));
       }},
      {"equal areas",
       {LensKind::equal_area, {}},
       [](glm::dvec3 d) { return glm::dvec2(std::atan2(d.x, d.z), d.y / glm::length(d)); }},
      {"fov", {LensKind::fov, {0.9}}, {}},
      {"thin prism",
       {LensKind::fisheye, {-0.03, 0.01, 0.003, -0.002, 0.004, -0.002, 0.005, -0.006}},
       {}},
      {"fisheye 624",
       {LensKind::fisheye_624,
        {-0.03, 0.01, 0.004, -0.002, 0.001, 0.0005, 0.003, -0.002, 0.005, -0.001, -0.006, 0.002}},
       {}},
      {"division", {LensKind::division, {-0.3}}, {}},
      {"eucm", {LensKind::eucm, {0.6, 1.1}}, {}},
  };
  return kLenses;
}

Camera camera_with(const Lens& lens, double focal_px = 70) {
  Camera camera;
  camera.width = 120;
  camera.height = 90;
  camera.focal_px = {focal_px, 1.01 * focal_px};
  camera.center_px = {0.51 * camera.width, 0.48 * camera.height};
  if (is_panorama(lens)) {
    camera.focal_px = {camera.width / (2 * kPi),
                       camera.height / (lens.kind == LensKind::equal_area ? 2 : kPi)};
    camera.center_px = {0.5 * camera.width, 0.5 * camera.height};
  }
  look_at(camera, {1, 2, 3}, {0.5, -0.2, 0.1}, {0, 0, 1});
  camera.lens = std::make_shared<const LensRays>(camera, lens, "test");
  return camera;
}

/// Calls visit(point) for the centres of all pixels.
void for_pixels(const Camera& camera, const std::function<void(glm::dvec2)>& visit) {
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) visit({x + 0.5, y + 0.5});
  }
}

glm::dvec3 world_point(const Camera& camera, const CameraRay& ray, double distance) {
  const glm::dvec3 cam = ray.origin_cam + distance * ray.direction_cam;
  return glm::transpose(camera.cam_from_world) * (cam - camera.translation);
}

TEST(LensRays, TheDirectionOfEveryPixelProjectsToThePixel) {
  for (const KnownRays& known : lenses_with_formulas()) {
    const Camera camera = camera_with(known.lens);
    EXPECT_EQ(camera.lens->seen_share(), 1) << known.name;
    for_pixels(camera, [&](glm::dvec2 px) {
      const auto ray = ray_through(camera, px);
      ASSERT_TRUE(ray) << known.name;
      EXPECT_NEAR(glm::length(ray->direction_cam), 1, 1e-14);
      if (known.formula) {
        const glm::dvec2 found =
            camera.focal_px * known.formula(ray->direction_cam) + camera.center_px;
        ASSERT_LT(glm::distance(found, px), 1e-8) << known.name << ' ' << px.x << ' ' << px.y;
      }
      const auto back = pixel_of(camera, world_point(camera, *ray, 4));
      ASSERT_TRUE(back) << known.name;
      ASSERT_LT(glm::distance(*back, px), 1e-8) << known.name << ' ' << px.x << ' ' << px.y;
    });
  }
}

TEST(LensRays, AreTheDirectionsOfTheInverseThatGoesOutFromTheMiddle) {
  for (const KnownRays& known : lenses_with_formulas()) {
    if (is_panorama(known.lens)) continue;
    const Camera camera = camera_with(known.lens);
    std::size_t compared = 0;
    for_pixels(camera, [&](glm::dvec2 px) {
      const glm::dvec2 plane = (px - camera.center_px) / camera.focal_px;
      const auto slope = undistort(known.lens, plane);
      if (!slope) return;
      ++compared;
      const glm::dvec3 expected = glm::normalize(glm::dvec3(*slope, 1));
      ASSERT_LT(glm::distance(*camera.lens->direction(plane), expected), 1e-9) << known.name;
    });
    EXPECT_GT(compared, 100u) << known.name;
  }
}

TEST(LensCharts, DerivativesOfEveryLensAreThoseOfDifferences) {
  for (const KnownRays& known : lenses_with_formulas()) {
    for (const glm::dvec2 point : {glm::dvec2(0.31, -0.22), glm::dvec2(-0.6, 0.4), glm::dvec2(0)}) {
      const ChartMap map = chart_map(known.lens, point);
      EXPECT_LT(glm::distance(map.plane, chart_to_plane(known.lens, point)), 1e-15) << known.name;
      for (int axis = 0; axis < 2; ++axis) {
        constexpr double kStep = 1e-5;
        glm::dvec2 offset(0);
        offset[axis] = kStep;
        const glm::dvec2 slope = (chart_to_plane(known.lens, point + offset) -
                                  chart_to_plane(known.lens, point - offset)) /
                                 (2 * kStep);
        EXPECT_LT(glm::distance(map.jacobian[axis], slope), 1e-8) << known.name;
      }
    }
  }
}

TEST(LensCharts, SolidAnglesAreThoseOfTheDirections) {
  for (const LensChart chart : {LensChart::slopes, LensChart::angles, LensChart::sphere}) {
    const glm::dvec2 point(0.4, -0.7);
    constexpr double kStep = 1e-4;
    const auto slope = [&](glm::dvec2 axis) {
      return (chart_direction(chart, point + kStep * axis) -
              chart_direction(chart, point - kStep * axis)) /
             (2 * kStep);
    };
    EXPECT_NEAR(glm::length(glm::cross(slope({1, 0}), slope({0, 1}))),
                solid_angle_per_area(chart, point), 1e-7);
    EXPECT_LT(glm::distance(chart_point(chart, 3.0 * chart_direction(chart, point)), point), 1e-14);
  }
}

TEST(LensRays, AFisheyeSeesBehindTheCamera) {
  const Camera camera = camera_with({LensKind::fisheye, {}}, 28);
  double least_z = 1;
  for_pixels(camera, [&](glm::dvec2 px) {
    const glm::dvec2 plane = (px - camera.center_px) / camera.focal_px;
    const auto ray = ray_through(camera, px);
    ASSERT_TRUE(ray);
    EXPECT_NEAR(std::acos(ray->direction_cam.z), glm::length(plane), 1e-9);
    EXPECT_EQ(ray->depth_per_length, 1);
    least_z = std::min(least_z, ray->direction_cam.z);
  });
  EXPECT_LT(least_z, -0.8);
  EXPECT_FALSE(camera.lens->slopes());
}

TEST(LensRays, APanoramaLooksForwardsInTheMiddleAndBackwardsAtItsSides) {
  for (const LensKind kind : {LensKind::equirectangular, LensKind::equal_area}) {
    const Camera camera = camera_with({kind, {}});
    const auto at = [&](double x, double y) { return ray_through(camera, {x, y})->direction_cam; };
    EXPECT_LT(glm::distance(at(60, 45), glm::dvec3(0, 0, 1)), 1e-12);
    EXPECT_LT(glm::distance(at(90, 45), glm::dvec3(1, 0, 0)), 1e-12);
    EXPECT_LT(glm::distance(at(0, 45), glm::dvec3(0, 0, -1)), 1e-12);
    EXPECT_LT(glm::distance(at(120, 45), glm::dvec3(0, 0, -1)), 1e-12);
    EXPECT_LT(glm::distance(at(33, 0), glm::dvec3(0, -1, 0)), 1e-7);
    EXPECT_FALSE(ray_through(camera, {121, 45}));
  }
}

TEST(LensRays, EndWhereTheLensFolds) {
  // r (1 - 0.3 r^2) is largest at r = 1/sqrt(0.9), where it is two thirds of that.
  const double fold = 2.0 / 3 / std::sqrt(0.9);
  const Camera camera = camera_with({LensKind::brown, {-0.3}}, 60);
  std::size_t none = 0;
  for_pixels(camera, [&](glm::dvec2 px) {
    const glm::dvec2 plane = (px - camera.center_px) / camera.focal_px;
    const auto direction = camera.lens->direction(plane);
    if (glm::length(plane) > fold) {
      EXPECT_FALSE(direction);
    }
    if (glm::length(plane) < 0.99 * fold) {
      EXPECT_TRUE(direction);
    }
    EXPECT_EQ(camera.lens->sees(plane), direction.has_value());
    if (direction) {
      EXPECT_LT(std::hypot(direction->x, direction->y) / direction->z, 1 / std::sqrt(0.9));
    } else {
      ++none;
    }
  });
  EXPECT_GT(none, 500u);
  EXPECT_NEAR(1 - camera.lens->seen_share(), static_cast<double>(none) / (120 * 90), 0.01);
}

TEST(LensRays, TheirBoundsHoldAllDirections) {
  std::vector<Lens> all{{LensKind::brown, {-0.3}}, {LensKind::brown, {-0.3, 0, 0.02}}};
  for (const KnownRays& known : lenses_with_formulas()) all.push_back(known.lens);
  for (const Lens& lens : all) {
    const Camera camera = camera_with(lens, 60);
    for_pixels(camera, [&](glm::dvec2 px) {
      const auto ray = ray_through(camera, px);
      if (!ray) return;
      const glm::dvec3 d = ray->direction_cam;
      ASSERT_LE(std::acos(std::min(d.z, 1.0)), camera.lens->widest_rad() + 1e-12);
      const auto& slopes = camera.lens->slopes();
      if (!slopes) return;
      ASSERT_TRUE(glm::all(glm::lessThanEqual(slopes->least, glm::dvec2(d) / d.z)));
      ASSERT_TRUE(glm::all(glm::greaterThanEqual(slopes->most, glm::dvec2(d) / d.z)));
    });
  }
}

TEST(LensRays, DoNotDependOnTheSizeOfTheImage) {
  const Camera camera = camera_with({LensKind::brown, {-0.2, 0.05, 0.01, -0.02}});
  const Camera half = resized(camera, 60, 45);
  EXPECT_LT(glm::distance(ray_through(camera, {20, 70})->direction_cam,
                          ray_through(half, {10, 35})->direction_cam),
            1e-14);
}

TEST(LensRays, AnUnusableLensIsRefusedWithItsParametersAndItsPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Lens& lens :
       {Lens{LensKind::brown, {1e29}}, Lens{LensKind::brown, {nan}}, Lens{LensKind::fisheye, {nan}},
        Lens{LensKind::brown, {-1000}}, Lens{LensKind::fisheye, {-400}}}) {
    try {
      Camera camera = camera_with({LensKind::brown, {}});
      camera.center_px = {20, 30};
      const LensRays rays(camera, lens, "cameras.txt, line 4");
      ADD_FAILURE() << parameters_text(lens) << " sees " << rays.seen_share();
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "cameras.txt, line 4");
      EXPECT_NE(std::string(error.what()).find("k1 = "), std::string::npos);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

glm::dmat3 turned(glm::dvec3 axis, double angle) {
  return glm::mat3_cast(glm::angleAxis(angle, glm::normalize(axis)));
}

const CameraPose kFirst{turned({1, 2, -1}, 0.7), {1, 2, 3}};
const CameraPose kLast{turned({1, 1, -1}, 0.9), {1.2, 1.9, 3.3}};

/// The pose at a time between the first and the last one, by quaternions.
CameraPose pose_at(double time) {
  const glm::dquat from = glm::quat_cast(kFirst.world_from_cam);
  const glm::dquat to = glm::quat_cast(kLast.world_from_cam);
  return {glm::mat3_cast(glm::slerp(from, to, time)),
          glm::mix(kFirst.position_world, kLast.position_world, time)};
}

Camera moving_camera(const Lens& lens, const ShutterTimes& times) {
  Camera camera = camera_with(lens);
  const MovingPose moving = moving_pose(kFirst, kLast, times);
  camera.cam_from_world = glm::transpose(moving.middle.world_from_cam);
  camera.translation = -(camera.cam_from_world * moving.middle.position_world);
  camera.motion = std::make_shared<const ShutterMotion>(moving.motion);
  return camera;
}

TEST(MovingCameras, EveryPixelHasTheRayOfItsTime) {
  const ShutterTimes times{0.1, 0.2, 0.6, 0.1};
  for (const KnownRays& known : lenses_with_formulas()) {
    const Camera camera = moving_camera(known.lens, times);
    const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
    for_pixels(camera, [&](glm::dvec2 px) {
      const double exposure = 0.25;
      const double time = times.start + times.by_column * px.x / camera.width +
                          times.by_row * px.y / camera.height + times.by_exposure * exposure;
      const auto ray = ray_through(camera, px, exposure);
      ASSERT_TRUE(ray);
      const CameraPose expected = pose_at(time);
      const glm::dvec2 plane = (px - camera.center_px) / camera.focal_px;
      ASSERT_LT(glm::distance(camera.position_world() + world_from_cam * ray->origin_cam,
                              expected.position_world),
                1e-12);
      ASSERT_LT(glm::distance(world_from_cam * ray->direction_cam,
                              expected.world_from_cam * *camera.lens->direction(plane)),
                1e-12);
    });
  }
}

TEST(MovingCameras, ThePixelOfAPointOnARayIsThatOfTheRay) {
  for (const KnownRays& known : lenses_with_formulas()) {
    const Camera camera = moving_camera(known.lens, {0, 0, 1, 0});
    for_pixels(camera, [&](glm::dvec2 px) {
      if (is_panorama(known.lens)) {
        // Near its border, a panorama shows a moving point twice or not at all.
        const glm::dvec2 share = px / glm::dvec2(camera.width, camera.height);
        if (std::abs(share.x - 0.5) > 0.4 || std::abs(share.y - 0.5) > 0.3) return;
      }
      const auto back = pixel_of(camera, world_point(camera, *ray_through(camera, px), 6));
      ASSERT_TRUE(back) << known.name;
      ASSERT_LT(glm::distance(*back, px), 1e-6) << known.name << ' ' << px.x << ' ' << px.y;
    });
  }
}

TEST(MovingCameras, WithoutTimesTheFirstPoseIsThePoseOfThePhotograph) {
  const MovingPose moving = moving_pose(kFirst, kLast, {});
  EXPECT_LT(glm::distance(moving.middle.position_world, kFirst.position_world), 1e-15);
  EXPECT_LT(glm::distance(moving.middle.world_from_cam[0], kFirst.world_from_cam[0]), 1e-15);
  EXPECT_EQ(moving.motion.share_at({1, 1}, 1), 0);
}

}  // namespace
}  // namespace mote
