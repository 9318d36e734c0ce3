// The pictures that reached the screen, and their times.
#include "app/viewer/session/presented_frames.h"

#include <gtest/gtest.h>

namespace mote {
namespace {

TEST(PresentedFramesOfAMovingView, HaveIntervalsAndRenderTimes) {
  PresentedFrames frames;
  EXPECT_EQ(frames.count(), 0u);
  for (int i = 0; i <= 100; ++i) frames.add(5 + 0.02 * i + (i > 95 ? 0.01 * (i - 95) : 0), 4);
  EXPECT_EQ(frames.total(), 101u);
  ASSERT_EQ(frames.count(), 100u);
  const FrameTimes times = frames.on_screen();
  EXPECT_NEAR(times.p50_ms, 20, 1e-6);
  EXPECT_NEAR(times.p95_ms, 20 + 0.05 * 10, 1e-6) << "the five last took 30 ms";
  EXPECT_NEAR(times.p99_ms, 30, 1e-6);
  EXPECT_NEAR(times.mean_ms, 20.5, 1e-6);
  EXPECT_NEAR(times.fps, 1e3 / 20.5, 1e-6);
  EXPECT_NEAR(frames.rendered().p99_ms, 4, 1e-9);
}

TEST(PresentedFramesOfAMovingView, DoNotCountARestAsAnInterval) {
  PresentedFrames frames;
  frames.add(1, 4);
  frames.add(1.02, 4);
  frames.rest();
  frames.add(7, 4);
  frames.add(7.02, 4);
  EXPECT_EQ(frames.total(), 4u);
  ASSERT_EQ(frames.count(), 2u);
  EXPECT_NEAR(frames.on_screen().p99_ms, 20, 1e-6);
}

TEST(PresentedFramesOfAMovingView, IgnoreRestsShorterThanTheLimit) {
  PresentedFrames frames;
  for (int i = 0; i < 4; ++i) {
    frames.add(1 + 0.016 * i, 2);
    frames.rest();
  }
  ASSERT_EQ(frames.count(), 3u);
  EXPECT_NEAR(frames.on_screen().mean_ms, 16, 1e-6);
}

TEST(PresentedFramesOfAMovingView, AllowIntervalsOfSecondsIfRenderingTakesAsLong) {
  PresentedFrames frames;
  frames.add(1, 2000);
  frames.add(3.5, 2400);
  ASSERT_EQ(frames.count(), 1u);
  EXPECT_NEAR(frames.on_screen().p50_ms, 2500, 1e-6);
}

TEST(PresentedFramesOfAMovingView, DropTheOldestBeyondTheLimit) {
  PresentedFrames frames;
  const int many = static_cast<int>(PresentedFrames::kMost);
  for (int i = 0; i <= many; ++i) frames.add(1 + 0.1 * i, 50);
  for (int i = 1; i <= many; ++i) frames.add(1 + 0.1 * many + 0.01 * i, 5);
  EXPECT_EQ(frames.count(), PresentedFrames::kMost);
  EXPECT_EQ(frames.total(), 2u * PresentedFrames::kMost + 1);
  EXPECT_NEAR(frames.on_screen().p99_ms, 10, 1e-6);
  EXPECT_NEAR(frames.rendered().p99_ms, 5, 1e-9);
}

}  // namespace
}  // namespace mote
