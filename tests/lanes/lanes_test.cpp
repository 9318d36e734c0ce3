// Approximate lane functions against double, at each instruction set of this machine and as
// scalars.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.h"
#include "lane_functions.h"
#include "lanes/isa.h"
#include "lanes/scalar.h"

#define MOTE_DECLARE(isa)                      \
  namespace isa_##isa {                        \
    extern const LaneFunctions kLaneFunctions; \
  }
#define MOTE_ENTRY(isa) {#isa, &isa_##isa::kLaneFunctions, isa_probe::isa},

namespace mote {

MOTE_FOR_EACH_ISA(MOTE_DECLARE)

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int kLowest = -126, kHighest = 126;  // exponents of the arguments

struct Kind {
  const char* name;
  const LaneFunctions* functions;
  bool (*usable)();
};

template <float (*FUNCTION)(float)>
void scalars(const float* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = FUNCTION(in[i]);
}

float scalar_reciprocal(float a) {
  return reciprocal(a);
}
float scalar_exp2_bounded(float a) {
  return exp2_bounded(a);
}
float scalar_exp2_or_zero(float a) {
  return exp2_or_zero(a);
}

std::vector<Kind> usable_kinds() {
  static const LaneFunctions kScalars{scalars<scalar_reciprocal>, scalars<scalar_exp2_bounded>,
                                      scalars<scalar_exp2_or_zero>, scalars<scalar_exp2_bounded>};
  std::vector<Kind> found{{"scalar", &kScalars, nullptr}};
  const Kind packs[] = {MOTE_FOR_EACH_ISA(MOTE_ENTRY)};
  for (const Kind& kind : packs) {
    if (kind.usable()) found.push_back(kind);
  }
  return found;
}

std::vector<float> values_of(LaneFunctions::Function function, std::vector<float> in) {
  const std::size_t count = in.size();
  in.resize((count + 15) / 16 * 16, 1.0f);
  std::vector<float> out(in.size());
  function(in.data(), out.data(), in.size());
  out.resize(count);
  return out;
}

/// Largest relative error of `function` against `exact` on `in`.
template <class Exact>
double worst_error(LaneFunctions::Function function, const std::vector<float>& in,
                   const Exact& exact) {
  const std::vector<float> found = values_of(function, in);
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double expected = exact(static_cast<double>(in[i]));
    const double error = std::abs(static_cast<double>(found[i]) - expected) / std::abs(expected);
    // A positive phrasing, so that NaN fails it.
    EXPECT_TRUE(error < 1) << in[i] << " gives " << found[i];
    worst = std::max(worst, error);
  }
  return worst;
}

double exact_power(double a) {
  return std::exp2(a);
}

class Lanes : public testing::TestWithParam<Kind> {
 protected:
  const LaneFunctions& functions() const { return *GetParam().functions; }
};

INSTANTIATE_TEST_SUITE_P(EachIsa, Lanes, testing::ValuesIn(usable_kinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Lanes, ReciprocalsAreWithinAMillionthOverAllNormalNumbers) {
  Random random(1);
  std::vector<float> in;
  for (int exponent = kLowest; exponent < kHighest; ++exponent) {
    for (const float sign : {1.0f, -1.0f}) {
      const float power = sign * std::ldexp(1.0f, exponent);
      in.insert(in.end(),
                {power, std::nextafter(power, sign * kInfinity), std::nextafter(2 * power, 0.0f)});
      for (int i = 0; i < 100; ++i) {
        in.push_back(power * static_cast<float>(random.uniform(1, 2)));
      }
    }
  }
  EXPECT_LT(worst_error(functions().reciprocal, in, [](double a) { return 1 / a; }), 1e-6);
}

TEST_P(Lanes, ReciprocalsOfOneLaneDoNotDependOnTheOthers) {
  const std::vector<float> one(16, 3.0f);
  std::vector<float> mixed(16, kNaN);
  mixed[5] = 3.0f;
  EXPECT_EQ(values_of(functions().reciprocal, mixed)[5], values_of(functions().reciprocal, one)[0]);
}

TEST_P(Lanes, PowersOfTwoAreWithinFourMillionths) {
  Random random(2);
  std::vector<float> in;
  for (int i = 0; i < 100000; ++i) {
    in.push_back(static_cast<float>(random.uniform(kLowest, kHighest)));
  }
  for (int i = kLowest; i < kHighest; ++i) {
    const auto whole = static_cast<float>(i);
    // Includes the points where rounding to the nearest integer changes, and the neighbours of
    // integers.
    in.insert(in.end(), {whole + 0.5f, std::nextafter(whole + 0.5f, kInfinity),
                         std::nextafter(whole + 0.5f, -kInfinity), whole + 1e-7f});
  }
  EXPECT_LT(worst_error(functions().exp2_bounded, in, exact_power), 4e-6);
  std::erase_if(in, [](float a) { return a > 0; });
  EXPECT_LT(worst_error(functions().exp2_or_zero, in, exact_power), 4e-6);
}

TEST_P(Lanes, ScaledPowersOfTwoAreWithinFourMillionthsForEachFractionOfAnAlpha) {
  constexpr int kSteps = 1 << 23;
  std::vector<float> in;
  for (const float whole : {0.0f, -1.0f, -7.0f, -20.0f}) {
    in.clear();
    for (int i = 0; i <= kSteps; ++i) {
      in.push_back(whole - static_cast<float>(i) / static_cast<float>(kSteps));
    }
    EXPECT_LT(worst_error(functions().exp2_scaled, in, exact_power), 4e-6) << whole;
  }
  in.clear();
  for (int i = kLowest + 1; i <= 0; ++i) in.push_back(static_cast<float>(i));
  EXPECT_LT(worst_error(functions().exp2_scaled, in, exact_power), 4e-6);
}

TEST_P(Lanes, WholePowersOfTwoAreExact) {
  std::vector<float> in;
  for (int i = kLowest; i <= kHighest; ++i) in.push_back(static_cast<float>(i));
  EXPECT_EQ(worst_error(functions().exp2_bounded, in, exact_power), 0);
  std::erase_if(in, [](float a) { return a > 0; });
  in.push_back(-0.0f);
  EXPECT_EQ(worst_error(functions().exp2_or_zero, in, exact_power), 0);
}

TEST_P(Lanes, PowersBelowTheLeastNormalNumberAreZero) {
  const std::vector<float> in{
      std::nextafter(-126.0f, -kInfinity), -126.5f, -127, -149, -1e4f, -3e38f, -kInfinity, kNaN};
  for (const float found : values_of(functions().exp2_or_zero, in)) EXPECT_EQ(found, 0);
  EXPECT_EQ(values_of(functions().exp2_or_zero, {-126.0f})[0], std::numeric_limits<float>::min());
}

}  // namespace
}  // namespace mote
