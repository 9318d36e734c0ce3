// Schedules of a run.
#include "train/splats/schedules.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mote {
namespace {

RunPosition position_at(std::uint64_t steps_done, std::uint64_t steps_total) {
  return {.steps_done = steps_done,
          .steps_total = steps_total,
          .fraction = static_cast<double>(steps_done) / static_cast<double>(steps_total)};
}

TEST(Schedules, PositionsLearnLogLinearlyInExtents) {
  const RateOptions rates;
  EXPECT_FLOAT_EQ(learning_rates(rates, 3, position_at(0, 30000)).mean, 4.8e-4f);
  EXPECT_FLOAT_EQ(learning_rates(rates, 3, position_at(15000, 30000)).mean, 4.8e-5f);
  EXPECT_FLOAT_EQ(learning_rates(rates, 3, position_at(30000, 30000)).mean, 4.8e-6f);
  EXPECT_FLOAT_EQ(learning_rates(rates, 3, position_at(30000, 30000)).sh_0, 2.5e-3f);
}

TEST(Schedules, EachOptionForARateReachesThatRateAlone) {
  const std::pair<const char*, float LearningRates::*> kRates[] = {
      {"mean-lr", &LearningRates::mean},
      {"mean-lr-end", &LearningRates::mean},
      {"scale-lr", &LearningRates::log_scale},
      {"rotation-lr", &LearningRates::rotation},
      {"opacity-lr", &LearningRates::logit_opacity},
      {"sh-lr", &LearningRates::sh_0},
      {"sh-rest-lr", &LearningRates::sh_rest},
      {"time-lr", &LearningRates::time_mean},
      {"life-lr", &LearningRates::time_sigma},
      {"plateau-lr", &LearningRates::time_plateau},
      {"velocity-lr", &LearningRates::velocity},
      {"spin-lr", &LearningRates::spin},
      {"direction-lr", &LearningRates::direction_mean},
      {"direction-sigma-lr", &LearningRates::direction_sigma},
      {"slope-lr", &LearningRates::slope},
      {"slope-lr-end", &LearningRates::slope}};
  for (const auto& [name, reached] : kRates) {
    RateOptions rates;
    OptionTable table;
    rates.describe(table);
    LearningRates before = learning_rates(rates, 1, position_at(1, 2), 3);
    *std::get<double*>(table.find(name)->target) *= 2;
    LearningRates after = learning_rates(rates, 1, position_at(1, 2), 3);
    for (const auto& [other, rate] : kRates) {
      EXPECT_EQ(before.*rate != after.*rate, rate == reached) << name << " moves " << other;
    }
  }
}

/// Units of the extent per power of a second.
TEST(Schedules, RatesOfCurvesFollowTheDuration) {
  const RateOptions rates;
  const LearningRates found = learning_rates(rates, 3, position_at(1, 2), 2);
  EXPECT_FLOAT_EQ(found.quadratic, 2.8e-4f * 3 / 4);
  EXPECT_FLOAT_EQ(found.cubic, 2.8e-4f * 3 / 8);
  EXPECT_FLOAT_EQ(found.spin, 1e-4f / 2);
  EXPECT_EQ(learning_rates(rates, 3, position_at(1, 2)).cubic, 0);
}

TEST(Schedules, VelocitiesLearnInExtentsPerDurationAndLongLivesSlowly) {
  const RateOptions rates;
  const LearningRates moving = learning_rates(rates, 3, position_at(0, 30000), 2);
  EXPECT_FLOAT_EQ(moving.velocity, 1e-2f * 3 / 2);
  EXPECT_FLOAT_EQ(moving.time_mean, 1.6e-4f * 2);
  EXPECT_FLOAT_EQ(moving.velocity_life_s, 0.2f);
  EXPECT_FLOAT_EQ(learning_rates(rates, 3, position_at(0, 30000), 2, false).velocity_life_s, 1.5f);
  EXPECT_GT(learning_rates(rates, 3, position_at(0, 30000)).velocity_life_s, 1e30f)
      << "it stands still";
}

TEST(Schedules, SurfaceLossesBeginAtTheirPublishedSteps) {
  SurfaceOptions options;
  options.distortion_weight = 100;
  const auto weights = [&](std::uint64_t steps_done, std::uint64_t steps_total) {
    LossSettings loss;
    set_surface_weights(options, position_at(steps_done, steps_total), loss);
    return std::pair(loss.distortion_weight, loss.normal_weight);
  };
  EXPECT_EQ(weights(2999, 30000), std::pair(0.0f, 0.0f));
  EXPECT_EQ(weights(3000, 30000), std::pair(100.0f, 0.0f));
  EXPECT_EQ(weights(6999, 30000), std::pair(100.0f, 0.0f));
  EXPECT_EQ(weights(7000, 30000), std::pair(100.0f, 0.05f));
  EXPECT_EQ(weights(7000, 100000), std::pair(100.0f, 0.05f)) << "not later in a longer run";
  EXPECT_EQ(weights(299, 3000), std::pair(0.0f, 0.0f));
  EXPECT_EQ(weights(300, 3000), std::pair(100.0f, 0.0f));
  EXPECT_EQ(weights(700, 3000), std::pair(100.0f, 0.05f));
}

TEST(Schedules, ADegreeOfHarmonicsIsAddedEveryThousandStepsOrEighthOfAShortRun) {
  const TrainOptions options;
  for (const std::uint64_t total : {std::uint64_t{2000}, std::uint64_t{30000}}) {
    const std::uint64_t interval = total == 2000 ? 250 : 1000;
    EXPECT_EQ(sh_degree_at(options, position_at(0, total)), 0);
    for (int degree = 1; degree <= 3; ++degree) {
      const std::uint64_t step = interval * static_cast<std::uint64_t>(degree);
      EXPECT_EQ(sh_degree_at(options, position_at(step - 1, total)), degree - 1) << total;
      EXPECT_EQ(sh_degree_at(options, position_at(step, total)), degree) << total;
    }
    EXPECT_EQ(sh_degree_at(options, position_at(total, total)), 3);
  }
  TrainOptions flat;
  flat.sh_degree = 0;
  EXPECT_EQ(sh_degree_at(flat, position_at(29999, 30000)), 0);
}

TEST(Schedules, TheDensificationWindowIsThePublishedOne) {
  const DensifyWindow window = densify_window({}, 0.5, position_at(0, 30000));
  EXPECT_FALSE(window.due(position_at(500, 30000)));
  EXPECT_TRUE(window.due(position_at(600, 30000)));
  EXPECT_FALSE(window.due(position_at(601, 30000)));
  EXPECT_TRUE(window.due(position_at(14900, 30000)));
  EXPECT_FALSE(window.due(position_at(15000, 30000)));
  EXPECT_EQ(densify_window({}, 0.5, position_at(0, 2000)).from, 200u);
  DensifyOptions options;
  options.until = 0.25;
  EXPECT_FALSE(densify_window(options, 0.5, position_at(0, 30000)).due(position_at(7500, 30000)));
}

TEST(Schedules, EventsLeftCountsFutureEvents) {
  for (const std::uint64_t total : {1000u, 2000u, 7000u, 29999u, 30000u}) {
    for (const double until : {0.5, 25000.0 / 30000.0, 1.0, 0.3}) {
      for (const int every : {1, 7, 100}) {
        DensifyOptions options;
        options.every = every;
        const DensifyWindow window = densify_window(options, until, position_at(0, total));
        std::uint64_t events = 0;
        for (std::uint64_t step = total; step >= 1; --step) {
          if (!window.due(position_at(step, total))) continue;
          ++events;
          ASSERT_EQ(window.events_left(position_at(step, total)), events) << total << " " << step;
        }
        EXPECT_GT(events, 0u);
      }
    }
  }
}

TEST(Schedules, CountsReachTheirTargetOnAStraightLine) {
  std::uint64_t count = 100;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t left = 9; left >= 1; --left) {
    count = count_on_the_way(count, 1003, left);
    counts.push_back(count);
  }
  EXPECT_EQ(counts.front(), 201u);
  EXPECT_NEAR(static_cast<double>(counts[4]), 100 + 903 * 5.0 / 9, 2);
  EXPECT_EQ(counts.back(), 1003u);
  EXPECT_EQ(count_on_the_way(1100, 1003, 3), 1003u);
}

}  // namespace
}  // namespace mote
