// Parts of photographs in which something moves.
#include "train/run/motion_parts.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "moving_square.h"

namespace mote {
namespace {

TEST(MotionParts, AreWhereThePhotographDiffersFromTheMedian) {
  MovingSquare scene;
  MotionParts parts(scene.dataset, scene);
  Random random(1, 2);
  for (int moment = 0; moment < MovingSquare::kMoments; ++moment) {
    const MovingSquare::Place square = MovingSquare::square_at(moment);
    for (int i = 0; i < 20; ++i) {
      const auto part = parts.draw(static_cast<std::uint32_t>(moment),
                                   scene.dataset.photographs[0].camera, random);
      ASSERT_TRUE(part);
      EXPECT_EQ(part->width, (MovingSquare::kWidth + 2) / 3);
      EXPECT_EQ(part->height, MovingSquare::kHeight / 3);
      EXPECT_GE(part->x, 0);
      EXPECT_GE(part->y, 0);
      EXPECT_LE(part->x + part->width, MovingSquare::kWidth);
      EXPECT_LE(part->y + part->height, MovingSquare::kHeight);
      EXPECT_LT(part->x, square.x + MovingSquare::kSide) << moment;
      EXPECT_GT(part->x + part->width, square.x) << moment;
      EXPECT_LT(part->y, square.y + MovingSquare::kSide) << moment;
      EXPECT_GT(part->y + part->height, square.y) << moment;
    }
  }
}

TEST(MotionParts, ARepeatedDrawIsTheSame) {
  MovingSquare scene, again;
  MotionParts parts(scene.dataset, scene), resumed(again.dataset, again);
  const Camera& camera = scene.dataset.photographs[0].camera;
  Random earlier(1, 4);
  parts.draw(7, camera, earlier);
  for (std::uint64_t step = 0; step < 5; ++step) {
    Random one(1, step), other(1, step);
    const auto a = parts.draw(3, camera, one), b = resumed.draw(3, camera, other);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->x, b->x);
    EXPECT_EQ(a->y, b->y);
  }
}

TEST(MotionParts, TheWholePhotographIsTrainedWhereNothingIsKnownToMove) {
  Random random(1, 2);
  const auto draw = [&](MovingSquare& scene, int width) {
    MotionParts parts(scene.dataset, scene);
    Camera camera = scene.dataset.photographs[0].camera;
    camera.width = width;
    camera.height = width * 3 / 4;
    return parts.draw(4, camera, random).has_value();
  };
  MovingSquare moving, still(false), few, turned;
  EXPECT_TRUE(draw(moving, MovingSquare::kWidth));
  EXPECT_FALSE(draw(moving, 120)) << "a part would be small";
  EXPECT_FALSE(draw(still, MovingSquare::kWidth));
  few.dataset.train.resize(6);
  EXPECT_FALSE(draw(few, MovingSquare::kWidth));
  turned.dataset.photographs[9].camera.translation.x = 1;
  EXPECT_FALSE(draw(turned, MovingSquare::kWidth)) << "the camera moves";
}

TEST(MotionParts, CamerasNeedNoNames) {
  MovingSquare scene;
  scene.dataset.camera_groups.clear();
  MotionParts parts(scene.dataset, scene);
  Random random(1, 2);
  EXPECT_TRUE(parts.draw(4, scene.dataset.photographs[0].camera, random));
}

TEST(MotionParts, ACameraOfAPartSeesItsPixels) {
  MovingSquare scene;
  const Camera& camera = scene.dataset.photographs[0].camera;
  const PhotoPart part{.x = 50, .y = 70, .width = 100, .height = 80};
  const Camera own = camera_of(camera, part);
  EXPECT_EQ(own.width, 100);
  EXPECT_EQ(own.height, 80);
  EXPECT_EQ(own.center_px, camera.center_px - glm::dvec2(50, 70));
  EXPECT_EQ(own.focal_px, camera.focal_px);
  EXPECT_EQ(own.cam_from_world, camera.cam_from_world);
  PhotoPixels photo;
  photo.color.resize_discard(MovingSquare::kWidth, MovingSquare::kHeight, 3);
  for (std::size_t i = 0; i < photo.color.pixels.size(); ++i) {
    photo.color.pixels[i] = static_cast<std::uint8_t>(i % 253);
  }
  photo.mask.resize_discard(MovingSquare::kWidth, MovingSquare::kHeight, 1);
  for (std::size_t i = 0; i < photo.mask.pixels.size(); ++i) {
    photo.mask.pixels[i] = static_cast<std::uint8_t>(i % 251);
  }
  const PhotoPixels pixels = pixels_of(photo, part);
  ASSERT_EQ(pixels.width(), 100);
  ASSERT_EQ(pixels.mask.height, 80);
  for (const int y : {0, 33, 79}) {
    for (const int x : {0, 41, 99}) {
      EXPECT_EQ(pixels.color.row(y)[3 * x + 1], photo.color.row(70 + y)[3 * (50 + x) + 1]);
      EXPECT_EQ(pixels.mask.row(y)[x], photo.mask.row(70 + y)[50 + x]);
    }
  }
}

}  // namespace
}  // namespace mote
