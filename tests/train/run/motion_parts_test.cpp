// Parts of photographs in which something moves.
#include "train/run/motion_parts.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/random.h"
#include "painted_photos.h"
namespace mote {
namespace {

constexpr int kWidth = 320, kHeight = 240, kMoments = 10, kSide = 24;

/// The place of a square that moves before a pattern that stands still.
struct Place {
  int x, y;
};
Place square_at(int moment) {
  return {20 + 28 * moment, 150 - 10 * moment};
}

/// One camera at rest, with a photograph for each moment.
class Scene : public PaintedPhotos {
 public:
  explicit Scene(bool is_moving = true) : is_moving_(is_moving) {
    dataset.camera_groups = {{.name = "a", .frames_per_second = 10}};
    for (int moment = 0; moment < kMoments; ++moment) {
      Photograph photograph;
      photograph.time_s = 0.1 * moment;
      photograph.camera.width = kWidth;
      photograph.camera.height = kHeight;
      photograph.camera.focal_px = {300, 300};
      photograph.camera.center_px = {160, 120};
      dataset.train.push_back(static_cast<std::uint32_t>(moment));
      dataset.photographs.push_back(photograph);
    }
  }
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override {
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(kWidth >> level, kHeight >> level, 3);
    const Place square = square_at(static_cast<int>(index));
    for (int y = 0; y < photo->color.height; ++y) {
      for (int x = 0; x < photo->color.width; ++x) {
        const int whole_x = x << level, whole_y = y << level;
        const bool is_square = is_moving_ && whole_x >= square.x && whole_x < square.x + kSide &&
                               whole_y >= square.y && whole_y < square.y + kSide;
        for (int c = 0; c < 3; ++c) {
          photo->color.row(y)[3 * x + c] = static_cast<std::uint8_t>(
              is_square ? 250 : 40 + (whole_x / 16 + whole_y / 16) % 2 * 80);
        }
      }
    }
    return photo;
  }

  Dataset dataset;

 private:
  bool is_moving_;
};

TEST(MotionParts, AreWhereThePhotographDiffersFromTheMedian) {
  Scene scene;
  MotionParts parts(scene.dataset, scene);
  Random random(1, 2);
  for (int moment = 0; moment < kMoments; ++moment) {
    const Place square = square_at(moment);
    for (int i = 0; i < 20; ++i) {
      const auto part = parts.draw(static_cast<std::uint32_t>(moment),
                                   scene.dataset.photographs[0].camera, random);
      ASSERT_TRUE(part);
      EXPECT_EQ(part->width, (kWidth + 2) / 3);
      EXPECT_EQ(part->height, kHeight / 3);
      EXPECT_GE(part->x, 0);
      EXPECT_GE(part->y, 0);
      EXPECT_LE(part->x + part->width, kWidth);
      EXPECT_LE(part->y + part->height, kHeight);
      EXPECT_LT(part->x, square.x + kSide) << moment;
      EXPECT_GT(part->x + part->width, square.x) << moment;
      EXPECT_LT(part->y, square.y + kSide) << moment;
      EXPECT_GT(part->y + part->height, square.y) << moment;
    }
  }
}

TEST(MotionParts, ARepeatedDrawIsTheSame) {
  Scene scene, again;
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
  const auto draw = [&](Scene& scene, int width) {
    MotionParts parts(scene.dataset, scene);
    Camera camera = scene.dataset.photographs[0].camera;
    camera.width = width;
    camera.height = width * 3 / 4;
    return parts.draw(4, camera, random).has_value();
  };
  Scene moving, still(false), few, turned;
  EXPECT_TRUE(draw(moving, kWidth));
  EXPECT_FALSE(draw(moving, 120)) << "a part would be small";
  EXPECT_FALSE(draw(still, kWidth));
  few.dataset.train.resize(6);
  EXPECT_FALSE(draw(few, kWidth));
  turned.dataset.photographs[9].camera.translation.x = 1;
  EXPECT_FALSE(draw(turned, kWidth)) << "the camera moves";
}

TEST(MotionParts, DifferingPixelsAreThoseOfWhatMoves) {
  Scene scene;
  MotionParts parts(scene.dataset, scene);
  EXPECT_EQ(parts.coarse_level(4), 1);
  EXPECT_EQ(MotionParts(scene.dataset, scene, kWidth).coarse_level(4), 0);
  const Image8 differing = parts.differing_pixels(4);
  ASSERT_EQ(differing.width, kWidth / 2);
  ASSERT_EQ(differing.height, kHeight / 2);
  const Place square = square_at(4);
  for (int y = 0; y < differing.height; ++y) {
    for (int x = 0; x < differing.width; ++x) {
      const bool is_square = 2 * x >= square.x && 2 * x < square.x + kSide && 2 * y >= square.y &&
                             2 * y < square.y + kSide;
      ASSERT_EQ(differing.row(y)[x], is_square ? 255 : 0) << x << " " << y;
    }
  }
  Scene still(false), few;
  MotionParts of_still(still.dataset, still);
  const Image8 none = of_still.differing_pixels(4);
  ASSERT_EQ(none.pixels.size(), differing.pixels.size());
  for (const std::uint8_t value : none.pixels.span()) ASSERT_EQ(value, 0);
  few.dataset.train.resize(6);
  EXPECT_TRUE(MotionParts(few.dataset, few).differing_pixels(4).pixels.empty());
}

TEST(MotionParts, PhotographsWithoutNamesOfCamerasAreOfOneCamera) {
  Scene scene;
  scene.dataset.camera_groups.clear();
  std::swap(scene.dataset.photographs[2].time_s, scene.dataset.photographs[7].time_s);
  const auto lists = photographs_of_cameras(scene.dataset);
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_EQ(lists[0], (std::vector<std::uint32_t>{0, 1, 7, 3, 4, 5, 6, 2, 8, 9}));
  MotionParts parts(scene.dataset, scene);
  Random random(1, 2);
  EXPECT_TRUE(parts.draw(4, scene.dataset.photographs[0].camera, random));
}

TEST(MotionParts, ACameraOfAPartSeesItsPixels) {
  Scene scene;
  const Camera& camera = scene.dataset.photographs[0].camera;
  const PhotoPart part{.x = 50, .y = 70, .width = 100, .height = 80};
  const Camera own = camera_of(camera, part);
  EXPECT_EQ(own.width, 100);
  EXPECT_EQ(own.height, 80);
  EXPECT_EQ(own.center_px, camera.center_px - glm::dvec2(50, 70));
  EXPECT_EQ(own.focal_px, camera.focal_px);
  EXPECT_EQ(own.cam_from_world, camera.cam_from_world);
  PhotoPixels photo;
  photo.color.resize_discard(kWidth, kHeight, 3);
  for (std::size_t i = 0; i < photo.color.pixels.size(); ++i) {
    photo.color.pixels[i] = static_cast<std::uint8_t>(i % 253);
  }
  photo.mask.resize_discard(kWidth, kHeight, 1);
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
