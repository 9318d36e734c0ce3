#include "fields/applications/sphere_tracing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mote {
namespace {

constexpr float kPixel = 1e-4f;

struct Traced {
  float t = 0;
  bool is_hit = false;
  int distances = 0;
};

/// Traces a ray from the origin to t = 2. `secant`: by trace_move(), else by each distance alone.
template <class Distance>
Traced trace(const Vec3<float>& from, const Vec3<float>& direction, bool secant,
             const Distance& distance) {
  Traced ray;
  TracedDistance<float> before{0, 0};
  while (ray.t < 2 && ++ray.distances < kMostTraceSteps) {
    const TracedDistance<float> now{ray.t, distance(from + direction * ray.t)};
    const TraceMove<float> move =
        trace_move(secant ? before : TracedDistance<float>{now.t, 0}, now, kPixel);
    ray.t = move.t;
    before = move.before;
    if (move.is_hit) {
      ray.is_hit = true;
      return ray;
    }
  }
  return ray;
}

float ball(const Vec3<float>& at, float radius) {
  const Vec3<float> from = at - Vec3<float>{0, 0, 1};
  return std::sqrt(dot(from, from)) - radius;
}

TEST(SphereTracing, FindsABallWithFewerDistancesThanSpheresAlone) {
  std::mt19937 random(3);
  const auto number = [&] { return static_cast<float>(random() >> 8) * 0x1p-24f - 0.5f; };
  int with = 0, without = 0, hits = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3<float> direction = normalize(Vec3<float>{number(), number(), 1});
    const auto distance = [](const Vec3<float>& at) { return ball(at, 0.3f); };
    const Traced own = trace({0, 0, 0}, direction, true, distance),
                 plain = trace({0, 0, 0}, direction, false, distance);
    const float along = direction.z, square = along * along - 1 + 0.09f;
    if (std::abs(square) < 1e-3f) continue;  // grazes the ball
    ASSERT_EQ(own.is_hit, square > 0) << i;
    with += own.distances;
    without += plain.distances;
    if (!own.is_hit) continue;
    ++hits;
    ASSERT_NEAR(own.t, along - std::sqrt(square), 0.01f);
    ASSERT_LT(std::abs(ball(direction * own.t, 0.3f)), 1.5e-4f);
  }
  EXPECT_GT(hits, 500);
  EXPECT_LT(with, 0.95 * without);
}

TEST(SphereTracing, PassesNoThinPlate) {
  for (int i = 0; i < 200; ++i) {
    const float slant = 0.01f * static_cast<float>(i),
                place = 0.6f + 0.001f * static_cast<float>(i);
    const Vec3<float> direction = normalize(Vec3<float>{slant, 0, 1});
    // A plate behind a hole in another one, whose edge misleads the line through two distances.
    const auto distance = [&](const Vec3<float>& at) {
      const float plate = std::abs(at.z - place) - 0.002f;
      const float edge = std::hypot(at.x - slant * 0.5f - 0.02f, at.z - 0.5f) - 0.004f;
      return std::min(plate, edge);
    };
    const Traced own = trace({0, 0, 0}, direction, true, distance);
    ASSERT_TRUE(own.is_hit) << i;
    ASSERT_LT(std::abs(distance(direction * own.t)), 2e-3f) << "in the plate";
    ASSERT_LT((direction * own.t).z, place + 0.003f) << "close to its back";
  }
}

TEST(SphereTracing, ComesBackFromBehindTheSurface) {
  const TraceMove<float> move = trace_move<float>({0.5f, 0.1f}, {0.7f, -0.05f}, kPixel);
  EXPECT_FALSE(move.is_hit);
  EXPECT_NEAR(move.t, 0.5f + 0.2f * 0.1f / 0.15f, 1e-6f);
  EXPECT_EQ(move.before.t, 0.5f);
  EXPECT_TRUE(trace_move<float>({0.7f, 0}, {0.7f, -0.05f}, kPixel).is_hit) << "of a cut";
}

}  // namespace
}  // namespace mote
