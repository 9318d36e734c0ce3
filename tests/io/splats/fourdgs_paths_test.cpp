// Splats with curved paths and spins in .4dgs files: parts of lives that move along straight lines.
#include "io/splats/fourdgs_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "io/fourdgs/moment.h"
#include "io/splats/scene_format.h"
#include "io/splats/splat_stream.h"
#include "math/activations.h"
#include "splats/moment.h"
#include "splats/motions/life.h"
#include "support/random_cloud.h"
#include "support/thrown_by.h"

namespace mote::fourdgs {
namespace {

namespace fs = std::filesystem;

constexpr double kPathDuration_s = 2;
constexpr PathErrors kErrors{2e-3, 0.05};

/// Lives with and without plateaus, and some with hard edges.
CurvedLife curved_life(int seed) {
  CurvedLife curved;
  const auto value = [&](int k) { return std::sin(12.9898 * seed + 78.233 * k); };
  for (std::size_t i = 0; i < 3; ++i) {
    const int k = 4 * static_cast<int>(i);
    curved.path[i] = {value(k), value(k + 1), value(k + 2), value(k + 3)};
  }
  for (std::size_t i = 0; i < 4; ++i) {
    curved.rotation[i] = value(20 + static_cast<int>(i));
    curved.spin[i] = value(30 + static_cast<int>(i));
  }
  Splat& splat = curved.life.splat;
  splat.time = static_cast<float>(1 + value(40));
  splat.sigma = seed % 4 == 0 ? 1e-5f : 0.2f;
  curved.life.plateau = seed % 3 == 0 && seed % 4 != 0 ? 0 : 0.3;
  splat.color[3] = 0.9f;
  const LifeRange seen = life_range(0.9, splat.time, splat.sigma, curved.life.plateau);
  curved.seen = {std::max(seen.from_s, 0.0), std::min(seen.to_s, kPathDuration_s)};
  return curved;
}

double apart(const CurvedLife& curved, const Splat& splat, double time_s) {
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double found = splat.position[i] + double{splat.velocity[i]} * (time_s - splat.time);
    const double error = found - curved.path[i].at(time_s - curved.life.splat.time);
    squares += error * error;
  }
  return std::sqrt(squares);
}

/// The angle of the rotation from one quaternion of any length to the other.
template <class A, class B>
double turn_between(const A& a, const B& b) {
  double dot = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    dot += double{a[i]} * double{b[i]};
    squares_a += double{a[i]} * double{a[i]};
    squares_b += double{b[i]} * double{b[i]};
  }
  return 2 * std::acos(std::min(1.0, std::abs(dot) / std::sqrt(squares_a * squares_b)));
}

std::array<double, 4> rotation_of(const CurvedLife& curved, double time_s) {
  std::array<double, 4> q = curved.rotation;
  for (std::size_t i = 0; i < 4; ++i) q[i] += curved.spin[i] * (time_s - curved.life.splat.time);
  return q;
}

double weight_on_path(const Splat& splat, double time_s) {
  if (time_s < splat.begin || time_s >= splat.end) return 0;
  if (std::isinf(splat.sigma)) return 1;
  const double deviations = (time_s - splat.time) / splat.sigma;
  return std::exp(-0.5 * deviations * deviations);
}

TEST(FourdgsPaths, TheErrorsOfAStraightLineAreAtMostTheirBounds) {
  for (int seed = 0; seed < 40; ++seed) {
    const CurvedLife curved = curved_life(seed);
    const double from = curved.seen.from_s;
    const LifeRange range{from, from + 0.02 * (1 + seed % 10)};
    const PathErrors bounds = straight_errors(curved, range);
    const Splat line = straightened(curved, range, curved.life.splat);
    double most = 0, most_turn = 0;
    for (int k = 0; k <= 100; ++k) {
      const double time_s = range.from_s + k * (range.to_s - range.from_s) / 100;
      most = std::max(most, apart(curved, line, time_s));
      most_turn = std::max(most_turn, turn_between(line.rotation, rotation_of(curved, time_s)));
    }
    EXPECT_LE(most, bounds.position + 1e-6) << seed;
    EXPECT_GE(most, 0.4 * bounds.position - 1e-6) << seed;
    EXPECT_NEAR(most_turn, bounds.angle_rad, 1e-3) << seed;
  }
}

TEST(FourdgsPaths, PartsHaveTheWeightOfTheLifeAndFollowItsPath) {
  std::size_t parts_count = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const CurvedLife curved = curved_life(seed);
    const LifeParts found = parts_of(curved, kPathDuration_s, kErrors);
    ASSERT_TRUE(found.is_near);
    ASSERT_FALSE(found.is_whole) << seed;
    parts_count += found.parts.size();
    std::vector<Splat> splats;
    for (const LifePart& part : found.parts) {
      splats.push_back(splat_of(curved, kPathDuration_s, part));
    }
    const LifeTime<double> life{curved.life.splat.time, curved.life.splat.sigma,
                                curved.life.plateau};
    for (int k = 0; k < 300; ++k) {
      const double time_s =
          curved.seen.from_s + (k + 0.41) * (curved.seen.to_s - curved.seen.from_s) / 301;
      double weight = 0;
      for (const Splat& splat : splats) {
        const double part = weight_on_path(splat, time_s);
        weight += part;
        if (part == 0) continue;
        EXPECT_LE(apart(curved, splat, time_s), kErrors.position + 1e-5) << seed;
        EXPECT_LE(turn_between(splat.rotation, rotation_of(curved, time_s)),
                  kErrors.angle_rad + 1e-3)
            << seed;
      }
      // The last 0.07 deviations of a bell may be left out.
      const double expected = life_weight(life, time_s).weight;
      if (expected < 0.006) continue;
      EXPECT_NEAR(weight, expected, 1e-4) << seed << " at " << time_s;
    }
  }
  EXPECT_LT(parts_count, 40u * 80u);
}

TEST(FourdgsPaths, AStraightPathIsOneLife) {
  CurvedLife curved = curved_life(1);
  for (CubicPath& path : curved.path) path.quadratic = path.cubic = 0;
  curved.spin = {};
  const LifeParts found = parts_of(curved, kPathDuration_s, kErrors);
  EXPECT_TRUE(found.is_whole);
  EXPECT_TRUE(found.parts.empty());
}

TEST(FourdgsPaths, APathThatNeedsThousandsOfPartsIsNotNear) {
  CurvedLife curved = curved_life(1);
  curved.path[1].cubic = 1e12;
  EXPECT_FALSE(parts_of(curved, kPathDuration_s, kErrors).is_near);
}

class FourdgsPathScenes : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path path() const { return folder_ / "scene.4dgs"; }

  /// Paths that are curved and turn as far as a trained scene's.
  static SplatCloud calm_cloud() {
    SplatCloud cloud = random_moving_cloud(120, 1, 3, SplatMotion::poly);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (const Field field : cloud.info().stored()) {
        if (field >= Field::quadratic_x) cloud.at(i, field) *= 0.1f;
      }
      cloud.at(i, Field::logit_opacity) = std::max(-2.0f, cloud.at(i, Field::logit_opacity));
    }
    return cloud;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("fourdgs_paths_" + std::to_string(::getpid()));
};

TEST_F(FourdgsPathScenes, PartsAreSortedWhenTheyAreRead) {
  save_scene(calm_cloud(), path());
  EXPECT_FALSE(SplatStream(path()).is_in_drawn_order());
}

TEST_F(FourdgsPathScenes, AWrittenSceneShowsTheSameMoments) {
  const SplatCloud cloud = calm_cloud();
  const std::vector<std::string> warnings = save_scene(cloud, path());
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("parts of straight paths"), std::string::npos) << warnings[0];
  const InputFile input(path());
  const File file(input);
  std::vector<Splat> splats;
  SplatReader reader(file);
  for (std::size_t i = 0; i < file.chunks().size(); ++i) {
    for (const Splat& splat : reader.read(i).splats) splats.push_back(splat);
  }
  std::size_t compared = 0;
  for (const double time_s : {0.0, 0.37, 1.0, 1.61, 2.0}) {
    std::vector<SeenSplat> seen;
    for (const Splat& splat : splats) {
      if (const auto found = seen_at(file, splat, time_s)) seen.push_back(*found);
    }
    const SplatCloud moment = moment_of(cloud, time_s);
    for (std::size_t i = 0; i < moment.count(); ++i) {
      const double opacity = sigmoid(double{moment.at(i, Field::logit_opacity)});
      if (opacity < 0.02) continue;
      double nearest = INFINITY;
      const SeenSplat* twin = nullptr;
      for (const SeenSplat& one : seen) {
        const double apart = std::hypot(one.position[0] - moment.at(i, Field::mean_x),
                                        one.position[1] - moment.at(i, Field::mean_y),
                                        one.position[2] - moment.at(i, Field::mean_z));
        if (apart >= nearest) continue;
        nearest = apart;
        twin = &one;
      }
      ASSERT_NE(twin, nullptr);
      // 2 % of the largest scale of these clouds is 4e-3.
      EXPECT_LT(nearest, 5e-3) << i << " at " << time_s;
      EXPECT_NEAR(twin->opacity, opacity, 0.02) << i << " at " << time_s;
      const std::array<float, 4> rotation{
          moment.at(i, Field::rotation_x), moment.at(i, Field::rotation_y),
          moment.at(i, Field::rotation_z), moment.at(i, Field::rotation_w)};
      EXPECT_LT(turn_between(twin->rotation, rotation), 0.037) << i << " at " << time_s;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST_F(FourdgsPathScenes, ChunksWithPartsCanBeStreamed) {
  save_scene(calm_cloud(), path());
  const SplatStream stream(path());
  std::size_t count = 0;
  for (std::size_t i = 0; i < stream.parts().size(); ++i) count += stream.read(i).count();
  EXPECT_EQ(count, stream.count());
  EXPECT_GT(count, 120u);
  EXPECT_EQ(load_scene(path()).count(), count);
}

TEST_F(FourdgsPathScenes, FastSpinsAreRefusedWithARemedy) {
  SplatCloud cloud = calm_cloud();
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::spin_x) = 100;
  const Error error = thrown_by([&] { save_scene(cloud, path()); });
  EXPECT_NE(error.problem().find("more than 16 parts"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find(".ply"), std::string::npos);
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace mote::fourdgs
