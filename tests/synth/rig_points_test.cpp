// The initial points of rigs.
#include "synth/rigs/rig_points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/datasets/point_ply.h"

namespace mote::synth {
namespace {

TEST(RigPoints, AreOfDifferentPixels) {
  RigPicture picture;
  picture.color.resize_discard(8, 5, 3);
  std::ranges::fill(picture.color.pixels.span(), 0.5f);
  for (int i = 0; i < 40; ++i) {
    Pixel pixel;
    pixel.depth = i < 4 ? 0.0f : 1.0f;  // four pixels show no surface
    pixel.position = vec3(static_cast<float>(i), 0, 0);
    pixel.triangle = 0;
    picture.centers.push_back(pixel);
  }
  const SceneMotion motion(scene_named("throw"), 0, 0.05);
  RigPoints all(1), half(1);
  all.pick(picture, motion, 0, 1000);
  EXPECT_EQ(all.count(), 36u) << "no pixel has two";
  half.pick(picture, motion, 0, 20);
  EXPECT_GE(half.count(), 16u);
  EXPECT_LE(half.count(), 20u);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) /
                                     ("rig_points_" + std::to_string(::getpid()) + ".ply");
  half.write(file);
  std::vector<std::string> warnings;
  std::set<double> places;
  for (const glm::dvec3& place : read_point_ply(file, warnings).positions) places.insert(place.x);
  std::filesystem::remove(file);
  EXPECT_EQ(places.size(), half.count());
}

}  // namespace
}  // namespace mote::synth
