// The time that the view shows, and its frame.
#include "app/viewer/document/scene_clock.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/moving/sequence_scene.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

constexpr TimeRange kRange{.end_s = 2, .period_s = 2.5};

SceneClock clock_of(const TimeRange& range) {
  SceneClock clock;
  clock.set_range(range);
  return clock;
}

/// The first step after play() only starts the clock.
void start(SceneClock& clock) {
  clock.play();
  clock.advance(100);
}

TEST(ASceneClock, StandsStillWithoutAMovingScene) {
  SceneClock clock;
  start(clock);
  clock.advance(1);
  EXPECT_FALSE(clock.playing());
  clock.seek(3);
  EXPECT_EQ(clock.time_s(), 0);
}

TEST(ASceneClock, RunsAtItsSpeedFromTheMomentOfPlay) {
  SceneClock clock = clock_of(kRange);
  start(clock);
  EXPECT_EQ(clock.time_s(), 0) << "what went by before it was played does not count";
  clock.advance(0.5);
  EXPECT_DOUBLE_EQ(clock.time_s(), 0.5);
  clock.set_speed(2);
  clock.advance(0.25);
  EXPECT_DOUBLE_EQ(clock.time_s(), 1);
  clock.pause();
  clock.advance(1);
  EXPECT_DOUBLE_EQ(clock.time_s(), 1);
}

TEST(ASceneClock, ShowsTheLastFrameAsLongAsTheOthersBeforeItLoops) {
  SceneClock clock = clock_of(kRange);
  start(clock);
  clock.advance(2.4);
  EXPECT_DOUBLE_EQ(clock.time_s(), 2);
  clock.advance(0.2);
  EXPECT_NEAR(clock.time_s(), 0.1, 1e-12);
  EXPECT_TRUE(clock.playing());
  clock.advance(1e6);
  EXPECT_LE(clock.time_s(), 2);
}

TEST(ASceneClock, StopsAtTheEndWithoutALoop) {
  SceneClock clock = clock_of(kRange);
  clock.set_loop(false);
  start(clock);
  clock.advance(5);
  EXPECT_FALSE(clock.playing());
  EXPECT_EQ(clock.time_s(), 2);
  clock.play();
  EXPECT_EQ(clock.time_s(), 0) << "played at the end it starts from the beginning";
}

TEST(ASceneClock, StaysWithinTheOpenScenes) {
  SceneClock clock = clock_of(kRange);
  clock.seek(9);
  EXPECT_EQ(clock.time_s(), 2);
  clock.seek(-1);
  EXPECT_EQ(clock.time_s(), 0);
  clock.seek(1.5);
  clock.set_range({.end_s = 1, .period_s = 1.1});
  EXPECT_EQ(clock.time_s(), 1);
  clock.play();
  clock.set_range({});
  EXPECT_FALSE(clock.playing());
  EXPECT_EQ(clock.time_s(), 0);
}

TEST(ASceneClock, GivesTheTimesOfAVideo) {
  SceneClock clock = clock_of(kRange);
  EXPECT_DOUBLE_EQ(clock.shown_at(1), 1);
  EXPECT_DOUBLE_EQ(clock.shown_at(3), 0.5);
  EXPECT_DOUBLE_EQ(clock.shown_at(4.9), 2);
  EXPECT_EQ(clock.shown_at(std::nextafter(2.5, 0)), 0) << "rounding shows no frame again";
  clock.set_loop(false);
  EXPECT_DOUBLE_EQ(clock.shown_at(3), 2);
  EXPECT_EQ(repeated(7, {}), 0);
}

SequenceScene frames(std::size_t count) {
  return {SplatSequence{.folder = {}, .frames = std::vector<std::filesystem::path>(count)},
          std::make_shared<const SplatCloud>(random_cloud(5, 0, 1)),
          [](std::size_t, const ProgressCallback&) { return random_cloud(5, 0, 1); }};
}

TEST(FramesOfASequence, AreShownFromTheirTimeOn) {
  SequenceScene scene = frames(60);
  EXPECT_EQ(frame_count(scene), 60u);
  EXPECT_DOUBLE_EQ(scene.range().end_s, 59.0 / 30);
  EXPECT_DOUBLE_EQ(scene.range().period_s, 2);
  for (std::size_t k = 0; k < 60; ++k) {
    const double time_s = static_cast<double>(k) / 30;
    EXPECT_EQ(frame_at(scene, time_s), k);
    EXPECT_EQ(frame_at(scene, time_s + 0.03), k);
  }
  EXPECT_EQ(frame_at(scene, -1), 0u);
  EXPECT_EQ(frame_at(scene, 1e9), 59u);
}

TEST(FramesOfASequence, FollowTheRate) {
  SequenceScene scene = frames(10);
  for (const double rate : {0.1, 24.0, 29.97, 1000.0}) {
    scene.set_frames_per_second(rate);
    EXPECT_EQ(frame_count(scene), 10u) << rate;
    for (std::size_t k = 0; k < 10; ++k) {
      EXPECT_EQ(frame_at(scene, static_cast<double>(k) / rate), k) << rate;
    }
  }
}

}  // namespace
}  // namespace mote
