// The left part of a photograph shows the same rays as the photograph.
#include "cameras/camera_columns.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "cameras/camera_ray.h"
#include "cameras/shutter_motion.h"

namespace mote {
namespace {

Camera moving_camera(double by_column) {
  Camera camera;
  camera.width = 30;
  camera.height = 20;
  camera.focal_px = {25, 26};
  camera.center_px = {14, 11};
  look_at(camera, {2, 1, -3}, {0, 0.5, 0}, {0, 0, 1});
  camera.motion = std::make_shared<const ShutterMotion>(ShutterMotion{.turn_cam = {0.1, -0.2, 0.05},
                                                                      .shift_cam = {0.3, 0.1, -0.2},
                                                                      .by_column = by_column,
                                                                      .by_row = 0.4,
                                                                      .by_exposure = 0.2});
  return camera;
}

struct WorldRay {
  glm::dvec3 origin, direction;
};

WorldRay world_ray(const Camera& camera, glm::dvec2 px) {
  const auto ray = ray_through(camera, px, 0.75);
  EXPECT_TRUE(ray.has_value());
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  return {world_from_cam * (ray->origin_cam - camera.translation),
          world_from_cam * ray->direction_cam};
}

TEST(CameraColumns, HaveTheRaysOfTheWholePicture) {
  for (const double by_column : {0.0, 0.7}) {
    const Camera whole = moving_camera(by_column), part = first_columns(whole, 12);
    EXPECT_EQ(part.width, 12);
    EXPECT_EQ(part.height, whole.height);
    for (const glm::dvec2 px : {glm::dvec2(0.5, 0.5), glm::dvec2(11.5, 19.5), glm::dvec2(6, 3)}) {
      const WorldRay expected = world_ray(whole, px), found = world_ray(part, px);
      EXPECT_LT(glm::distance(found.origin, expected.origin), 1e-12);
      EXPECT_LT(glm::distance(found.direction, expected.direction), 1e-12);
    }
  }
}

TEST(CameraColumns, HaveTheirPoseIfTheyStandStill) {
  Camera whole = moving_camera(0);
  whole.motion = nullptr;
  const Camera part = first_columns(whole, 12);
  EXPECT_EQ(part.cam_from_world, whole.cam_from_world);
  EXPECT_EQ(part.translation, whole.translation);
}

TEST(CameraColumns, GiveTheWholePictureTheirPose) {
  for (const double by_column : {0.0, 0.7}) {
    const Camera whole = moving_camera(by_column);
    Camera part = first_columns(whole, 12);
    part.cam_from_world =
        glm::dmat3(glm::dvec3(0, 1, 0), glm::dvec3(0, 0, 1), glm::dvec3(1, 0, 0)) *
        part.cam_from_world;
    part.translation += glm::dvec3(0.3, -0.2, 0.1);
    const Camera moved = with_pose_of_columns(whole, 12, part);
    EXPECT_EQ(moved.width, whole.width);
    for (const glm::dvec2 px : {glm::dvec2(0.5, 0.5), glm::dvec2(11.5, 19.5)}) {
      const WorldRay expected = world_ray(part, px), found = world_ray(moved, px);
      EXPECT_LT(glm::distance(found.origin, expected.origin), 1e-12);
      EXPECT_LT(glm::distance(found.direction, expected.direction), 1e-12);
    }
  }
}

}  // namespace
}  // namespace mote
