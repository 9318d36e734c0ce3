// Points that stand still or change, by photographs of cameras at rest.
#include "train/splats/seed_sightings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cameras/camera_ray.h"
#include "scene/scene_layout.h"
#include "support/fake_training.h"
#include "train/run/painted_photos.h"
#include "train/run/trainer.h"
#include "train/splats/initial_splats.h"
#include "train/splats/seed_movement.h"
#include "train/splats/splat_learner.h"

namespace mote {
namespace {

/// Cameras at rest around a grey scene, with a bright ball that moves.
class WatchedBall : public PaintedPhotos {
 public:
  static constexpr int kMoments = 10, kWidth = 120, kHeight = 90;
  static constexpr double kGap_s = 0.1;
  static glm::dvec3 ball_at(int moment) { return {0.2 * moment - 0.9, 0, 0}; }

  explicit WatchedBall(int cameras) {
    for (int c = 0; c < cameras; ++c) {
      dataset.camera_groups.push_back({.name = std::to_string(c), .frames_per_second = 10});
      for (int moment = 0; moment < kMoments; ++moment) {
        Photograph photograph;
        photograph.time_s = kGap_s * moment;
        photograph.camera_group = static_cast<std::uint32_t>(c);
        photograph.camera.width = kWidth;
        photograph.camera.height = kHeight;
        photograph.camera.focal_px = {100, 100};
        photograph.camera.center_px = {kWidth / 2, kHeight / 2};
        const double angle = 1.2 * (c + 0.5) / cameras - 0.6;
        look_at(photograph.camera, {4 * std::sin(angle), 0.3, -4 * std::cos(angle)}, {0, 0, 0},
                {0, -1, 0});
        dataset.train.push_back(static_cast<std::uint32_t>(dataset.photographs.size()));
        dataset.photographs.push_back(photograph);
      }
    }
    dataset.time = {.first_s = 0, .last_s = kGap_s * (kMoments - 1), .frames_per_second = 10};
  }
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override {
    EXPECT_EQ(level, 0);
    const int moment = static_cast<int>(index) % kMoments;
    const auto ball = pixel_of(dataset.photographs[index].camera, ball_at(moment));
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(kWidth, kHeight, 3);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const bool is_ball = ball && std::hypot(x + 0.5 - ball->x, y + 0.5 - ball->y) < 5;
        for (int k = 0; k < 3; ++k) {
          photo->color.row(y)[3 * x + k] = static_cast<std::uint8_t>(is_ball           ? 220
                                                                     : moment == flash ? 160
                                                                                       : 90);
        }
      }
    }
    return photo;
  }

  void announce(std::span<const std::uint32_t> indices, int /*level*/) override {
    announced.assign(indices.begin(), indices.end());
  }

  Dataset dataset;
  int flash = -1;  // a moment at which all is brighter
  std::vector<std::uint32_t> announced;
};

/// A point of the ball and one of the floor at each moment.
struct WatchedPoints {
  WatchedPoints() {
    for (int moment = 0; moment < WatchedBall::kMoments; ++moment) {
      positions.push_back(WatchedBall::ball_at(moment));
      positions.emplace_back(0.1 * moment, 1, 0.2);
      times_s.resize(positions.size(), WatchedBall::kGap_s * moment);
    }
  }
  std::vector<glm::dvec3> positions;
  std::vector<double> times_s;
};

void add_watched_points(Dataset& dataset) {
  const WatchedPoints watched;
  dataset.points.positions = watched.positions;
  dataset.points.times_s = watched.times_s;
  dataset.points.colors.assign(watched.positions.size(), {90, 90, 90});
}

TEST(SeedSightings, PointsChangeWherePhotographsDo) {
  for (const int cameras : {4, 40}) {  // all are asked, or some of them
    WatchedBall scene(cameras);
    const WatchedPoints points;
    const std::vector<SeenSeed> seen =
        seen_seeds(scene.dataset, scene, points.positions, points.times_s);
    ASSERT_EQ(seen.size(), points.positions.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i], i % 2 == 0 ? SeenSeed::changing : SeenSeed::still) << cameras << " " << i;
    }
  }
}

TEST(SeedSightings, TheTimeOfAPointCounts) {
  WatchedBall scene(4);
  WatchedPoints points;
  for (double& time_s : points.times_s) {  // the ball is elsewhere
    time_s = std::fmod(time_s + WatchedBall::kGap_s * WatchedBall::kMoments / 2,
                       WatchedBall::kGap_s * WatchedBall::kMoments);
  }
  const std::vector<SeenSeed> seen =
      seen_seeds(scene.dataset, scene, points.positions, points.times_s);
  for (const SeenSeed one : seen) EXPECT_EQ(one, SeenSeed::still);
}

TEST(SeedSightings, NothingIsKnownWithoutThreePhotographsOrATime) {
  WatchedBall few(2), turning(4), all(4);
  WatchedPoints points;
  const auto is_known = [&](WatchedBall& scene) {
    const std::vector<SeenSeed> seen =
        seen_seeds(scene.dataset, scene, points.positions, points.times_s);
    return seen[0] != SeenSeed::unknown;
  };
  EXPECT_TRUE(is_known(all));
  EXPECT_FALSE(is_known(few));
  for (Photograph& photograph : turning.dataset.photographs) {
    if (photograph.camera_group < 2) photograph.camera.translation.x += photograph.time_s;
  }
  EXPECT_FALSE(is_known(turning)) << "two of the cameras are not at rest";
  points.times_s[0] = kAlways;
  EXPECT_FALSE(is_known(all));
  points.times_s[0] = 7;
  EXPECT_FALSE(is_known(all)) << "no photograph is of that time";
}

TEST(SeedSightings, OnlyPhotographsOfTheTimesOfPointsAreDecodedAhead) {
  WatchedBall scene(4);
  const WatchedPoints all;
  const std::vector<double> of_moment(all.positions.size(), 3 * WatchedBall::kGap_s);
  seen_seeds(scene.dataset, scene, all.positions, of_moment);
  EXPECT_EQ(scene.announced, (std::vector<std::uint32_t>{3, 13, 23, 33}));
}

TEST(SeedSightings, CamerasForTestingTakeNoTurns) {
  constexpr int kTrained = 16;  // as many as are asked at a moment
  WatchedBall scene(3 * kTrained);
  std::erase_if(scene.dataset.train, [&](std::uint32_t i) {
    return scene.dataset.photographs[i].camera_group % 3 != 0;
  });
  const WatchedPoints points;
  seen_seeds(scene.dataset, scene, points.positions, points.times_s);
  EXPECT_EQ(scene.announced.size(), static_cast<std::size_t>(kTrained * WatchedBall::kMoments));
}

TEST(SeedSightings, LightThatChangesSaysNothing) {
  WatchedBall scene(4);
  scene.flash = 3;
  const WatchedPoints points;
  const std::vector<SeenSeed> seen =
      seen_seeds(scene.dataset, scene, points.positions, points.times_s);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i] == SeenSeed::unknown, i / 2 == 3) << i;
  }
}

TEST(SeedSightings, FirstSplatsLiveAlwaysWherePhotographsDoNotChange) {
  WatchedBall scene(4);
  add_watched_points(scene.dataset);
  TrainOptions options;
  options.motion = "life";
  options.strategy = "relocation";
  options.init_count = 10;
  const auto note_with = [&](PhotoStore* photos) {
    const InitialSplats first = make_initial_splats(scene.dataset, measure_layout(scene.dataset),
                                                    options, {.opacity = 0.1}, 42, photos);
    return first.remarks.notes.empty() ? "" : first.remarks.notes.front();
  };
  const std::string told = note_with(&scene);
  EXPECT_TRUE(told.starts_with("of 20 points, 10 stand still, ")) << told;
  EXPECT_NE(note_with(nullptr), told) << "points alone do not tell it";
}

TEST(SeedSightings, ARunThatContinuesDoesNotAskPhotographsAgain) {
  WatchedBall scene(4);
  add_watched_points(scene.dataset);
  TrainOptions options;
  options.init_count = 10;
  FakeBackend backend;
  const SplatPlan plan(options);
  Trainer before(backend, scene.dataset, scene, options, plan, 42);
  EXPECT_FALSE(scene.announced.empty());
  const std::uint64_t count = before.learner().count();
  EXPECT_GT(count, 0u);
  scene.announced.clear();
  Trainer after(backend, scene.dataset, scene, as_resumed(options), plan, 42);
  hand_over(before, after);
  EXPECT_EQ(after.learner().count(), count);
  EXPECT_TRUE(scene.announced.empty());
}

TEST(SeedSightings, ATrialWithRandomSplatsAsksNoPhotographs) {
  WatchedBall scene(4);
  add_watched_points(scene.dataset);
  TrainOptions options;
  FakeBackend backend;
  const auto plan = SplatPlan(options).at_full_detail(50);
  const Trainer trainer(backend, scene.dataset, scene, options, *plan, 42);
  EXPECT_EQ(trainer.learner().count(), 50u);
  EXPECT_TRUE(scene.announced.empty());
}

}  // namespace
}  // namespace mote
