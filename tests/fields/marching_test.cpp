// Marching against a walk in double that tests the cell of every step.
#include "fields/marching.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "support/marched_rays.h"

namespace mote {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kStep = 1.7320508075688772 / 1024;

enum class Cell { empty, occupied, unclear };  // unclear: rounding may choose another cell

struct PlainStep {
  double t;
  Cell cell;
};

/// The walk of a ray, by the rules of the library in other words.
class PlainMarch {
 public:
  PlainMarch(const OccupancyBits& bits, Point low, Point high, double cone)
      : bits_(bits), low_(low), high_(high), cone_(cone) {}

  double distance_of(double steps) const {
    if (cone_ == 0 || steps < 1 / cone_) return steps * kStep;
    const double t = kStep / cone_ * std::pow(1 + cone_, steps - 1 / cone_);
    EXPECT_LT(t, 1.7320508 / cone_);
    return t;
  }
  double steps_of(double t) const {
    if (cone_ == 0 || t < kStep / cone_) return t / kStep;
    return 1 / cone_ + std::log(t * cone_ / kStep) / std::log(1 + cone_);
  }

  std::vector<PlainStep> walk(const Ray& ray) {
    const Point origin = point_of(ray.origin), direction = point_of(ray.direction);
    double begin = 0, end = 1e30;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double a = (low_[axis] - origin[axis]) / direction[axis],
                   b = (high_[axis] - origin[axis]) / direction[axis];
      begin = std::max(begin, std::min(a, b));
      end = std::min(end, std::max(a, b));
    }
    std::vector<PlainStep> steps;
    first_step = steps_of(begin) + static_cast<double>(ray.jitter);
    for (int i = 0; begin < end; ++i) {
      const double t = distance_of(first_step + i);
      if (t >= end) break;
      const bool at_end = distance_of(first_step + i + 0.01) >= end;
      steps.push_back({t, at_end ? Cell::unclear : cell_at(origin, direction, t)});
    }
    return steps;
  }

  double first_step = 0;  // of the last walk

 private:
  static Point point_of(Vec3<float> v) {
    return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
  }

  Cell cell_at(const Point& origin, const Point& direction, double t) const {
    Point p;
    double reach = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      p[axis] = origin[axis] + t * direction[axis];
      reach = std::max(reach, std::abs(p[axis] - 0.5));
    }
    const double dt = std::max(kStep, cone_ * t);
    int cascade = 0;
    bool unclear = false;
    for (int c = 0; c + 1 < bits_.cascades(); ++c) {
      const double side = std::ldexp(1.0, c), size = std::max(2 * reach, 256 * dt);
      unclear |= std::abs(size / side - 1) < 1e-5;
      if (size >= side) cascade = c + 1;
    }
    std::array<std::uint32_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = ((p[axis] - 0.5) * std::ldexp(1.0, -cascade) + 0.5) * 128;
      unclear |= std::abs(place - std::round(place)) < 2e-3;
      cell[axis] = static_cast<std::uint32_t>(std::max(place, 0.0));
    }
    if (unclear) return Cell::unclear;
    const std::size_t index = static_cast<std::size_t>(cascade) * kOccupancyCells +
                              cell_index({cell[0], cell[1], cell[2]});
    return (bits_.words()[index / 64] >> (index % 64) & 1) != 0 ? Cell::occupied : Cell::empty;
  }

  const OccupancyBits& bits_;
  Point low_, high_;
  double cone_;
};

/// Expects the samples of random rays to be the occupied steps of the plain walk.
void expect_plain_samples(int cascades, double cone, Point low, Point high) {
  const OccupancyBits bits = random_bits_of(cascades, 5);
  const auto floats = [](Point p) {
    return Vec3<float>{static_cast<float>(p[0]), static_cast<float>(p[1]),
                       static_cast<float>(p[2])};
  };
  const MarchSettings settings(floats(low), floats(high), cascades, static_cast<float>(cone));
  PlainMarch plain(bits, low, high, cone);
  std::mt19937 random(11);
  std::size_t found = 0, unclear = 0, steps = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Ray ray = random_ray(random, std::ldexp(1.0, cascades - 1));
    const std::vector<PlainStep> expected = plain.walk(ray);
    const std::vector<RaySample> samples = march_all(bits, settings, ray);
    std::vector<bool> is_sample(expected.size());
    for (const RaySample& sample : samples) {
      const double t = static_cast<double>(sample.t), step = plain.steps_of(t) - plain.first_step;
      const auto number = static_cast<std::size_t>(std::lround(step));
      ASSERT_NEAR(step, std::round(step), 2e-3);
      ASSERT_LT(number, expected.size());
      ASSERT_NE(expected[number].cell, Cell::empty) << "ray " << trial << ", step " << number;
      ASSERT_FALSE(is_sample[number]);
      ASSERT_NEAR(static_cast<double>(sample.dt), std::max(kStep, cone * t), 1e-6 * (1 + t));
      is_sample[number] = true;
    }
    ASSERT_LT(samples.size(), static_cast<std::size_t>(kMostRaySamples));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i].cell == Cell::occupied) {
        ASSERT_TRUE(is_sample[i]) << "ray " << trial << ", step " << i << ", t " << expected[i].t;
      }
      unclear += expected[i].cell == Cell::unclear;
    }
    found += samples.size();
    steps += expected.size();
  }
  EXPECT_GT(found, steps / 200);
  EXPECT_LT(found, steps / 2);
  EXPECT_LT(unclear, steps / 20);
}

TEST(Marching, FindsTheOccupiedStepsOfACube) {
  expect_plain_samples(1, 0, {0, 0, 0}, {1, 1, 1});
}

TEST(Marching, FindsTheOccupiedStepsOfACubeWithGrowingSteps) {
  expect_plain_samples(1, 1.0 / 256, {0, 0, 0}, {1, 1, 1});
}

TEST(Marching, FindsTheOccupiedStepsOfCascades) {
  expect_plain_samples(3, 1.0 / 256, {-1.5, -1.5, -1.5}, {2.5, 2.5, 2.5});
  expect_plain_samples(5, 1.0 / 256, {-7.5, -7.5, -7.5}, {8.5, 8.5, 8.5});
  expect_plain_samples(3, 1.0 / 64, {-1.5, -1.5, -1.5}, {2.5, 2.5, 2.5});
}

TEST(Marching, StaysInItsBox) {
  expect_plain_samples(3, 1.0 / 256, {-0.3, 0.1, -0.7}, {1.1, 0.9, 1.3});
}

TEST(Marching, CutsTheBoxToTheCubeOfTheCoarsestCascade) {
  const OccupancyBits bits = all_occupied(2);
  const MarchSettings settings({-90, -90, 0.4f}, {90, 90, 90}, 2, 0);
  const auto samples = march_all(bits, settings, {{-3, 0.5f, 0.5f}, {1, 0, 0}, 0.5f});
  ASSERT_FALSE(samples.empty());
  EXPECT_NEAR(samples.front().t, 2.5f, 0.002f);
  EXPECT_EQ(samples.size(), 1024u);
}

TEST(Marching, StepsAreTheConeTimesTheDistanceBetweenTheirBounds) {
  for (const int cascades : {1, 8}) {
    const OccupancyBits bits = all_occupied(cascades);
    const float cone = usual_cone(1 << (cascades - 1));
    const MarchSettings settings({-1e3f, -1e3f, -1e3f}, {1e3f, 1e3f, 1e3f}, cascades, cone);
    const float unit = 1 / std::sqrt(3.0f);
    const Ray ray{{0.01f, 0.01f, 0.01f}, {unit, unit, unit}, 0.3f};
    const auto samples = march_all(bits, settings, ray);
    ASSERT_GT(samples.size(), 1000u);
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
      const double t = static_cast<double>(samples[i].t), step = static_cast<double>(samples[i].dt);
      ASSERT_NEAR(step, std::max(kStep, static_cast<double>(cone) * t), 1e-6 * (1 + t));
      ASSERT_NEAR(static_cast<double>(samples[i + 1].t) - t, step, 2e-3 * step);
    }
  }
}

TEST(StepScale, ConvertsBothWays) {
  for (const float cone : {0.0f, 1.0f / 256, 1.0f / 16}) {
    const StepScale scale(cone);
    float last = -1;
    for (float t = 0; t < 2000; t = 1.01f * t + 0.003f) {
      const float steps = scale.steps_of(t);
      EXPECT_GT(steps, last);
      EXPECT_NEAR(scale.distance_of(steps), t, 2e-6f * t);
      // One step further is one step further.
      const float dt = step_at(t, cone);
      EXPECT_NEAR(scale.distance_of(steps + 1) - t, dt, (2e-3f + cone / 6) * dt + 1e-6f * t) << t;
      last = steps;
    }
  }
}

TEST(Marching, GivesAtMost1024Samples) {
  const OccupancyBits bits = all_occupied(3);
  const MarchSettings settings({-9, -9, -9}, {9, 9, 9}, 3, 0);
  const auto samples = march_all(bits, settings, {{-1.4f, 0.2f, 0.3f}, {1, 0, 0}, 0});
  EXPECT_EQ(samples.size(), 1024u);
  EXPECT_NEAR(samples.back().t, 1023 * static_cast<float>(kStep), 1e-4f);
}

TEST(Marching, BeginsAtTheBoxPlusAPartOfAStep) {
  const OccupancyBits bits = all_occupied(1);
  const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0);
  const auto first = [&](float x, float jitter) {
    return march_all(bits, settings, {{x, 0.4f, 0.6f}, {1, 0, 0}, jitter}).front().t;
  };
  EXPECT_NEAR(first(-1, 0), 1, 1e-5f);
  EXPECT_NEAR(first(-1, 0.75f), 1 + 0.75f * static_cast<float>(kStep), 1e-5f);
  EXPECT_NEAR(first(0.5f, 0.25f), 0.25f * static_cast<float>(kStep), 1e-6f);
}

TEST(Marching, TakesRaysParallelToTheAxes) {
  const OccupancyBits bits = random_bits_of(1, 7);
  const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0);
  std::size_t found = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float sign : {1.0f, -1.0f}) {
      for (const float zero : {0.0f, -0.0f, 1e-42f, -1e-30f}) {
        for (int trial = 0; trial < 64; ++trial) {
          const auto u = (static_cast<float>(trial) + 0.5f) / 64, v = (u * 37 - std::floor(u * 37));
          float origin[3] = {u, v, u}, direction[3] = {zero, zero, zero};
          origin[axis] = 0.5f - sign;
          direction[axis] = sign;
          const Ray ray{
              {origin[0], origin[1], origin[2]}, {direction[0], direction[1], direction[2]}, 0.5f};
          const auto samples = march_all(bits, settings, ray);
          std::size_t expected = 0;
          for (int i = 0; i < 592; ++i) {
            const float t = 0.5f + (static_cast<float>(i) + 0.5f) * static_cast<float>(kStep);
            if (t >= 1.5f) break;
            expected += bits.occupied(
                ray.origin + Vec3<float>{direction[0], direction[1], direction[2]} * t, 0);
          }
          // Steps at the border of a cell may round to either.
          ASSERT_NEAR(static_cast<double>(samples.size()), static_cast<double>(expected), 1);
          found += samples.size();
        }
      }
    }
  }
  EXPECT_GT(found, 5000u);
}

TEST(Marching, TakesRaysAlongBordersOfCells) {
  const OccupancyBits bits = all_occupied(2);
  const MarchSettings settings({-0.5f, -0.5f, -0.5f}, {1.5f, 1.5f, 1.5f}, 2, 0);
  for (const float at : {-0.5f, 0.0f, 0.5f, 1.0f, 1.5f}) {
    EXPECT_EQ(march_all(bits, settings, {{at, -2, at}, {0, 1, 0}, 0}).size(), 1024u) << at;
  }
  EXPECT_TRUE(march_all(bits, settings, {{1.5001f, -2, 0.5f}, {0, 1, 0}, 0}).empty());
}

TEST(Marching, GivesNoSamplesForRaysThatMiss) {
  const OccupancyBits bits = all_occupied(1);
  const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0);
  const float unit = 1 / std::sqrt(2.0f);
  for (const Ray& ray :
       {Ray{{-1, 0.5f, 0.5f}, {-1, 0, 0}, 0}, Ray{{-1, 1.5f, 0.5f}, {1, 0, 0}, 0},
        Ray{{-1, 0.5f, 0.5f}, {unit, unit, 0}, 0}, Ray{{2, 2, 2}, {unit, 0, unit}, 0}}) {
    EXPECT_TRUE(begin_march(settings, ray.origin, ray.direction, 0).done());
    EXPECT_TRUE(march_all(bits, settings, ray).empty());
  }
}

TEST(Marching, GivesNoSamplesForRaysThatAreNotFinite) {
  const OccupancyBits bits = all_occupied(1);
  const MarchSettings settings({0, 0, 0}, {1, 1, 1}, 1, 0);
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_TRUE(march_all(bits, settings, {{bad, 0.5f, 0.5f}, {1, 0, 0}, 0}).empty());
    EXPECT_TRUE(march_all(bits, settings, {{0.5f, 0.5f, 0.5f}, {bad, 0, 0}, 0}).empty());
    EXPECT_TRUE(march_all(bits, settings, {{0.5f, 0.5f, 0.5f}, {1, 0, bad}, 0}).empty());
  }
  EXPECT_TRUE(march_all(bits, settings, {{0.5f, 0.5f, 0.5f}, {0, 0, 0}, 0}).empty());
  EXPECT_TRUE(march_all(bits, settings, {{-1e7f, 0.5f, 0.5f}, {1, 0, 0}, 0}).empty());
  EXPECT_TRUE(march_all(bits, settings, {{-1e30f, 0.5f, 0.5f}, {1, 0, 0}, 0}).empty());
}

}  // namespace
}  // namespace mote
