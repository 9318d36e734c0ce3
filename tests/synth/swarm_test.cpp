#include "synth/swarm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "splats/life_range.h"

namespace mote::synth {
namespace {

SplatCloud swarm_by(int threads) {
  ThreadPool pool(threads);
  return make_swarm({.splats = 40000, .duration_s = 30, .sh_degree = 1}, pool, [](double) {});
}

TEST(Swarm, IsTheSameForAnyNumberOfThreads) {
  const SplatCloud one = swarm_by(1), three = swarm_by(3);
  for (std::size_t i = 0; i < one.count(); ++i) {
    for (const Field field : one.info().stored()) ASSERT_EQ(one.at(i, field), three.at(i, field));
    ASSERT_EQ(one.sh(i, 2, 1), three.sh(i, 2, 1));
  }
}

TEST(Swarm, HasTheLivesOfItsPlan) {
  const SplatCloud cloud = swarm_by(2);
  EXPECT_EQ(cloud.times.duration_s, 30);
  std::size_t stays = 0, lives = 0;
  double log_sum = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const LifeRange life = life_range(load_motion(cloud.info().planes, cloud.geometry_block(0), i),
                                      cloud.at(i, Field::logit_opacity));
    ASSERT_FALSE(life.empty());
    if (std::isinf(life.to_s)) {
      ++stays;
      EXPECT_EQ(cloud.at(i, Field::velocity_x), 0);
      continue;
    }
    const double length = life.to_s - life.from_s, middle = life.from_s + length / 2;
    EXPECT_GE(length, 0.0999);
    EXPECT_LE(length, 3.001);
    EXPECT_GE(middle, -1e-4);
    EXPECT_LE(middle, 30 + 1e-4);
    log_sum += std::log(length);
    ++lives;
  }
  EXPECT_NEAR(static_cast<double>(stays) / 40000, 0.25, 0.01);
  // The mean logarithm is in the middle of its bounds.
  EXPECT_NEAR(log_sum / static_cast<double>(lives), (std::log(0.1) + std::log(3)) / 2, 0.02);
}

}  // namespace
}  // namespace mote::synth
