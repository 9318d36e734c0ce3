// The fit of a run into a time budget.
#include "train/run/time_budget.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/options.h"
#include "core/random.h"

namespace mote {
namespace {

TEST(TimeBudget, ReadsTimes) {
  const auto seconds = [](const char* text) { return parse_duration(text, "--time-budget"); };
  EXPECT_DOUBLE_EQ(seconds("5m"), 300);
  EXPECT_DOUBLE_EQ(seconds("90s"), 90);
  EXPECT_DOUBLE_EQ(seconds("90"), 90);
  EXPECT_DOUBLE_EQ(seconds("1h30m"), 5400);
  EXPECT_DOUBLE_EQ(seconds("1.5h"), 5400);
  for (const char* wrong : {"", "m", "5x", "5m5h", "5m5m", "-5m", "0s", "0.5s", "nan", "inf",
                            "1e9h", "5 m", "5m ", "99999999999999999999h"}) {
    EXPECT_THROW(seconds(wrong), UsageError) << wrong;
  }
}

/// The result of a run in simulated time.
struct SimulatedRun {
  double spent_s = 0;
  std::uint64_t steps = 0;
  double largest_change = 0, half_time_s = 0;
};

/// `cost` gives the seconds of a step for a fraction of the schedule; `pause_s` passes between
/// steps every thousand steps.
SimulatedRun simulate(double budget_s, double (*cost)(double fraction), double pause_s) {
  TimeBudget budget(budget_s);
  Random random(3);
  SimulatedRun run;
  double fraction = 0;
  while (fraction < 1) {
    const double step_s = cost(fraction) * random.uniform(0.7, 1.3);
    run.spent_s += step_s;
    const double next = budget.advanced(fraction, step_s, run.spent_s);
    EXPECT_GT(next, fraction);
    if (next < 1) run.largest_change = std::max(run.largest_change, next - fraction);
    if (fraction < 0.5 && next >= 0.5) run.half_time_s = run.spent_s;
    fraction = next;
    if (++run.steps % 1000 == 0) run.spent_s += pause_s;
  }
  return run;
}

TEST(TimeBudget, EndsOnTimeForAnyCostOfSteps) {
  double (*const costs[])(double) = {
      [](double) { return 0.01; }, [](double f) { return 0.002 + 0.05 * f; },
      [](double f) { return f < 0.3 ? 0.002 : 0.03; },
      [](double f) { return f < 0.001 ? 0.5 : 0.01; }};  // a slow start
  for (const auto cost : costs) {
    for (const double pause_s : {0.0, 2.0}) {
      const SimulatedRun run = simulate(120, cost, pause_s);
      EXPECT_NEAR(run.spent_s, 120, 2.5);
      EXPECT_GT(run.steps, 1000u);
      EXPECT_LT(run.largest_change, 0.02);
    }
  }
  const SimulatedRun even = simulate(120, costs[0], 0);
  EXPECT_NEAR(even.half_time_s, 60, 1);
}

TEST(TimeBudget, EndsAtOnceIfTheTimeIsSpent) {
  TimeBudget budget(10);
  EXPECT_EQ(budget.advanced(0.3, 0.1, 11), 1);
  TimeBudget slow(10);
  EXPECT_EQ(slow.advanced(0, 9, 9), 1);
}

}  // namespace
}  // namespace mote
