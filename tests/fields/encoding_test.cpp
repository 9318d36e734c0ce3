// The analytic encodings: values by their definitions, and slopes against differences.
#include <numbers>

#include "fields/encodings/frequency.h"
#include "fields/encodings/identity.h"
#include "fields/encodings/one_blob.h"
#include "fields/encodings/spherical.h"
#include "fields/encodings/triangle_wave.h"
#include "math/spherical_harmonics.h"
#include "support/gradient_fixture.h"

namespace mote {
namespace {

class Encodings : public Gradient {
 protected:
  template <class Encoding>
  void expect_slopes(const Encoding& encoding) {
    for (int trial = 0; trial < 20; ++trial) {
      const Values x = random(1, 0.01, 0.99);
      for (int k = 0; k < encoding.per_input(); ++k) {
        expect_gradient([&](const Values& at) { return Values{encoding.value(k, at[0])}; }, x, {1},
                        {encoding.slope(k, x[0])});
      }
    }
  }

  Vec3<double> direction() { return normalize(vec(random(3))); }
  static Vec3<double> vec(const Values& v) { return {v[0], v[1], v[2]}; }
};

TEST_F(Encodings, FrequencyIsSineAndCosineOfDoublingFrequencies) {
  const Frequency encoding{.frequencies = 10};
  ASSERT_EQ(encoding.per_input(), 20);
  for (const double x : {0.0, 0.3, 0.77, 1.0}) {
    for (int k = 0; k < 20; ++k) {
      const double angle = std::numbers::pi * std::ldexp(x, k / 2);
      EXPECT_NEAR(encoding.value(k, x), k % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-9);
    }
  }
  expect_slopes(encoding);
}

TEST_F(Encodings, TriangleWaveFallsAndRisesBetweenMinusOneAndOne) {
  const TriangleWave encoding{.frequencies = 6};
  // Wave 0 has period 2: it falls from 1 at 0 to -1 at 1.
  EXPECT_DOUBLE_EQ(encoding.value(0, 0.0), 1);
  EXPECT_DOUBLE_EQ(encoding.value(0, 0.5), 0);
  EXPECT_DOUBLE_EQ(encoding.value(0, 1.0), -1);
  // Wave 1 has period 1 and is a quarter of it further.
  EXPECT_DOUBLE_EQ(encoding.value(1, 0.0), 0);
  EXPECT_DOUBLE_EQ(encoding.value(1, 0.25), -1);
  EXPECT_DOUBLE_EQ(encoding.value(1, 0.75), 1);
  expect_slopes(encoding);
}

TEST_F(Encodings, OneBlobSpreadsOneOverNeighbouringBins) {
  const OneBlob encoding{.bins = 8};
  for (const double x : {0.0, 0.02, 0.31, 0.5, 0.99}) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      const double value = encoding.value(k, x);
      EXPECT_GE(value, -1e-12);
      const double center = (k + 0.5) / 8, away = std::abs(x - center);
      if (std::min(away, 1 - away) > 1.5 / 8) {
        EXPECT_NEAR(value, 0, 1e-12) << k;
      }
      sum += value;
    }
    EXPECT_NEAR(sum, 1, 1e-9) << "the range wraps around";
  }
  EXPECT_NEAR(encoding.value(2, 2.5 / 8), encoding.value(5, 5.5 / 8), 1e-12);
  expect_slopes(encoding);
}

TEST_F(Encodings, IdentityScalesAndShifts) {
  const Identity encoding{.scale = 2, .offset = -1};
  EXPECT_DOUBLE_EQ(encoding.value(0, 0.75), 0.5);
  expect_slopes(encoding);
}

TEST_F(Encodings, LowBandsOfDirectionsAreThoseOfSplats) {
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3<double> d = direction();
    double values[64], basis[25];
    encode_direction<8>(d, values);
    sh_basis<4>(d, basis);
    for (int i = 0; i < 25; ++i) EXPECT_NEAR(values[i], basis[i], 1e-6) << i;
  }
}

TEST_F(Encodings, HighBandsOfDirectionsAreOrthonormal) {
  // Products of bands up to 7 are polynomials of degree 14: Gauss-Legendre nodes by z, and equal
  // steps around z, integrate them exactly.
  constexpr int kNodes = 16, kTurns = 32, kFunctions = 64;
  std::vector<double> products(kFunctions * kFunctions);
  for (int node = 0; node < kNodes; ++node) {
    // A root of the Legendre polynomial of degree kNodes by Newton's method.
    double z = std::cos(std::numbers::pi * (node + 0.75) / (kNodes + 0.5)), slope = 0;
    for (int step = 0; step < 50; ++step) {
      double before = 1, here = z;
      for (int l = 1; l < kNodes; ++l) {
        const double next = ((2 * l + 1) * z * here - l * before) / (l + 1);
        before = here, here = next;
      }
      slope = kNodes * (z * here - before) / (z * z - 1);
      z -= here / slope;
    }
    const double weight = 2 / ((1 - z * z) * slope * slope) * 2 * std::numbers::pi / kTurns;
    for (int turn = 0; turn < kTurns; ++turn) {
      const double phi = 2 * std::numbers::pi * turn / kTurns, r = std::sqrt(1 - z * z);
      double values[kFunctions];
      encode_direction<8>(Vec3<double>{r * std::cos(phi), r * std::sin(phi), z}, values);
      for (std::size_t i = 0; i < products.size(); ++i) {
        products[i] += weight * values[i / kFunctions] * values[i % kFunctions];
      }
    }
  }
  for (std::size_t i = 0; i < products.size(); ++i) {
    EXPECT_NEAR(products[i], i / kFunctions == i % kFunctions ? 1 : 0, 1e-6) << i;
  }
}

TEST_F(Encodings, DirectionsHaveTheGradientsOfDifferences) {
  for (int trial = 0; trial < 10; ++trial) {
    const Values at = random(3), weights = random(64);
    const Vec3<double> d = encode_direction_vjp<8>(vec(at), weights.data());
    expect_gradient(
        [&](const Values& v) {
          Values values(64);
          encode_direction<8>(vec(v), values.data());
          return values;
        },
        at, weights, {d.x, d.y, d.z});
  }
}

}  // namespace
}  // namespace mote
