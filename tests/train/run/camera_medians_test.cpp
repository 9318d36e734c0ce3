// Where photographs differ from the median of their camera.
#include "train/run/camera_medians.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "moving_square.h"

namespace mote {
namespace {

TEST(CameraMedians, PhotographsDifferWhereSomethingMoves) {
  MovingSquare scene;
  CameraMedians medians(scene.dataset, scene);
  EXPECT_EQ(medians.coarse_level(4), 1);
  EXPECT_EQ(CameraMedians(scene.dataset, scene, MovingSquare::kWidth).coarse_level(4), 0);
  const Image8 differing = medians.differences(4);
  ASSERT_EQ(differing.width, MovingSquare::kWidth / 2);
  ASSERT_EQ(differing.height, MovingSquare::kHeight / 2);
  const MovingSquare::Place square = MovingSquare::square_at(4);
  for (int y = 0; y < differing.height; ++y) {
    for (int x = 0; x < differing.width; ++x) {
      const bool is_square = 2 * x >= square.x && 2 * x < square.x + MovingSquare::kSide &&
                             2 * y >= square.y && 2 * y < square.y + MovingSquare::kSide;
      const int behind = 40 + (2 * x / 16 + 2 * y / 16) % 2 * 80, noise = 12;
      ASSERT_EQ(differing.row(y)[x], is_square ? 250 - behind - noise : 0) << x << " " << y;
    }
  }
  MovingSquare still(false);
  CameraMedians of_still(still.dataset, still);
  const Image8 none = of_still.differences(4);
  ASSERT_EQ(none.pixels.size(), differing.pixels.size());
  for (const std::uint8_t value : none.pixels.span()) ASSERT_EQ(value, 0);
}

TEST(CameraMedians, CamerasThatMoveOrHaveFewPhotographsHaveNone) {
  MovingSquare few, turned;
  few.dataset.train.resize(7);
  EXPECT_TRUE(CameraMedians(few.dataset, few).differences(4).pixels.empty());
  few.dataset.train = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_FALSE(CameraMedians(few.dataset, few).differences(4).pixels.empty());
  turned.dataset.photographs[9].camera.translation.x = 1;
  EXPECT_TRUE(CameraMedians(turned.dataset, turned).differences(4).pixels.empty());
}

TEST(CameraMedians, PhotographsWithoutNamesOfCamerasAreOfOneCamera) {
  MovingSquare scene;
  scene.dataset.camera_groups.clear();
  std::swap(scene.dataset.photographs[2].time_s, scene.dataset.photographs[7].time_s);
  const auto lists = photographs_of_cameras(scene.dataset);
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_EQ(lists[0], (std::vector<std::uint32_t>{0, 1, 7, 3, 4, 5, 6, 2, 8, 9}));
}

}  // namespace
}  // namespace mote
