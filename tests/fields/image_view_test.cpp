// The plane of an image as a camera sees it, against rays in double.
#include "fields/image_view.h"

#include <gtest/gtest.h>

#include <glm/matrix.hpp>

#include "fields/image_plane.h"

namespace mote {
namespace {

constexpr double kAspect = 1.5;

Camera camera_at(const glm::dvec3& eye, const glm::dvec3& target) {
  Camera camera = image_camera(kAspect, 640, 480);
  camera.focal_px = {500, 450};
  camera.center_px = {310, 250};
  look_at(camera, eye, target, {0, -1, 0});
  return camera;
}

void expect_points_of_rays(const Camera& camera) {
  const ImageView view = image_view(kAspect, camera);
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  int met = 0;
  for (const double x : {0.5, 100.25, 320.0, 639.5}) {
    for (const double y : {0.5, 77.75, 240.0, 479.5}) {
      const glm::dvec3 ray{(x - camera.center_px.x) / camera.focal_px.x,
                           (y - camera.center_px.y) / camera.focal_px.y, 1};
      const auto expected = meet_image(kAspect, camera.position_world(), world_from_cam * ray);
      const auto point = seen_point(view, static_cast<float>(x), static_cast<float>(y));
      ASSERT_EQ(point.distance > 0, expected.has_value());
      if (!expected) {
        EXPECT_FALSE(is_inside(point));
        continue;
      }
      ++met;
      const double far = 1 + expected->distance;
      EXPECT_NEAR(point.x, expected->position.x, 1e-6 * far * far);
      EXPECT_NEAR(point.y, expected->position.y, 1e-6 * far * far);
      EXPECT_NEAR(point.distance, expected->distance, 1e-6 * far * far);
      const glm::dvec2 p = expected->position;
      EXPECT_EQ(is_inside(point), p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1);
    }
  }
  EXPECT_GT(met, 0);
}

TEST(ImageViews, HaveThePointsOfRays) {
  expect_points_of_rays(camera_at({0, 0, -1}, {0, 0, 0}));
  expect_points_of_rays(camera_at({0.7, -0.3, -0.9}, {0.2, 0.1, 0}));
  expect_points_of_rays(camera_at({-0.4, 0.2, 2}, {0.1, 0, 0}));
  // The upper part of the picture is above the horizon of the plane.
  expect_points_of_rays(camera_at({0, 0.9, -0.3}, {0, -3, -0.2}));
}

TEST(ImageViews, OfAPartFillThePicture) {
  const ImagePart part{.low = {0.25, 0.5}, .high = {0.5, 1}};
  for (const glm::ivec2& size : {glm::ivec2{300, 100}, glm::ivec2{60, 100}}) {
    const ImageView view = image_view(kAspect, image_camera(kAspect, size.x, size.y, part));
    const float width = static_cast<float>(size.x), height = static_cast<float>(size.y);
    const auto middle = seen_point(view, width / 2, height / 2);
    EXPECT_NEAR(middle.x, 0.375, 1e-6);
    EXPECT_NEAR(middle.y, 0.75, 1e-6);
    // The part is 0.375 wide and 0.5 high: the first picture is wider, the second one narrower.
    const auto corner = seen_point(view, 0.0f, 0.0f), opposite = seen_point(view, width, height);
    const bool is_wide = size.x == 300;
    EXPECT_NEAR(corner.x, is_wide ? 0.375 - 0.5 : 0.25, 1e-6);
    EXPECT_NEAR(opposite.y, is_wide ? 1 : 0.75 + 0.5 * 0.375 * 100 / 60, 1e-6);
  }
}

TEST(ImageViews, TakeMoreSamplesOfPixelsThatCoverSeveral) {
  const Camera near = camera_at({0, 0, -1}, {0, 0, 0});  // 450 px for the height of the image
  EXPECT_EQ(image_samples_per_side(kAspect, 450, near), 1);
  EXPECT_EQ(image_samples_per_side(kAspect, 900, near), 2);
  EXPECT_EQ(image_samples_per_side(kAspect, 100000, near), 4);
  EXPECT_EQ(image_samples_per_side(kAspect, 450, camera_at({0, 0, -1}, {0, 0, -2})), 1);
}

}  // namespace
}  // namespace mote
