// Steps on shares of a photograph.
#include "train/run/pose_corrections.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "support/fake_training.h"

namespace mote {
namespace {

constexpr double kRate = 1e-3, kExtent = 3;

Camera camera_at_origin() {
  Camera camera;
  camera.width = camera.height = 8;
  return camera;
}

glm::dvec3 shift_of(const PoseCorrections& poses) {
  return poses.corrected(0, camera_at_origin()).translation;
}

TEST(PoseCorrections, ShareGivesTheRateItsRoot) {
  for (const double share : {1.0, 0.25}) {
    PoseCorrections poses(1);
    poses.update(0, {0, 0, 0}, {5, 0, 0}, kRate, kExtent, share);
    // The first step of Adam has the length of its rate.
    EXPECT_NEAR(shift_of(poses).x, -kRate * std::sqrt(share) * kExtent, 1e-9) << share;
  }
}

TEST(PoseCorrections, StepsOnSharesPullAsFarAsAStepOnTheWhole) {
  constexpr int kParts = 50;
  const auto start = [] {
    PoseCorrections poses(1);
    poses.update(0, {0.1, -0.2, 0.3}, {5, -4, 3}, kRate, kExtent);
    return poses;
  };
  // A rate of zero leaves the pull alone.
  PoseCorrections whole = start(), parts = start();
  const glm::dvec3 before = shift_of(whole);
  whole.update(0, {0, 0, 0}, {0, 0, 0}, 0, kExtent);
  for (int i = 0; i < kParts; ++i) {
    parts.update(0, {0, 0, 0}, {0, 0, 0}, 0, kExtent, 1.0 / kParts);
  }
  const double pulled = glm::distance(shift_of(whole), before);
  EXPECT_GT(pulled, 5e-4 * glm::length(before));
  EXPECT_LT(glm::distance(shift_of(whole), shift_of(parts)), 2e-3 * pulled);
}

TEST(PoseCorrections, AreSavedWithTheirMoments) {
  PoseCorrections whole(2);
  const auto update = [](PoseCorrections& poses, double x) {
    poses.update(1, {x, 0.1, -x}, {0.2, x, 0.3}, kRate, kExtent, 0.1);
  };
  for (int i = 0; i < 5; ++i) update(whole, 0.1 * i);
  MemoryBytes state;
  whole.save(state);
  PoseCorrections resumed(2);
  resumed.restore(state);
  EXPECT_EQ(state.left(), 0u);
  for (PoseCorrections* poses : {&whole, &resumed}) update(*poses, -0.7);
  const Camera expected = whole.corrected(1, camera_at_origin()),
               found = resumed.corrected(1, camera_at_origin());
  EXPECT_EQ(found.cam_from_world, expected.cam_from_world);
  EXPECT_EQ(found.translation, expected.translation);
}

}  // namespace
}  // namespace mote
