// The schedule and the place of a neural field in a run.
#include "train/fields/field_plan.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include "fields/applications/nerf_layout.h"
#include "fields/field_camera.h"
#include "train/fields/field_placing.h"

namespace mote {
namespace {

double rate_at(std::uint64_t done, std::uint64_t total, bool end_moves = false) {
  const double fraction = static_cast<double>(done) / static_cast<double>(total);
  return field_learning_rate(
      *default_nerf_config().optimizer,
      {.steps_done = done, .steps_total = total, .fraction = fraction, .end_moves = end_moves});
}

TEST(FieldLearningRate, FallsAtThePublishedStepsOfALongRun) {
  EXPECT_DOUBLE_EQ(rate_at(19999, 70000), 1e-2);
  EXPECT_DOUBLE_EQ(rate_at(20000, 70000), 0.33e-2);
  EXPECT_DOUBLE_EQ(rate_at(29999, 70000), 0.33e-2);
  EXPECT_NEAR(rate_at(30000, 70000), 0.33 * 0.33e-2, 1e-12);
}

TEST(FieldLearningRate, FallsAtTheSameSharesOfAShortRun) {
  EXPECT_DOUBLE_EQ(rate_at(199, 350), 1e-2);
  EXPECT_DOUBLE_EQ(rate_at(201, 350), 0.33e-2);
  EXPECT_NEAR(rate_at(301, 350), 0.33 * 0.33e-2, 1e-12);
  EXPECT_DOUBLE_EQ(rate_at(40000, 80000, true), 1e-2) << "the length of the run is an estimate";
}

TEST(FieldPlacing, PutsTheFocusAtTheCentreAndTheCamerasAround) {
  const SceneLayout layout{.extent = 5, .focus = {3, -2, 7}, .distance = 4};
  const FieldSite site = place_field({}, layout, 8);
  EXPECT_EQ(site.aabb_scale, 8);
  const glm::dvec3 center = field_from_world(site.placement, layout.focus);
  const glm::dvec3 camera = field_from_world(site.placement, layout.focus + glm::dvec3(0, 4, 0));
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(center[axis], 0.5, 1e-12);
  EXPECT_NEAR(glm::length(camera - center), 1.32, 1e-12);
}

TEST(FieldPlacing, ChoosesTheSmallestCubeWithNearlyAllPoints) {
  const SceneLayout layout{.distance = 1.32};  // a unit of the world is one of the field
  Dataset dataset;
  for (int i = 0; i < 99; ++i) dataset.points.positions.push_back({0.01 * i, 0, 0});
  dataset.points.positions.push_back({1000, 0, 0});
  EXPECT_EQ(place_field(dataset, layout, 0).aabb_scale, 2);
  for (glm::dvec3& point : dataset.points.positions) point *= 3.0;
  EXPECT_EQ(place_field(dataset, layout, 0).aabb_scale, 8);
  dataset.points = {};
  EXPECT_EQ(place_field(dataset, layout, 0).aabb_scale, kUsualAabbScale);
  dataset.is_cut_out = true;
  EXPECT_EQ(place_field(dataset, layout, 0).aabb_scale, 1);
}

}  // namespace
}  // namespace mote
