// Adam against its definition in double, and lazy steps against dense ones.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "math/adam.h"
#include "math/adam_drift.h"

namespace mote {
namespace {

/// Adam by Kingma & Ba.
struct DenseAdam {
  double value = 0, first = 0, second = 0;

  void step(std::uint64_t t, double gradient, double rate) {
    first = kAdamBeta1 * first + (1 - kAdamBeta1) * gradient;
    second = kAdamBeta2 * second + (1 - kAdamBeta2) * gradient * gradient;
    const double corrected1 = first / (1 - std::pow(kAdamBeta1, t));
    const double corrected2 = second / (1 - std::pow(kAdamBeta2, t));
    value -= rate * corrected1 / (std::sqrt(corrected2) + kAdamEpsilon);
  }
};

template <class F>
AdamState<F> caught_up(const AdamState<F>& state, const AdamDrift& drift, std::uint64_t last) {
  return adam_catch_up(state, adam_decay(static_cast<F>(drift.steps() - last)),
                       static_cast<F>(drift.sums()[last]));
}

struct Course {
  std::uint64_t steps;
  double visited;             // share of steps with a gradient
  double rate, rate_at_end;   // log-linear in between
  double drift_of_gradients;  // their mean, in standard deviations
};

/// Largest distance of lazy from dense steps, in units of that step's learning rate, checked before
/// every visit and at the end.
template <class F>
double greatest_distance(const Course& course, std::uint64_t seed) {
  Random random(seed);
  DenseAdam dense;
  AdamState<F> lazy{};
  AdamDrift drift;
  std::uint64_t last = 0;
  double worst = 0;
  for (std::uint64_t t = 1; t <= course.steps; ++t) {
    const double rate =
        course.rate * std::pow(course.rate_at_end / course.rate,
                               static_cast<double>(t) / static_cast<double>(course.steps));
    // Includes long absences, as of a splat that few photographs show.
    const bool away = t % 1000 > 600;
    if (t == 1 || (!away && random.uniform() < course.visited)) {
      const double gradient = 1e-4 * (random.normal() + course.drift_of_gradients);
      lazy = caught_up(lazy, drift, last);
      worst = std::max(worst, std::abs(static_cast<double>(lazy.value) - dense.value) / rate);
      const AdamStep step = adam_step_at(t, rate);
      lazy = adam_update(lazy, static_cast<F>(gradient), static_cast<F>(step.rate),
                         static_cast<F>(step.inverse_root));
      dense.step(t, gradient, rate);
      last = t;
    } else {
      dense.step(t, 0, rate);
    }
    drift.add_step(rate);
  }
  lazy = caught_up(lazy, drift, last);
  return std::max(worst,
                  std::abs(static_cast<double>(lazy.value) - dense.value) / course.rate_at_end);
}

const Course kCourses[] = {
    {60, 0.3, 1e-3, 1e-3, 0.5},       // bias corrections change fastest
    {100, 0.05, 1e-3, 1e-5, 2},       // the rate changes much
    {3000, 0.5, 1.6e-4, 1.6e-6, 0},   // means seen by every other photograph
    {3000, 0.02, 1.6e-4, 1.6e-6, 1},  // means seen by few
    {3000, 1, 2.5e-3, 2.5e-3, 0},     // seen by all
    {20000, 0.004, 2.5e-3, 2.5e-3, 0.3},
};

TEST(Adam, LazyStepsMatchDenseStepsInDouble) {
  // The remaining error comes from the single precision of the step's numbers and sums, and from
  // the window of the sums: about 1e-7 of each step, over several thousand steps.
  for (std::size_t i = 0; i < std::size(kCourses); ++i) {
    SCOPED_TRACE(i);
    EXPECT_LT(greatest_distance<double>(kCourses[i], i + 1), 5e-4);
  }
}

TEST(Adam, LazyStepsMatchDenseStepsInSinglePrecision) {
  for (std::size_t i = 0; i < std::size(kCourses); ++i) {
    SCOPED_TRACE(i);
    EXPECT_LT(greatest_distance<float>(kCourses[i], i + 1), 2e-3);
  }
}

TEST(Adam, AVisitAtEveryStepNeedsNoCatchingUp) {
  AdamDrift drift;
  for (int t = 1; t < 5; ++t) {
    drift.add_step(0.1);
    EXPECT_EQ(drift.sums()[drift.steps()], 0.0f);
  }
  const AdamState<float> before{1.5f, 0.25f, 0.5f};
  const auto after = caught_up(before, drift, drift.steps());
  EXPECT_EQ(after.value, before.value);
  EXPECT_EQ(after.first, before.first);
  EXPECT_EQ(after.second, before.second);
}

TEST(Adam, StatesOfZeroStayFinite) {
  AdamDrift drift;
  for (int t = 0; t < 300; ++t) drift.add_step(1e-3);
  const AdamState<float> zero{2.0f, 0.0f, 0.0f};
  const auto late = caught_up(zero, drift, 0);
  EXPECT_EQ(late.value, 2.0f);
  const auto stepped = adam_update(zero, 0.0f, 1e-3f, 1.0f);
  EXPECT_EQ(stepped.value, 2.0f);
  EXPECT_EQ(stepped.second, 0.0f);
}

TEST(Adam, AHugeGradientMovesByAboutTheRateAndIsForgotten) {
  for (const float gradient : {1e25f, -1e38f}) {
    const AdamStep first = adam_step_at(1, 1e-3);
    auto state = adam_update(AdamState<float>{}, gradient, first.rate, first.inverse_root);
    EXPECT_NEAR(std::abs(state.value), 1e-3f, 1e-6f);
    EXPECT_TRUE(std::isfinite(state.second));
  }
}

TEST(Adam, MomentsDecayToZeroOverAnyAbsence) {
  for (const float steps : {0.0f, 1.0f, 100.0f, 1e4f, 1e6f, 1e7f}) {
    const auto decay = adam_decay(steps);
    EXPECT_NEAR(decay.first, std::pow(kAdamBeta1, steps), 1e-6);
    EXPECT_NEAR(decay.second, std::pow(kAdamBeta2, steps), 1e-6);
  }
}

class MemorySink : public ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> data;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> data) : data_(data) {}
  void read(std::span<std::byte> out) override {
    if (out.size() > data_.size()) throw std::runtime_error("too short");
    std::copy_n(data_.begin(), out.size(), out.begin());
    data_ = data_.subspan(out.size());
  }
  std::size_t left() const override { return data_.size(); }

 private:
  std::span<const std::byte> data_;
};

TEST(Adam, TheDriftResumesFromItsBytes) {
  AdamDrift drift, restored;
  for (int t = 0; t < 50; ++t) drift.add_step(1e-3);
  MemorySink sink;
  drift.save(sink);
  MemorySource source(sink.data);
  restored.restore(source);
  EXPECT_EQ(source.left(), 0u);
  drift.add_step(2e-3);
  restored.add_step(2e-3);
  ASSERT_EQ(restored.steps(), 51u);
  for (std::size_t s = 0; s <= 51; ++s) EXPECT_EQ(restored.sums()[s], drift.sums()[s]);
}

TEST(Adam, ADriftWithWrongBytesIsAnError) {
  MemorySink sink;
  sink.put(~0ull);
  sink.put(1.0f);
  AdamDrift drift;
  MemorySource huge(sink.data);
  EXPECT_ANY_THROW(drift.restore(huge));
  sink.data.assign(sizeof(unsigned long long), std::byte{0});
  MemorySource empty(sink.data);
  EXPECT_ANY_THROW(drift.restore(empty));
  EXPECT_EQ(drift.steps(), 0u);
}

}  // namespace
}  // namespace mote
