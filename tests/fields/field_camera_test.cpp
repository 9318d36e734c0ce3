// Cameras in a field's frame against projections in the world.
#include "fields/field_camera.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <memory>
#include <random>

#include "cameras/camera_ray.h"
#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"

namespace mote {
namespace {

const FieldPlacement kPlacement{.scale = 0.375, .offset = {0.25, 0.5, 0.125}};

class FieldCameras : public testing::Test {
 protected:
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
  }
  glm::dvec3 point(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size);
    return {x, y, uniform(-size, size)};
  }

  /// A camera around the origin of the world, with other numbers along each axis of its image.
  Camera camera() {
    Camera camera;
    camera.width = 64;
    camera.height = 48;
    camera.focal_px = {uniform(40, 90), uniform(40, 90)};
    camera.center_px = {uniform(20, 40), uniform(10, 30)};
    look_at(camera, 5.0 * glm::normalize(point(1)), point(1), point(1));
    return camera;
  }

 private:
  std::mt19937 random_{11};
};

glm::dvec3 point_cam(const Camera& camera, const glm::dvec3& point) {
  return camera.cam_from_world * point + camera.translation;
}

glm::dvec2 projected(const Camera& camera, const glm::dvec3& point) {
  const glm::dvec3 p = point_cam(camera, point);
  return camera.focal_px * glm::dvec2(p.x, p.y) / p.z + camera.center_px;
}

void expect_near(const glm::dvec3& found, const glm::dvec3& expected, double tolerance) {
  EXPECT_LT(glm::length(found - expected), tolerance)
      << found.x << ' ' << found.y << ' ' << found.z << ", not " << expected.x << ' ' << expected.y
      << ' ' << expected.z;
}

TEST_F(FieldCameras, ThePlacementScalesMovesAndCyclesTheAxes) {
  expect_near(field_from_world(kPlacement, {1, 2, 4}),
              {0.375 * 2 + 0.5, 0.375 * 4 + 0.125, 0.375 * 1 + 0.25}, 1e-12);
}

TEST_F(FieldCameras, WorldFromFieldIsTheInverseOfFieldFromWorld) {
  for (int trial = 0; trial < 20; ++trial) {
    const glm::dvec3 world = point(10), field = point(10);
    expect_near(world_from_field(kPlacement, field_from_world(kPlacement, world)), world, 1e-12);
    expect_near(field_from_world(kPlacement, world_from_field(kPlacement, field)), field, 1e-12);
  }
}

TEST_F(FieldCameras, ACameraInTheFieldSeesItsPointsWhereTheWorldsCameraSeesThem) {
  for (int trial = 0; trial < 20; ++trial) {
    const Camera world_camera = camera(), field_camera = camera_in_field(kPlacement, world_camera);
    expect_near(field_camera.position_world(),
                field_from_world(kPlacement, world_camera.position_world()), 1e-12);
    for (int i = 0; i < 10; ++i) {
      const glm::dvec3 world = point(1), field = field_from_world(kPlacement, world);
      // Depths are the field's.
      expect_near(point_cam(field_camera, field), kPlacement.scale * point_cam(world_camera, world),
                  1e-12);
      EXPECT_LT(glm::length(projected(field_camera, field) - projected(world_camera, world)), 1e-9);
    }
  }
}

TEST_F(FieldCameras, TheRayOfAPixelPassesThroughThePointsThatProjectToIt) {
  for (int trial = 0; trial < 20; ++trial) {
    const Camera world_camera = camera();
    const FieldCamera own = field_camera(kPlacement, world_camera);
    for (int i = 0; i < 10; ++i) {
      const glm::dvec3 world = point(1), field = field_from_world(kPlacement, world);
      const glm::dvec2 pixel = projected(world_camera, world);
      const FieldCamera::Ray ray = own.ray_at(pixel.x, pixel.y);
      const glm::dvec3 direction(ray.direction);
      EXPECT_NEAR(glm::length(direction), 1, 1e-6);
      const double distance = glm::dot(field - own.origin, direction);
      EXPECT_GT(distance, 0);
      expect_near(own.origin + distance * direction, field, 1e-6);
    }
  }
}

TEST_F(FieldCameras, ADistanceTimesDepthPerLengthIsTheViewZOfTheWorld) {
  for (int trial = 0; trial < 20; ++trial) {
    const Camera world_camera = camera();
    const FieldCamera own = field_camera(kPlacement, world_camera);
    for (int i = 0; i < 10; ++i) {
      const glm::dvec3 world = point(1);
      const glm::dvec2 pixel = projected(world_camera, world);
      const double distance = glm::length(field_from_world(kPlacement, world) - own.origin);
      const double depth =
          distance * static_cast<double>(own.ray_at(pixel.x, pixel.y).depth_per_length);
      EXPECT_NEAR(depth, point_cam(world_camera, world).z, 1e-5);
    }
  }
}

TEST_F(FieldCameras, ARayThroughALensPassesThroughThePointsThatItsPixelShows) {
  for (const Lens& lens :
       {Lens{LensKind::brown, {-0.2, 0.05, 0.01, -0.02}}, Lens{LensKind::fisheye, {-0.03, 0.01}},
        Lens{LensKind::equirectangular, {}}}) {
    Camera world_camera = camera();
    world_camera.lens = std::make_shared<const LensRays>(world_camera, lens, "test");
    world_camera.motion = std::make_shared<const ShutterMotion>(
        ShutterMotion{{0.02, -0.03, 0.01}, {0.3, -0.1, 0.2}, 0.1, 0.8, 0.1});
    const FieldCamera own = field_camera(kPlacement, world_camera);
    std::size_t seen = 0;
    for (int i = 0; i < 200; ++i) {
      const glm::dvec3 world = point(2), field = field_from_world(kPlacement, world);
      const auto px = pixel_of(world_camera, world);
      if (!px || px->x < 0 || px->y < 0 || px->x > 64 || px->y > 48) continue;
      const auto ray = own.ray_through_lens(px->x, px->y);
      if (!ray) continue;
      ++seen;
      const glm::dvec3 towards = field - glm::dvec3(ray->origin);
      expect_near(glm::dvec3(ray->direction), glm::normalize(towards), 1e-6);
    }
    EXPECT_GT(seen, 20u);
  }
}

TEST_F(FieldCameras, WithoutALensBothRaysAreEqual) {
  const FieldCamera own = field_camera(kPlacement, camera());
  const FieldCamera::Ray plain = own.ray_at(3.5, 7.5);
  const auto through = own.ray_through_lens(3.5, 7.5);
  ASSERT_TRUE(through);
  EXPECT_EQ(through->direction, plain.direction);
  EXPECT_EQ(through->origin, plain.origin);
  EXPECT_EQ(through->depth_per_length, plain.depth_per_length);
}

}  // namespace
}  // namespace mote
