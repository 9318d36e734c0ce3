// The schedule and the place of a neural field in a run.
#include "train/fields/field_plan.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include "fields/applications/nerf_layout.h"
#include "fields/field_camera.h"
#include "support/thrown_by.h"
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

TEST(FieldLearningRate, FallsLateInAShortRun) {
  EXPECT_DOUBLE_EQ(rate_at(849, 1000), 1e-2);
  EXPECT_DOUBLE_EQ(rate_at(851, 1000), 0.33e-2);
  EXPECT_DOUBLE_EQ(rate_at(949, 1000), 0.33e-2);
  EXPECT_NEAR(rate_at(951, 1000), 0.33 * 0.33e-2, 1e-12);
  EXPECT_DOUBLE_EQ(rate_at(60000, 80000, true), 1e-2) << "the length of the run is an estimate";
  EXPECT_DOUBLE_EQ(rate_at(70000, 80000, true), 0.33e-2);
}

TEST(FieldLearningRate, AScheduleThatFallsFromEarlyOnKeepsItsShares) {
  FieldOptimizer optimizer = *default_nerf_config().optimizer;
  optimizer.decay = FieldOptimizer::Decay{.base = 0.5, .start = 7000, .interval = 7000};
  const auto rate = [&](double fraction) {
    return field_learning_rate(optimizer, {.steps_total = 100, .fraction = fraction});
  };
  EXPECT_DOUBLE_EQ(rate(0.19), 1e-2);
  EXPECT_DOUBLE_EQ(rate(0.21), 0.5e-2);
  EXPECT_DOUBLE_EQ(rate(0.81), 1e-2 / 16);
  optimizer.decay.reset();
  EXPECT_DOUBLE_EQ(rate(0.99), 1e-2);
}

TEST(FieldOptions, AStepOfANerfHasTwiceAsManySamplesAsOneOfOtherFields) {
  FieldOptions usual, chosen;
  chosen.batch = 5000;
  EXPECT_EQ(samples_per_step(usual, FieldApplication::nerf), 131'072u);
  for (const FieldApplication other :
       {FieldApplication::sdf, FieldApplication::image, FieldApplication::volume}) {
    EXPECT_EQ(samples_per_step(usual, other), 65'536u);
    EXPECT_EQ(samples_per_step(chosen, other), 5000u);
  }
  EXPECT_EQ(samples_per_step(chosen, FieldApplication::nerf), 5000u);
  EXPECT_EQ(usual.march_step, "2");
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

TEST(FieldPlacing, TakesThePlaceOfTheDatasetUnlessAnOptionSaysOtherwise) {
  const SceneLayout layout{.extent = 5, .focus = {3, -2, 7}, .distance = 4};
  Dataset dataset;
  dataset.field_hints.aabb_scale = 16;
  FieldSite site = place_field(dataset, layout, 0);
  EXPECT_EQ(site.aabb_scale, 16);
  EXPECT_EQ(site.render_box, field_cube(16));
  EXPECT_NEAR(field_from_world(site.placement, layout.focus).x, 0.5, 1e-12);
  EXPECT_EQ(place_field(dataset, layout, 2).aabb_scale, 2);
  dataset.field_hints.place = FieldHints::Place{0.33, glm::dvec3(0.5)};
  dataset.field_hints.render_box = FieldHints::Box{{-20, 0, 0.25}, {20, 1, 0.75}};
  site = place_field(dataset, layout, 0);
  EXPECT_EQ(site.placement.scale, 0.33);
  EXPECT_EQ(site.placement.offset, glm::dvec3(0.5));
  EXPECT_EQ(site.render_box, (FieldBox{{-7.5f, 0, 0.25f}, {8.5f, 1, 0.75f}}));
  dataset.field_hints.render_box = FieldHints::Box{{20, 0, 0}, {30, 1, 1}};
  EXPECT_EQ(place_field(dataset, layout, 0).render_box, field_cube(16)) << "outside of the cube";
}

TEST(FieldOptions, LatentsAreThoseOfTheDatasetUnlessGiven) {
  Dataset dataset;
  FieldOptions options;
  EXPECT_EQ(latents_of_run(options, dataset), 0);
  dataset.field_hints.latents = 8;
  EXPECT_EQ(latents_of_run(options, dataset), 8);
  options.latents = 0;
  EXPECT_EQ(latents_of_run(options, dataset), 0);
  options.latents = -1;
  dataset.field_hints.latents = 100;
  EXPECT_NE(thrown_by([&] { latents_of_run(options, dataset); }).remedy().find("--latents"),
            std::string::npos);
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
