// Latents of photographs: their start, steps of Adam against doubles, and their saved state.
#include "fields/latents.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "fields/neural_field.h"
#include "support/field_trainer_states.h"

namespace mote {
namespace {

const std::vector<std::uint32_t> kPhotographs{1, 4, 7};

/// Reads what is before the states of latents.
void take_optimizer(MemoryBytes& bytes) {
  EXPECT_TRUE(take_moments(bytes).empty());
}

TEST(Latents, StartUniformFromMinusOneToOne) {
  std::vector<std::uint32_t> many;
  for (std::uint32_t i = 0; i < 1000; ++i) many.push_back(i);
  const Latents latents(many, 4, 3);
  double sum = 0, squares = 0;
  for (const float value : latents.values()) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 4000, 0, 0.05);
  EXPECT_NEAR(squares / 4000, 1.0 / 3, 0.03);
  EXPECT_NE(latents.values(), Latents(many, 4, 4).values());
}

TEST(Latents, StepsAreThoseOfAdam) {
  Latents latents(kPhotographs, 2, 1);
  const std::vector<float> before = latents.values();
  double first = 0, second = 0, moved = 0;
  for (int t = 1; t <= 5; ++t) {
    const double slope = 0.3 * t - 0.7;
    EXPECT_EQ(latents.step(4, std::vector{slope, 0.0}), 0u);
    first = 0.9 * first + 0.1 * slope;
    second = 0.99 * second + 0.01 * slope * slope;
    moved -= 1e-4 * (first / (1 - std::pow(0.9, t))) /
             (std::sqrt(second / (1 - std::pow(0.99, t))) + 1e-8);
  }
  EXPECT_NEAR(latents.of(4)[0], static_cast<double>(before[2]) + moved, 1e-6);
  EXPECT_EQ(latents.of(4)[1], before[3]);
  EXPECT_EQ(latents.of(1)[0], before[0]);
}

TEST(Latents, GradientsThatAreNotFiniteAreCountedAndLeftOut) {
  Latents latents(kPhotographs, 2, 1);
  const std::vector<float> before = latents.values();
  EXPECT_EQ(latents.step(1, std::vector{std::nan(""), 1.0}), 1u);
  EXPECT_EQ(latents.values(), before);
}

TEST(Latents, ASavedStateContinuesAlike) {
  Latents one(kPhotographs, 2, 1), other(kPhotographs, 2, 9);
  static_cast<void>(one.step(7, std::vector{0.5, -2.0}));
  MemoryBytes bytes, again;
  one.save(bytes);
  one.save(again);
  other.restore(bytes);
  for (Latents* latents : {&one, &other}) {
    static_cast<void>(latents->step(7, std::vector{-0.25, 1.0}));
  }
  EXPECT_EQ(one.values(), other.values());
  Latents more(kPhotographs, 3, 1);
  EXPECT_THROW(more.restore(again), Error);
}

TEST(Latents, OthersWithTheirValuesAndStatesContinueAlike) {
  Latents one(kPhotographs, 2, 1);
  static_cast<void>(one.step(7, std::vector{0.5, -2.0}));
  const std::vector<LatentState> states = one.states();
  ASSERT_EQ(states.size(), 3u);
  EXPECT_EQ(states[0], (LatentState{.steps = 0, .first = {0, 0}, .second = {0, 0}}));
  EXPECT_EQ(states[2].steps, 1u);
  EXPECT_NEAR(states[2].first[1], -0.2, 1e-15);
  EXPECT_NEAR(states[2].second[0], 0.0025, 1e-15);

  // Photographs are matched by their order.
  const std::vector<std::uint32_t> others{0, 3, 5};
  Latents other(others, 2, 9, one.values()), anew(others, 2, 9, one.values());
  EXPECT_EQ(other.values(), one.values());
  NeuralField field;
  field.config = complete_nerf_config({}, 1);
  MemoryBytes bytes;
  put_optimizer_states({.latents = states}, field, bytes);
  take_optimizer(bytes);
  other.restore_states(bytes);
  EXPECT_EQ(bytes.left(), 0u);
  EXPECT_EQ(other.states(), states);
  EXPECT_EQ(other.values(), one.values());
  static_cast<void>(one.step(7, std::vector{-0.25, 1.0}));
  for (Latents* latents : {&other, &anew}) {
    static_cast<void>(latents->step(5, std::vector{-0.25, 1.0}));
  }
  EXPECT_EQ(other.values(), one.values());
  EXPECT_NE(anew.values(), one.values());
}

TEST(Latents, UnknownStatesChangeNothingAndThoseOfOtherPhotographsAreRefused) {
  NeuralField field;
  field.config = complete_nerf_config({}, 1);
  const auto restore = [&](Latents& latents, const std::vector<LatentState>& states) {
    MemoryBytes bytes;
    put_optimizer_states({.latents = states}, field, bytes);
    take_optimizer(bytes);
    latents.restore_states(bytes);
    EXPECT_EQ(bytes.left(), 0u);
  };
  Latents latents(kPhotographs, 2, 1), none(kPhotographs, 0, 1);
  static_cast<void>(latents.step(4, std::vector{0.5, -2.0}));
  const std::vector<LatentState> before = latents.states();
  restore(latents, {});
  EXPECT_EQ(latents.states(), before);
  restore(none, {});
  EXPECT_TRUE(none.states().empty());
  EXPECT_THROW(restore(latents, Latents(kPhotographs, 3, 1).states()), Error);
  EXPECT_THROW(restore(latents, {before[0], before[1]}), Error);
  EXPECT_THROW(restore(none, before), Error);
  EXPECT_EQ(latents.states(), before);
}

TEST(Latents, PicturesShowTheirMean) {
  EXPECT_EQ(shown_latents({1, 2, 3, 5}, 2), (std::vector<float>{2, 3.5f}));
  EXPECT_EQ(shown_latents({}, 2), (std::vector<float>{0, 0}));
  EXPECT_TRUE(shown_latents({}, 0).empty());
}

TEST(Latents, AreInputsOfTheColourNetworkBehindTheDirection) {
  const FieldConfig without = complete_nerf_config({}, 1);
  const NerfLayout before = nerf_layout(without), with = nerf_layout(with_latents(without, 3));
  EXPECT_EQ(before.latents, 0);
  EXPECT_EQ(with.latents, 3);
  EXPECT_EQ(with.first_latent, 32);
  EXPECT_EQ(before.direction_inputs, 16);
  EXPECT_EQ(with.direction_inputs, 32);
  EXPECT_EQ(with.parameters, before.parameters + 16 * 64);
  FieldConfig scaled = with_latents(without, 3);
  scaled.direction_encoding->parts.back().kind = Identity{.scale = 2};
  EXPECT_THROW(nerf_layout(scaled), Error);
}

}  // namespace
}  // namespace mote
