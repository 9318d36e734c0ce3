// The cameras of datasets that `mote synth` makes.
#include "synth/dataset_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <set>

#include "core/options.h"
#include "synth/bvh.h"

namespace mote::synth {
namespace {

TEST(DatasetViews, ALensThatFoldsThePictureIsRefused) {
  const Scene scene = scenes()[0]->make(0);
  DatasetPlan plan;
  plan.lens = {LensKind::brown, {-0.2, 0.03, 0.001, 0.001}};
  EXPECT_NE(dataset_views(scene, plan)[0].camera.lens, nullptr);
  plan.lens.parameters[0] = -4;
  EXPECT_THROW(dataset_views(scene, plan), UsageError);
}

TEST(DatasetViews, TestViewsStandAmongTheOthersAndAllLookAtTheScene) {
  const Scene scene = scenes()[0]->make(0);
  for (const auto& [train, test] : {std::pair{40, 8}, {3, 1}, {1, 0}, {5, 5}, {2, 9}}) {
    DatasetPlan plan;
    plan.train_views = train;
    plan.test_views = test;
    const auto views = dataset_views(scene, plan);
    ASSERT_EQ(views.size(), static_cast<std::size_t>(train + test));
    std::set<std::string> names;
    int tests = 0;
    for (const DatasetView& view : views) {
      names.insert(view.name);
      tests += view.is_test;
      EXPECT_EQ(view.time, 0);
      EXPECT_EQ(view.exposure, 1);
      const Camera& camera = view.camera;
      const glm::dvec3 target =
          camera.cam_from_world * glm::dvec3(scene.target) + camera.translation;
      EXPECT_GT(target.z, 0.8 * static_cast<double>(scene.distance));
      EXPECT_LT(glm::length(glm::dvec2(target)), 0.1);
      EXPECT_GT(camera.position_world().z, static_cast<double>(scene.target.z));
    }
    EXPECT_EQ(names.size(), views.size());
    EXPECT_EQ(tests, test);
  }
}

TEST(DatasetViews, LookInAllDirectionsFromInsideOfARoom) {
  const Scene scene = scene_named("study").make(0);
  ASSERT_TRUE(scene.looks_outwards);
  DatasetPlan plan;
  plan.train_views = 60;
  std::set<int> eighths;
  double nearest = 1e9;
  glm::dvec3 low(1e9), high(-1e9);
  const Bvh bvh(scene.mesh);
  for (const DatasetView& view : dataset_views(scene, plan)) {
    const glm::dvec3 position = view.camera.position_world();
    const glm::dvec3 forward = glm::transpose(view.camera.cam_from_world)[2];
    EXPECT_LE(glm::length(glm::dvec2(position)), static_cast<double>(scene.distance) + 1e-6);
    eighths.insert(static_cast<int>(std::floor(std::atan2(forward.y, forward.x) * 4 / 3.1416)));
    low = glm::min(low, forward);
    high = glm::max(high, forward);
    Hit hit{};
    ASSERT_TRUE(bvh.first_hit({vec3(position), vec3(forward)}, kInfinity, hit));
    nearest = std::min(nearest, static_cast<double>(hit.distance));
  }
  EXPECT_EQ(eighths.size(), 8u);
  EXPECT_LT(low.z, -0.4);
  EXPECT_GT(high.z, 0.4);
  EXPECT_GT(nearest, 0.3);
}

TEST(DatasetViews, TimesCoverTheIntervalAndExposureLeavesTestViewsAlone) {
  const Scene scene = scenes()[0]->make(0);
  DatasetPlan still;
  still.exposure_jitter = 0.5;
  DatasetPlan moving = still;
  moving.moving = true;
  const auto a = dataset_views(scene, still), b = dataset_views(scene, moving);
  EXPECT_EQ(b.front().time, 0);
  EXPECT_EQ(b.back().time, 1);
  double spread = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].camera.position_world(), b[i].camera.position_world());
    EXPECT_TRUE(i == 0 || b[i].time > b[i - 1].time);
    EXPECT_TRUE(!a[i].is_test || a[i].exposure == 1);
    spread = std::max(spread, std::abs(std::log2(a[i].exposure)));
  }
  EXPECT_GT(spread, 0.3);
  EXPECT_LT(spread, 2.5);
}

}  // namespace
}  // namespace mote::synth
