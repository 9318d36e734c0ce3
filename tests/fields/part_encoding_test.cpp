// Derivatives of encodings without parameters at many positions, against differences of their
// values. The slopes themselves are tested in double by encoding_test.
#include "fields/part_encoding.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace mote {
namespace {

constexpr std::size_t kStride = 48, kBegin = 16, kEnd = 48;

class PartEncodings : public testing::Test {
 protected:
  std::vector<float> random(std::size_t planes, float low, float high) {
    std::vector<float> values(planes * kStride);
    for (float& v : values) v = low + (high - low) * static_cast<float>(engine_()) / 4294967296.0f;
    return values;
  }
  static std::vector<EncodingPart> parts() {
    return {{Frequency{2}, 0, 3},         {TriangleWave{2}, 1, 2}, {OneBlob{4}, 0, 2},
            {SphericalEncoding{3}, 0, 3}, {Identity{2, 1}, 2, 1},  {EmptyEncoding{}, 0, 3}};
  }

  std::mt19937 engine_{5};
};

TEST_F(PartEncodings, HaveTheRatesOfDifferences) {
  constexpr float kStep = 1e-3f;
  for (const EncodingPart& part : parts()) {
    const auto outputs = static_cast<std::size_t>(encoding_outputs(part));
    const std::vector<float> at = random(3, 0.1f, 0.9f), along = random(3, -1, 1);
    std::vector<float> rates(outputs * kStride, -7), before(rates), after(rates);
    std::vector<float> back(at), forth(at);
    for (std::size_t i = 0; i < at.size(); ++i) {
      back[i] -= kStep * along[i];
      forth[i] += kStep * along[i];
    }
    encode_part_rates(part, at.data(), along.data(), kStride, kBegin, kEnd, rates.data());
    encode_part(part, back.data(), kStride, kBegin, kEnd, before.data());
    encode_part(part, forth.data(), kStride, kBegin, kEnd, after.data());
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = kBegin; i < kEnd; ++i) {
        const std::size_t own = o * kStride + i;
        // The step of a wave or a blob may contain one of their corners.
        EXPECT_NEAR(rates[own], (after[own] - before[own]) / (2 * kStep), 0.02f)
            << "part " << part.kind.index() << ", output " << o;
      }
      EXPECT_TRUE(kBegin == 0 || rates[o * kStride] == -7) << "outside of the samples";
    }
  }
}

// d . (slopes v) = (slopes^T d) . v
TEST_F(PartEncodings, HaveSlopesThatAreTheTransposeOfTheirRates) {
  for (const EncodingPart& part : parts()) {
    const auto outputs = static_cast<std::size_t>(encoding_outputs(part));
    const std::vector<float> at = random(3, 0, 1), along = random(3, -1, 1);
    const std::vector<float> d = random(outputs, -1, 1);
    std::vector<float> rates(outputs * kStride), d_positions(3 * kStride, 0.5f);
    encode_part_rates(part, at.data(), along.data(), kStride, kBegin, kEnd, rates.data());
    encode_part_slopes(part, at.data(), d.data(), kStride, kBegin, kEnd, d_positions.data());
    for (std::size_t i = kBegin; i < kEnd; ++i) {
      float by_rates = 0, by_slopes = 0;
      for (std::size_t o = 0; o < outputs; ++o) {
        by_rates += d[o * kStride + i] * rates[o * kStride + i];
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        by_slopes += (d_positions[axis * kStride + i] - 0.5f) * along[axis * kStride + i];
      }
      EXPECT_NEAR(by_rates, by_slopes, 1e-4f) << "part " << part.kind.index();
    }
  }
}

}  // namespace
}  // namespace mote
