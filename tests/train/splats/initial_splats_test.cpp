// The initial splats of a training.
#include "train/splats/initial_splats.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/geometric.hpp>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/random.h"
#include "io/splats/scene_format.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "train/splats/neighbours.h"
#include "train/splats/splat_limit.h"

namespace mote {
namespace {

constexpr InitialStyle kStyle{.opacity = 0.1, .scale = 1};

SplatCloud initial(const Dataset& dataset, const TrainOptions& options = {},
                   const InitialStyle& style = kStyle) {
  return make_initial_splats(dataset, measure_layout(dataset), options, style, 42).cloud;
}

void expect_all_finite(const SplatCloud& cloud) {
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      ASSERT_TRUE(std::isfinite(cloud.at(i, static_cast<Field>(f)))) << i << " " << f;
    }
  }
}

glm::dvec3 mean_of(const SplatCloud& cloud, std::size_t i) {
  return {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)};
}

TEST(Neighbours, DistancesMatchATestOfAllPairs) {
  Random random(9);
  std::vector<glm::dvec3> points;
  for (int i = 0; i < 300; ++i) {
    const double x = random.normal(), y = random.normal();
    points.emplace_back(x, y, random.normal());
  }
  const std::vector<double> distances = neighbour_distances(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> squared;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const glm::dvec3 apart = points[i] - points[j];
      if (j != i) squared.push_back(glm::dot(apart, apart));
    }
    std::sort(squared.begin(), squared.end());
    EXPECT_NEAR(distances[i], std::sqrt((squared[0] + squared[1] + squared[2]) / 3), 1e-12);
  }
}

TEST(Neighbours, FewPointsHaveFewNeighbours) {
  EXPECT_TRUE(neighbour_distances({}).empty());
  const std::vector<glm::dvec3> one{{1, 2, 3}}, two{{0, 0, 0}, {3, 4, 0}};
  EXPECT_EQ(neighbour_distances(one), std::vector<double>{0});
  EXPECT_EQ(neighbour_distances(two), (std::vector<double>{5, 5}));
}

TEST(InitialSplats, HavePositionsAndColoursOfThePoints) {
  const Dataset dataset = ring_dataset(9, 50);
  TrainOptions options;
  options.sh_degree = 2;
  const SplatCloud cloud = initial(dataset, options);
  ASSERT_EQ(cloud.count(), 50u);
  EXPECT_EQ(cloud.sh_degree(), 2);
  const std::vector<double> distances = neighbour_distances(dataset.points.positions);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_LT(glm::distance(mean_of(cloud, i), dataset.points.positions[i]), 1e-6);
    EXPECT_NEAR(std::exp(double{cloud.at(i, Field::log_scale_y)}), distances[i], 1e-5);
    EXPECT_NEAR(1 / (1 + std::exp(-double{cloud.at(i, Field::logit_opacity)})), 0.1, 1e-6);
    EXPECT_NEAR(0.5 + 0.28209479 * double{cloud.sh(i, 0, 0)}, 200 / 255.0, 1e-6);
    EXPECT_EQ(cloud.sh(i, 5, 1), 0);
  }
  const SplatCloud small = initial(dataset, options, {.opacity = 0.5, .scale = 0.1});
  EXPECT_NEAR(small.at(7, Field::log_scale_x), cloud.at(7, Field::log_scale_x) - std::log(10),
              1e-5);
  EXPECT_NEAR(small.at(7, Field::logit_opacity), 0, 1e-6);
}

TEST(InitialSplats, AreFiniteForCoincidentDistantOrNonFinitePoints) {
  Dataset dataset = ring_dataset(9, 50);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const glm::dvec3 odd : {glm::dvec3(1, 1, 1), glm::dvec3(1, 1, 1), glm::dvec3(1, 1, 1),
                               glm::dvec3(1, 1, 1), glm::dvec3(1e300, 0, 0), glm::dvec3(nan, 0, 0),
                               glm::dvec3(0, 1.0 / 0.0, 0), glm::dvec3(5000, 0, 0)}) {
    dataset.points.positions.push_back(odd);
    dataset.points.colors.push_back({0, 0, 0});
  }
  const SplatCloud cloud = initial(dataset);
  EXPECT_EQ(cloud.count(), 55u);
  expect_all_finite(cloud);
  EXPECT_GT(cloud.at(51, Field::log_scale_x), -12);
  EXPECT_LT(std::exp(cloud.at(54, Field::log_scale_x)), 501);
}

TEST(InitialSplats, AreRandomWithinTheViewOfCamerasIfPointsAreTooFew) {
  TrainOptions options;
  options.init_count = 2000;
  for (const int points : {0, 1, 9}) {
    const Dataset dataset = ring_dataset(9, points);
    const SplatCloud cloud = initial(dataset, options);
    ASSERT_EQ(cloud.count(), 2000u);
    expect_all_finite(cloud);
    const SceneLayout layout = measure_layout(dataset);
    std::size_t near = 0;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      const double far = glm::distance(mean_of(cloud, i), layout.focus);
      EXPECT_LE(far, 10.001 * layout.distance);
      near += far < 0.9 * layout.distance;
    }
    EXPECT_GT(near, 1200u);
    EXPECT_LT(near, 1950u);
  }
  options.random_init = true;
  EXPECT_EQ(initial(ring_dataset(9, 500), options).count(), 2000u);
}

TEST(InitialSplats, StayWithinTheCapAndTheTarget) {
  TrainOptions options;
  options.max_splats = 30;
  EXPECT_EQ(initial(ring_dataset(9, 50), options).count(), 30u);
  options.target_splats = 20;
  EXPECT_EQ(initial(ring_dataset(9, 50), options).count(), 20u);
  options.init = "random";
  EXPECT_EQ(initial(ring_dataset(9, 50), options).count(), 20u);
}

TEST(InitialSplats, ReportOmittedPointsAndTheirReplacement) {
  const auto remarks = [](const Dataset& dataset, const TrainOptions& options) {
    return make_initial_splats(dataset, measure_layout(dataset), options, kStyle, 42).remarks;
  };
  TrainOptions options;
  EXPECT_TRUE(remarks(ring_dataset(9, 50), options).notes.empty());
  EXPECT_TRUE(remarks(ring_dataset(9, 50), options).warnings.empty());
  options.max_splats = 30;
  const InitialRemarks cut = remarks(ring_dataset(9, 50), options);
  ASSERT_EQ(cut.notes.size(), 1u);
  EXPECT_TRUE(cut.notes[0].starts_with("30 of 50 points")) << cut.notes[0];
  const InitialRemarks few = remarks(ring_dataset(9, 9), options);
  ASSERT_EQ(few.warnings.size(), 1u);
  EXPECT_TRUE(few.warnings[0].starts_with("9 initial points")) << few.warnings[0];
  ASSERT_EQ(few.notes.size(), 1u);
  EXPECT_TRUE(few.notes[0].starts_with("starting from 30 random splats")) << few.notes[0];
}

/// A ring of photographs at times from 0 to 1 s.
Dataset moving_ring() {
  Dataset dataset = ring_dataset(9, 50);
  for (std::size_t i = 0; i < dataset.photographs.size(); ++i) {
    dataset.photographs[i].time_s = static_cast<double>(i) / 8;
  }
  dataset.time = {.first_s = 0, .last_s = 1, .frames_per_second = 8};
  return dataset;
}

TrainOptions options_of_lives() {
  TrainOptions options;
  options.motion = "life";
  options.strategy = "relocation";
  options.max_splats = 1000;
  return options;
}

bool lives_always(const SplatCloud& cloud, std::size_t i) {
  return cloud.at(i, Field::log_time_sigma) > 0;  // above the second that the scene lasts
}

std::size_t count_always(const SplatCloud& cloud) {
  std::size_t always = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) always += lives_always(cloud, i) ? 1 : 0;
  return always;
}

TEST(InitialSplats, OfPointsOfOneMomentAreThereAtAllTimes) {
  Dataset dataset = moving_ring();
  dataset.points.times_s.assign(50, 0.25);
  TrainOptions options = options_of_lives();
  options.init_count = 50;
  const SplatCloud cloud = initial(dataset, options);
  ASSERT_EQ(cloud.count(), 50u);
  EXPECT_EQ(count_always(cloud), 25u);
  float first_s = 1, last_s = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (lives_always(cloud, i)) continue;
    first_s = std::min(first_s, cloud.at(i, Field::time_mean));
    last_s = std::max(last_s, cloud.at(i, Field::time_mean));
  }
  EXPECT_LT(first_s, 0.4f);
  EXPECT_GT(last_s, 0.6f);
}

/// Points of six moments: 20 that stand still, and 20 of another colour that are far away from
/// where they were.
void add_moments(Dataset& dataset) {
  PointCloud& points = dataset.points;
  points = {};
  for (int moment = 0; moment < 6; ++moment) {
    for (int i = 0; i < 20; ++i) {
      const glm::dvec3 place(0.2 * (i % 5), 0.2 * (i / 5), 0);
      points.positions.push_back(place);
      points.colors.push_back({200, 200, 200});
      points.positions.push_back(place + glm::dvec3(5 * moment, 0, 3));
      points.colors.push_back({200, 20, 20});
    }
    points.times_s.resize(points.positions.size(), moment / 5.0);
  }
}

TEST(InitialSplats, OfSeveralMomentsAreMostlyAtPointsThatMayMove) {
  Dataset dataset = moving_ring();
  add_moments(dataset);
  TrainOptions options = options_of_lives();
  options.init_count = 100;
  const InitialSplats first =
      make_initial_splats(dataset, measure_layout(dataset), options, kStyle, 42);
  EXPECT_EQ(first.cloud.count(), 343u) << "ten sevenths of two splats for each point that may move";
  EXPECT_EQ(count_always(first.cloud), 103u);
  ASSERT_EQ(first.remarks.notes.size(), 1u);
  const std::string& note = first.remarks.notes[0];
  EXPECT_TRUE(note.starts_with("of 240 points, 120 stand still, ")) << note;
  EXPECT_TRUE(note.ends_with("; 103 of 343 initial splats live always")) << note;
  expect_all_finite(first.cloud);
  for (const int target : {1, 30, 500}) {
    options.target_splats = target;
    EXPECT_EQ(initial(dataset, options).count(), static_cast<std::size_t>(target));
  }
}

TEST(InitialSplats, ThatStandStillAreAtSomeOfThePointsOfSeveralMoments) {
  Dataset dataset = moving_ring();
  add_moments(dataset);
  TrainOptions options;
  options.max_splats = 1000;
  options.init_count = 100;
  EXPECT_EQ(initial(dataset, options).count(), 100u);
  options.target_splats = 60;
  EXPECT_EQ(initial(dataset, options).count(), 60u);

  // Photographs of one moment begin with its 40 points and with the others that stand still.
  options.target_splats = 0;
  options.init_count = 1000;
  for (Photograph& photograph : dataset.photographs) photograph.time_s = 0.4;
  dataset.time = {.first_s = 0.4, .last_s = 0.4, .frames_per_second = 8};
  EXPECT_EQ(initial(dataset, options).count(), 140u);
  options.init_count = 100;
  EXPECT_EQ(initial(dataset, options).count(), 100u);
}

TEST(SplatLimit, FollowsThePhotographsIfNoneIsGiven) {
  Dataset dataset = ring_dataset(9, 50);
  TrainOptions options;
  std::size_t colour_values = 0;
  for (const std::uint32_t i : dataset.train) {
    const Camera& camera = dataset.photographs[i].camera;
    colour_values += static_cast<std::size_t>(3 * camera.width * camera.height);
  }
  EXPECT_EQ(splat_limit(dataset, options), colour_values / 59);
  options.sh_degree = 0;
  EXPECT_EQ(splat_limit(dataset, options), colour_values / 14);
  for (Photograph& photograph : dataset.photographs) photograph.camera.width = 1 << 20;
  EXPECT_EQ(splat_limit(dataset, options), 1000000u);
  options.max_splats = 70;
  EXPECT_EQ(splat_limit(dataset, options), 70u);
}

TEST(InitialSplats, ARandomStartIsLimitedByThePhotographs) {
  TrainOptions options;
  options.init = "random";
  const Dataset dataset = ring_dataset(9, 50);
  const SplatCloud cloud = initial(dataset, options);
  EXPECT_EQ(cloud.count(), splat_limit(dataset, options));
  EXPECT_LT(cloud.count(), 100000u);
}

TEST(InitialSplats, ComeFromASceneFile) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    ("initial_splats_" + std::to_string(::getpid()) + ".ply");
  SplatCloud scene = random_cloud(100, 1, 3);
  scene.at(5, Field::mean_x) = std::numeric_limits<float>::quiet_NaN();
  scene.at(6, Field::logit_opacity) = std::numeric_limits<float>::infinity();
  save_scene(scene, path);
  TrainOptions options;
  options.init = path.string();
  const SplatCloud cloud = initial(ring_dataset(9, 50), options);
  EXPECT_EQ(cloud.count(), 99u);
  EXPECT_EQ(cloud.sh_degree(), 3);
  expect_all_finite(cloud);
  EXPECT_EQ(cloud.sh(0, 2, 1), scene.sh(0, 2, 1));
  options.max_splats = 98;
  EXPECT_THROW(initial(ring_dataset(9, 50), options), Error);
  std::filesystem::remove(path);
}

TEST(SceneLayout, FindsThePointThatTheCamerasLookAt) {
  const Dataset dataset = ring_dataset(16, 50);
  const SceneLayout layout = measure_layout(dataset);
  EXPECT_LT(glm::length(layout.focus), 1e-6);
  EXPECT_NEAR(layout.distance, std::sqrt(17), 1e-6);
  EXPECT_NEAR(layout.extent, 1.1 * 4, 0.5);
  EXPECT_FALSE(layout.in_one_place);
}

TEST(SceneLayout, IsSensibleForOneCameraAndForCamerasInOnePlace) {
  TrainOptions options;
  options.init_count = 100;
  for (const int points : {0, 50}) {
    const Dataset one = ring_dataset(1, points);
    const SceneLayout layout = measure_layout(one);
    EXPECT_GT(layout.extent, 0.05);
    EXPECT_LT(layout.extent, 1);
    EXPECT_GT(layout.distance, 0.5);
    expect_all_finite(initial(one, options));

    Dataset turning = ring_dataset(9, points);
    for (Photograph& photograph : turning.photographs) photograph.camera.translation = {0, 0, 0};
    const SceneLayout turned = measure_layout(turning);
    EXPECT_TRUE(turned.in_one_place);
    EXPECT_GT(turned.extent, 0.005);
    EXPECT_GT(turned.distance, 0.05);
    EXPECT_TRUE(std::isfinite(glm::length(turned.focus)));
    expect_all_finite(initial(turning, options));
  }
}

TEST(SceneLayout, IsSensibleForParallelCamerasAndBrokenPoses) {
  Dataset dataset = ring_dataset(9, 50);
  for (std::size_t i = 0; i < dataset.photographs.size(); ++i) {
    Camera& camera = dataset.photographs[i].camera;
    camera.cam_from_world = glm::dmat3(1);
    camera.translation = {0.1 * static_cast<double>(i), 0, 5};
  }
  SceneLayout layout = measure_layout(dataset);
  EXPECT_GT(layout.focus.z, -5);
  EXPECT_NEAR(layout.distance, 5, 1);

  dataset.photographs[1].camera.translation.x = std::numeric_limits<double>::quiet_NaN();
  layout = measure_layout(dataset);
  EXPECT_TRUE(std::isfinite(layout.extent) && std::isfinite(layout.distance));
}

}  // namespace
}  // namespace mote
