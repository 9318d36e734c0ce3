// Moving scenes through .4dgs files: splats with lives are written as pieces and read as they were.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <random>

#include "io/splats/fourdgs_lives.h"
#include "io/splats/scene_format.h"
#include "math/activations.h"
#include "splats/motions/life.h"
#include "support/files/fourdgs_samples.h"
#include "support/thrown_by.h"

namespace mote::fourdgs {
namespace {

namespace fs = std::filesystem;

constexpr double kDuration_s = 4, kSceneCutoff = 1.0 / 255;

double weight_of(const Splat& splat, double time_s) {
  if (time_s < splat.begin || time_s >= splat.end) return 0;
  if (std::isinf(splat.sigma)) return 1;
  const double deviations = (time_s - splat.time) / splat.sigma;
  return std::exp(-0.5 * deviations * deviations);
}

double weight_of(const LifeSplat& life, double time_s) {
  if (life.is_static) return 1;
  return life_weight(LifeTime<double>{life.splat.time, life.splat.sigma, life.plateau}, time_s)
      .weight;
}

std::array<double, 3> position_of(const Splat& splat, double time_s) {
  std::array<double, 3> position{};
  for (std::size_t i = 0; i < 3; ++i) {
    position[i] = splat.position[i] + double{splat.velocity[i]} * (time_s - splat.time);
  }
  return position;
}

/// Whether the time is on a hard edge of a life, which a file has a little steeper or less steep.
bool is_on_edge(const LifeSplat& life, double time_s) {
  const double from_edge = std::abs(std::abs(time_s - life.splat.time) - life.plateau);
  return life.splat.sigma < 1e-4f && from_edge < 1e-3;
}

/// Lives with and without plateaus, hard edges, static ones, and some that begin before the scene
/// or end after it.
std::vector<LifeSplat> random_lives() {
  std::mt19937 random(5);
  std::vector<LifeSplat> lives;
  const SplatList list = random_splats(200, 0, 11);
  for (std::size_t i = 0; i < list.splats.size(); ++i) {
    LifeSplat life{.splat = list.splats[i], .first = i};
    life.splat.source = static_cast<std::uint32_t>(i) + 1;
    life.splat.sigma = i % 4 == 0 ? 1e-5f : 0.05f + 0.001f * static_cast<float>(i);
    life.plateau = i % 4 == 1 ? 0 : std::uniform_real_distribution<>(0.05, 3)(random);
    life.is_static = i % 16 == 15;
    if (life.is_static) life.splat.velocity = {};
    lives.push_back(life);
  }
  return lives;
}

TEST(FourdgsLives, ThePiecesOfALifeAreTheLife) {
  for (const LifeSplat& life : random_lives()) {
    const std::vector<Splat> pieces = pieces_of(life, kDuration_s);
    for (int k = 0; k <= 400; ++k) {
      const double time_s = kDuration_s * (k + 0.31) / 401;
      if (is_on_edge(life, time_s)) continue;
      double weight = 0;
      for (const Splat& piece : pieces) {
        const double part = weight_of(piece, time_s);
        weight += part;
        if (part == 0) continue;
        const auto found = position_of(piece, time_s), expected = position_of(life.splat, time_s);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);
      }
      EXPECT_NEAR(weight, weight_of(life, time_s), 1e-5) << life.first << " at " << time_s;
    }
  }
}

TEST(FourdgsLives, ALifeIsFoundFromItsPieces) {
  std::vector<Splat> pieces;
  const std::vector<LifeSplat> lives = random_lives();
  for (const LifeSplat& life : lives) {
    for (const Splat& piece : pieces_of(life, kDuration_s)) pieces.push_back(piece);
  }
  std::shuffle(pieces.begin(), pieces.end(), std::mt19937(3));
  const FoundLives found = lives_of(pieces, kDuration_s, kSceneCutoff);
  EXPECT_EQ(found.cut, 0u);
  ASSERT_EQ(found.lives.size(), lives.size());
  for (std::size_t i = 0; i < lives.size(); ++i) {
    ASSERT_EQ(found.lives[i].splat.source, lives[i].splat.source);
    for (int k = 0; k <= 100; ++k) {
      const double time_s = kDuration_s * (k + 0.31) / 101;
      if (is_on_edge(lives[i], time_s)) continue;
      EXPECT_NEAR(weight_of(found.lives[i], time_s), weight_of(lives[i], time_s), 1e-4)
          << i << " at " << time_s;
    }
  }
}

TEST(FourdgsLives, ABellThatAWindowCutsIsABoxOfTheSameMean) {
  Splat splat = random_splats(2, 0, 1).splats[1];
  splat.sigma = 0.5f;
  splat.time = splat.begin = 2;
  splat.end = 2.5f;
  splat.color[3] = 0.8f;
  const FoundLives found = lives_of({splat}, kDuration_s, 0.05);
  EXPECT_EQ(found.cut, 1u);
  ASSERT_EQ(found.lives.size(), 1u);
  EXPECT_NEAR(found.lives[0].plateau, 0.25, 4e-4);
  EXPECT_NEAR(found.lives[0].splat.time, 2.25, 4e-4);
  // The mean of a bell from 0 to 1 sigma: sqrt(pi / 2) erf(1 / sqrt(2)).
  EXPECT_NEAR(found.lives[0].splat.color[3], 0.8 * 0.855624, 1e-4);
}

TEST(FourdgsLives, WindowsThatMeetShowOneSplatAtTheTimeBetweenThem) {
  Splat early = random_splats(2, 0, 1).splats[0];
  early.sigma = INFINITY;
  early.begin = 0;
  early.end = 2;
  Splat late = early;
  late.begin = 2;
  late.end = 5;
  const FoundLives boxes = lives_of({early, late}, kDuration_s, kSceneCutoff);
  ASSERT_EQ(boxes.lives.size(), 2u);
  EXPECT_LT(weight_of(boxes.lives[0], 2), 1.0 / 255);
  EXPECT_GT(weight_of(boxes.lives[0], 1.998), 0.99);
  EXPECT_EQ(weight_of(boxes.lives[1], 2), 1);
}

TEST(FourdgsLives, TheMeanOfABellIsThatOfTheScene) {
  // A window that ends after the scene, whose last moment it shows.
  Splat splat = random_splats(2, 0, 1).splats[1];
  splat.sigma = 0.5f;
  splat.time = 3;
  splat.begin = 3.5f;
  splat.end = static_cast<float>(kDuration_s) + 1;
  splat.color[3] = 0.8f;
  const FoundLives found = lives_of({splat}, kDuration_s, 0.05);
  ASSERT_EQ(found.lives.size(), 1u);
  // The mean of a bell from 1 to 2 sigma: sqrt(pi / 2) (erf(sqrt(2)) - erf(1 / sqrt(2))).
  EXPECT_NEAR(found.lives[0].splat.color[3], 0.8 * 0.340663, 1e-3);
}

/// The splat of a written scene that is where a splat of the scene is at the middle of its life.
std::size_t twin_of(const SplatCloud& cloud, std::size_t splat, const SplatCloud& written) {
  std::size_t found = 0;
  double nearest = INFINITY;
  for (std::size_t i = 0; i < written.count(); ++i) {
    const double since =
        double{written.at(i, Field::time_mean)} - cloud.at(splat, Field::time_mean);
    double apart = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto mean = static_cast<Field>(static_cast<int>(Field::mean_x) + axis);
      const auto velocity = static_cast<Field>(static_cast<int>(Field::velocity_x) + axis);
      apart +=
          std::abs(written.at(i, mean) - cloud.at(splat, mean) - cloud.at(splat, velocity) * since);
    }
    if (apart >= nearest) continue;
    nearest = apart;
    found = i;
  }
  return found;
}

class FourdgsScenes : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path path() const { return folder_ / "scene.4dgs"; }

  fs::path folder_ = fs::path(testing::TempDir()) / ("fourdgs_scene_" + std::to_string(::getpid()));
};

TEST_F(FourdgsScenes, AWrittenSceneIsReadAsItWasInTheOrderOfTime) {
  std::mt19937 random(9);
  const auto uniform = [&](float least, float most) {
    return std::uniform_real_distribution<float>(least, most)(random);
  };
  SplatCloud cloud(300, SplatForm{SplatKind::gaussian, 2, SplatMotion::life});
  cloud.times.duration_s = kDuration_s;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : {Field::mean_x, Field::mean_y, Field::mean_z, Field::velocity_x,
                              Field::velocity_y, Field::velocity_z, Field::rotation_w,
                              Field::rotation_x, Field::rotation_y, Field::rotation_z}) {
      cloud.at(i, field) = uniform(-1, 1);
    }
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) = uniform(-5, -2);
    }
    cloud.at(i, Field::logit_opacity) = uniform(-3, 3);
    cloud.at(i, Field::time_mean) = uniform(0, 4);
    cloud.at(i, Field::log_time_sigma) = uniform(-3, 0);
    cloud.at(i, Field::log_time_plateau) = uniform(-4, 1);
    for (int c = 0; c < cloud.sh_coefficients(); ++c) {
      for (int channel = 0; channel < 3; ++channel) cloud.sh(i, c, channel) = uniform(-1, 1);
    }
  }
  EXPECT_EQ(save_scene(cloud, path()), std::vector<std::string>());
  const SplatCloud read = load_scene(path());
  EXPECT_EQ(read.warnings, std::vector<std::string>());
  EXPECT_EQ(read.times.duration_s, kDuration_s);
  ASSERT_EQ(read.form(), cloud.form());
  ASSERT_EQ(read.count(), cloud.count());
  const auto life_at = [](const SplatCloud& scene, std::size_t i, double time_s) {
    const LifeTime<double> life{scene.at(i, Field::time_mean),
                                std::exp(double{scene.at(i, Field::log_time_sigma)}),
                                std::exp(double{scene.at(i, Field::log_time_plateau)})};
    return sigmoid(double{scene.at(i, Field::logit_opacity)}) * life_weight(life, time_s).weight;
  };
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const std::size_t j = twin_of(cloud, i, read);
    for (int k = 0; k < 20; ++k) {
      const double time_s = kDuration_s * (k + 0.5) / 20;
      // Half a step of opacity, and a shift in time of 0.025 sigma at the steepest point.
      EXPECT_NEAR(life_at(read, j, time_s), life_at(cloud, i, time_s), 0.02) << i;
      const double since = time_s - cloud.at(i, Field::time_mean);
      const double since_read = time_s - read.at(j, Field::time_mean);
      if (life_at(cloud, i, time_s) < 0.01) continue;
      EXPECT_NEAR(read.at(j, Field::mean_x) + read.at(j, Field::velocity_x) * since_read,
                  cloud.at(i, Field::mean_x) + cloud.at(i, Field::velocity_x) * since, 1e-3);
    }
    for (int c = 0; c < cloud.sh_coefficients(); ++c) {
      for (int channel = 0; channel < 3; ++channel) {
        EXPECT_NEAR(read.sh(j, c, channel), cloud.sh(i, c, channel), 0.017) << c;
      }
    }
  }
}

TEST_F(FourdgsScenes, SplatsThatAStateKeepsAreOne) {
  std::ofstream(path(), std::ios::binary) << StatesFile().bytes();
  const SplatCloud cloud = load_scene(path());
  // 10 before and after its update, 11, 12 and 13.
  ASSERT_EQ(cloud.count(), 5u);
  std::size_t throughout = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    throughout += cloud.at(i, Field::log_time_plateau) >= kStaticLogPlateau;
  }
  EXPECT_EQ(throughout, 1u);
}

}  // namespace
}  // namespace mote::fourdgs
