// The encoding of a direction by any configuration, against the encodings it is made of.
#include "fields/direction_encoding.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <initializer_list>
#include <random>
#include <vector>

namespace mote {
namespace {

using EncodedValues = std::vector<double>;

/// Some unit directions, with the axes.
std::vector<glm::vec3> directions() {
  std::vector<glm::vec3> all{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::mt19937 random(5);
  const auto unit = [&] { return 2 * static_cast<float>(random() >> 8) * 0x1p-24f - 1; };
  while (all.size() < 20) {
    const float x = unit(), y = unit();
    all.push_back(glm::normalize(glm::vec3(x, y, unit())));
  }
  return all;
}

EncodedValues harmonics(int degree, const glm::vec3& d) {
  // A lower degree is the beginning of a higher one.
  EncodedValues values(kMostShEncodingDegree * kMostShEncodingDegree);
  encode_direction<kMostShEncodingDegree>(
      Vec3<double>{static_cast<double>(d.x), static_cast<double>(d.y), static_cast<double>(d.z)},
      values.data());
  values.resize(static_cast<std::size_t>(degree * degree));
  return values;
}

/// The inputs [first, first + count), one after the other.
template <class Encoding>
EncodedValues each_input(const Encoding& encoding, const glm::vec3& d, int first, int count) {
  EncodedValues values;
  for (int i = first; i < first + count; ++i) {
    for (int k = 0; k < encoding.per_input(); ++k) {
      values.push_back(encoding.value(k, (static_cast<double>(d[i]) + 1) / 2));
    }
  }
  return values;
}

EncodedValues joined(std::initializer_list<EncodedValues> parts) {
  EncodedValues all;
  for (const EncodedValues& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// `expected(direction)`: the values without padding.
template <class Expected>
void expect_values(const EncodingConfig& config, const Expected& expected) {
  constexpr float kUntouched = -777;
  for (const glm::vec3& d : directions()) {
    const EncodedValues own = expected(d);
    const auto padded = static_cast<std::size_t>(config.padded_outputs());
    ASSERT_EQ(padded, (own.size() + 15) / 16 * 16);
    std::vector<float> values(padded + 1, kUntouched);
    encode_direction(config, d, {}, values.data());
    for (std::size_t i = 0; i < own.size(); ++i) {
      ASSERT_NEAR(values[i], own[i], 1e-5) << "value " << i;
    }
    for (std::size_t i = own.size(); i < padded; ++i) ASSERT_EQ(values[i], 1) << "padding " << i;
    ASSERT_EQ(values[padded], kUntouched);
  }
}

TEST(EncodeDirection, HasTheHarmonicsOfEachDegree) {
  for (int degree = 1; degree <= kMostShEncodingDegree; ++degree) {
    SCOPED_TRACE(degree);
    expect_values({.parts = {{SphericalEncoding{degree}, 0, 3}}},
                  [&](const glm::vec3& d) { return harmonics(degree, d); });
  }
}

TEST(EncodeDirection, EncodesEachComponentFromZeroToOne) {
  const auto expect = [](const auto& encoding) {
    expect_values({.parts = {{encoding, 0, 3}}},
                  [&](const glm::vec3& d) { return each_input(encoding, d, 0, 3); });
  };
  expect(Frequency{.frequencies = 4});
  expect(TriangleWave{.frequencies = 5});
  expect(OneBlob{.bins = 7});
  expect(Identity{.scale = 2, .offset = -1});
}

TEST(EncodeDirection, IdentityWithTheUsualScaleHasComponentsFromZeroToOne) {
  expect_values({.parts = {{Identity{}, 0, 3}}}, [](const glm::vec3& d) {
    return EncodedValues{0.5 + 0.5 * static_cast<double>(d.x), 0.5 + 0.5 * static_cast<double>(d.y),
                         0.5 + 0.5 * static_cast<double>(d.z)};
  });
}

TEST(EncodeDirection, AnEmptyEncodingHasOnlyPadding) {
  expect_values({.parts = {{EmptyEncoding{}, 0, 3}}},
                [](const glm::vec3&) { return EncodedValues{}; });
  // Behind other parts, the padding that they need.
  expect_values({.parts = {{Identity{}, 1, 2}, {EmptyEncoding{}, 0, 1}}},
                [](const glm::vec3& d) { return each_input(Identity{}, d, 1, 2); });
}

TEST(EncodeDirection, PartsFollowEachOtherAndTakeTheirOwnInputs) {
  const Frequency frequency{.frequencies = 3};
  const OneBlob blob{.bins = 4};
  const TriangleWave wave{.frequencies = 2};
  expect_values({.parts = {{blob, 2, 1},
                           {SphericalEncoding{3}, 0, 3},
                           {EmptyEncoding{}, 0, 2},
                           {frequency, 0, 2},
                           {wave, 1, 2}}},
                [&](const glm::vec3& d) {
                  return joined({each_input(blob, d, 2, 1), harmonics(3, d),
                                 each_input(frequency, d, 0, 2), each_input(wave, d, 1, 2)});
                });
}

TEST(EncodeDirection, HasTheGradientOfDifferences) {
  constexpr float kStep = 0x1p-7f;
  const EncodingConfig config{
      .parts = {{SphericalEncoding{4}, 0, 3}, {Frequency{2}, 1, 2}, {Identity{}, 3, 2}}};
  const std::vector<float> latents{0.3f, -0.7f};
  const auto padded = static_cast<std::size_t>(config.padded_outputs());
  std::mt19937 random(8);
  std::vector<float> d_values(padded);
  for (float& d : d_values) d = 2 * static_cast<float>(random() >> 8) * 0x1p-24f - 1;
  for (const glm::vec3& direction : directions()) {
    const glm::vec3 found = direction_gradient(config, direction, 2, d_values.data());
    for (int axis = 0; axis < 3; ++axis) {
      double expected = 0;
      for (const float side : {-1.0f, 1.0f}) {
        glm::vec3 moved = direction;
        moved[axis] += side * kStep;
        std::vector<float> values(padded);
        encode_direction(config, moved, latents, values.data());
        for (std::size_t i = 0; i < padded; ++i) {
          const double value = static_cast<double>(values[i]), d = static_cast<double>(d_values[i]);
          expected += static_cast<double>(side) * d * value / (2 * static_cast<double>(kStep));
        }
      }
      EXPECT_NEAR(static_cast<double>(found[axis]), expected, 5e-3) << axis;
    }
  }
}

}  // namespace
}  // namespace mote
