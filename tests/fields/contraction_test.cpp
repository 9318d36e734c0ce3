// The contraction of space and the spacing of distances, against their definitions in double.
#include "fields/proposals/contraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace mote {
namespace {

using Vec = Vec3<double>;

double norm_of(const Vec& x) {
  return std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
}

Vec random_vector(std::mt19937& random) {
  const auto unit = [&] { return 2 * static_cast<double>(random()) / 4294967295.0 - 1; };
  const double size = std::exp2(12 * unit());
  return {size * unit(), size * unit(), size * unit()};
}

/// Barron et al. 2022, equation 10.
Vec defined(const Vec& x) {
  const double norm = norm_of(x);
  if (norm <= 1) return x;
  return x * ((2 - 1 / norm) / norm);
}

TEST(Contraction, IsThatOfItsDefinition) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vec x = random_vector(random), expected = defined(x), found = contract(x);
    const Vec3<float> single = contract(
        Vec3<float>{static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z)});
    EXPECT_NEAR(found.x, expected.x, 1e-12);
    EXPECT_NEAR(found.y, expected.y, 1e-12);
    EXPECT_NEAR(found.z, expected.z, 1e-12);
    EXPECT_NEAR(static_cast<double>(single.x), expected.x, 1e-6);
    EXPECT_NEAR(static_cast<double>(single.z), expected.z, 1e-6);
    EXPECT_LT(norm_of(found), 2);
  }
}

TEST(Contraction, KeepsTheInnerCubeBitForBit) {
  for (const float x : {-1.0f, -0.3f, 0.0f, 0.7f, 1.0f}) {
    const Vec3<float> kept = contract(Vec3<float>{x, 0.5f * x, -x});
    EXPECT_EQ(kept.x, x);
    EXPECT_EQ(kept.y, 0.5f * x);
    EXPECT_EQ(kept.z, -x);
  }
}

TEST(Contraction, HasTheGradientOfDifferences) {
  std::mt19937 random(4);
  int outside = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec x = random_vector(random), d = random_vector(random);
    const double step = 1e-5 * norm_of(x), size = norm_of(d);
    const Vec found = contract_vjp(x, d);
    const auto expect_slope = [&](double slope, Vec along) {
      const Vec apart = contract(x + along * step) - contract(x - along * step);
      EXPECT_NEAR(slope, dot(d, apart) / (2 * step), 1e-6 * size) << trial;
    };
    expect_slope(found.x, {1, 0, 0});
    expect_slope(found.y, {0, 1, 0});
    expect_slope(found.z, {0, 0, 1});
    if (norm_of(x) > 1) ++outside;
  }
  EXPECT_GT(outside, 50);
}

TEST(Contraction, OfAPlaceHasTheGradientOfDifferences) {
  constexpr double kReach = 0.5, kStep = 1e-6;
  const Vec at{1.7, -0.4, 0.9}, d{0.3, -1, 0.6};
  const Vec found = contracted_place_vjp(at, kReach, d);
  const auto slope_along = [&](Vec along) {
    return dot(d, contracted_place(at + along * kStep, kReach) -
                      contracted_place(at - along * kStep, kReach)) /
           (2 * kStep);
  };
  EXPECT_NEAR(found.x, slope_along({1, 0, 0}), 1e-8);
  EXPECT_NEAR(found.y, slope_along({0, 1, 0}), 1e-8);
  EXPECT_NEAR(found.z, slope_along({0, 0, 1}), 1e-8);
}

TEST(Contraction, IsInvertedByExpand) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vec x = random_vector(random), back = expand(contract(x));
    EXPECT_NEAR(back.x, x.x, 1e-9 * norm_of(x) * std::max(norm_of(x), 1.0));
    EXPECT_NEAR(back.y, x.y, 1e-9 * norm_of(x) * std::max(norm_of(x), 1.0));
    EXPECT_NEAR(back.z, x.z, 1e-9 * norm_of(x) * std::max(norm_of(x), 1.0));
  }
}

TEST(Contraction, TakesFarPlacesToTheBorderOfTheFieldsCube) {
  const int side = 4;
  const FieldBox cube = field_cube(side);
  const Vec3<float> place = contracted_place(Vec3<float>{1e9f, 0.5f, -1e9f}, inner_reach(side));
  EXPECT_NEAR(place.x, cube.max.x, 1e-5);
  EXPECT_EQ(place.y, 0.5f);
  EXPECT_NEAR(place.z, cube.min.z, 1e-5);
  const Vec3<float> near = contracted_place(Vec3<float>{1.25f, 0.25f, -0.25f}, inner_reach(side));
  EXPECT_EQ(near.x, 1.25f) << "the inner cube reaches 1 from its centre";
  EXPECT_EQ(near.z, -0.25f);
}

TEST(Spacing, IsLinearNearAndByDisparityFar) {
  EXPECT_EQ(spaced(0.5), 0.25);
  EXPECT_EQ(spaced(1.0), 0.5);
  EXPECT_EQ(spaced(2.0), 0.75);
  EXPECT_EQ(spaced(1000.0), 1 - 0.5 / 1000);
  double before = -1;
  for (double t = 0; t < 2000; t = 1.1 * t + 0.01) {
    EXPECT_GT(spaced(t), before);
    before = spaced(t);
    EXPECT_NEAR(distance_of_spaced(before), t, 1e-10 * (1 + t * t));
    const float single = distance_of_spaced(spaced(static_cast<float>(t)));
    EXPECT_NEAR(static_cast<double>(single), t, 1e-6 * (1 + t * t));
  }
}

TEST(Spacing, BoxesOnTheBorderOfTheCubeHaveNoBounds) {
  FieldBox box = field_cube(4);
  box.min.y = 0;
  const FieldBox open = unbounded_box(box, 4);
  EXPECT_TRUE(std::isinf(open.min.x));
  EXPECT_TRUE(std::isinf(open.max.y));
  EXPECT_EQ(open.min.y, 0);
}

}  // namespace
}  // namespace mote
