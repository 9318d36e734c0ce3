// States of trainers of neural fields: they are saved, restored bit for bit, and refused if
// damaged.
#include <gtest/gtest.h>

#include <span>

#include "core/error.h"
#include "fields/error_map.h"
#include "support/field_trainer_fixture.h"
#include "support/field_trainer_states.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using FieldTrainerStates = OnBallPhotographs;

INSTANTIATE_TEST_SUITE_P(On, FieldTrainerStates, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(FieldTrainerStates, ResumesFromASavedStateBitForBit) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto whole = make_any_trainer(proposed);
    const std::uint64_t saved_at = is_slow() ? 2 : 12, last = is_slow() ? 5 : 30;
    train(*whole, 1, saved_at);
    MemoryBytes state = saved(*whole);
    const std::vector<double> expected = train(*whole, saved_at + 1, last);

    const auto resumed = make_any_trainer(proposed, 2);
    resumed->restore(state);
    EXPECT_EQ(state.left(), 0u);
    EXPECT_EQ(train(*resumed, saved_at + 1, last), expected);
    if (is_field_slow(proposed)) {
      EXPECT_TRUE(saved(*resumed).bytes == saved(*whole).bytes);
      continue;
    }
    const NeuralField found = resumed->field(), wanted = whole->field();
    EXPECT_EQ(found.parameters, wanted.parameters);
    EXPECT_EQ(found.occupancy.values, wanted.occupancy.values);
    EXPECT_EQ(found.training_step, wanted.training_step);
    EXPECT_EQ(found.proposals.has_value(), proposed);
    for (std::size_t r = 0; proposed && r < 2; ++r) {
      EXPECT_EQ(found.proposals->rounds[r].parameters, wanted.proposals->rounds[r].parameters);
    }
  }
}

/// Continues with the states, and the parameters of the field.
void restore_states(const OptimizerStates& states, const NeuralField& field,
                    FieldTrainer& trainer) {
  MemoryBytes bytes;
  put_optimizer_states(states, field, bytes);
  trainer.restore_optimizers(bytes);
  EXPECT_EQ(bytes.left(), 0u);
}

TEST_P(FieldTrainerStates, AnotherFieldContinuesWithTheStateOfTheOptimiser) {
  const auto first = make_trainer();
  train(*first, 1, 5);
  const OptimizerStates states = first->optimizer_states();
  EXPECT_EQ(states.field.step, 5u);
  EXPECT_TRUE(states.proposals.empty());
  EXPECT_TRUE(states.latents.empty());
  const NeuralField start = first->field();
  ASSERT_EQ(states.field.first.size(), start.parameters.size());
  const auto other = make_trainer(start, settings());
  restore_states(states, start, *other);
  EXPECT_EQ(other->optimizer_states(), states);
  EXPECT_EQ(other->field().parameters, start.parameters);
  const auto fresh = make_trainer(start, settings());
  train(*other, 6, 7);
  train(*fresh, 6, 7);
  EXPECT_EQ(other->field().training_step, 7u);
  EXPECT_EQ(fresh->field().training_step, 2u);
  EXPECT_NE(other->field().parameters, fresh->field().parameters);
}

TEST_P(FieldTrainerStates, ProposalsContinueWithTheStatesOfTheirOptimisers) {
  const std::uint32_t steps = is_slow() ? 2 : 5;
  const auto first = make_any_trainer(true);
  train(*first, 1, steps);
  OptimizerStates states = first->optimizer_states();
  ASSERT_EQ(states.proposals.size(), 2u);
  // A slow device takes long to give its field.
  const NeuralField start = is_slow() ? any_untrained(true, 2) : first->field();
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(states.proposals[r].step, steps);
    EXPECT_EQ(states.proposals[r].first.size(), start.proposals->rounds[r].parameters.size());
  }
  const auto other = make_trainer(any_untrained(true, 3), settings());
  restore_states(states, start, *other);
  EXPECT_EQ(other->optimizer_states(), states);
  if (!is_slow()) {
    const NeuralField found = other->field();
    EXPECT_EQ(found.parameters, start.parameters);
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_EQ(found.proposals->rounds[r].parameters, start.proposals->rounds[r].parameters);
    }
  }
  train(*other, steps + 1, steps + 1);
  EXPECT_EQ(other->optimizer_states().proposals[1].step, steps + 1);

  // States that are not known begin anew.
  states.proposals.clear();
  restore_states(states, start, *other);
  const OptimizerStates anew = other->optimizer_states();
  EXPECT_EQ(anew.field, states.field);
  for (const OptimizerState& round : anew.proposals) {
    EXPECT_EQ(round.step, 0u);
    EXPECT_EQ(round.first, std::vector<float>(round.first.size()));
  }
}

TEST_P(FieldTrainerStates, LatentsContinueWithTheirValuesAndTheStatesOfTheirOptimisers) {
  FieldTrainerSettings own = settings();
  own.latent_photographs = {0, 1, 2, 3};
  const auto make = [&](const NeuralField& field, std::uint64_t seed) {
    own.latent_seed = seed;
    return make_trainer(field, own);
  };
  const std::uint64_t steps = is_slow() ? 2 : 5;
  const auto first = make(untrained(1, 3), 1);
  train(*first, 1, steps);
  const NeuralField start = first->field();
  const OptimizerStates states = first->optimizer_states();
  ASSERT_EQ(states.latents.size(), 4u);
  for (const LatentState& state : states.latents) {
    EXPECT_EQ(state.steps, steps);
    EXPECT_EQ(state.first.size(), 3u);
  }
  const auto other = make(start, 2);
  EXPECT_EQ(other->field().latents, start.latents);
  EXPECT_EQ(other->optimizer_states().latents[0].steps, 0u);
  restore_states(states, start, *other);
  EXPECT_EQ(other->optimizer_states(), states);
  EXPECT_EQ(other->field().latents, start.latents);
  train(*other, steps + 1, steps + 1);
  EXPECT_EQ(other->optimizer_states().latents[3].steps, steps + 1);
  EXPECT_NE(other->field().latents, start.latents);

  // Without known latents, they are random, and those of other photographs do not fit.
  NeuralField unknown = start;
  unknown.latents.clear();
  own.latent_photographs = {0, 1, 2};
  const auto fewer = make(unknown, 1);
  EXPECT_EQ(fewer->field().latents.size(), 9u);
  const Error error = thrown_by([&] { restore_states(states, unknown, *fewer); });
  EXPECT_NE(error.problem().find("latents of other photographs"), std::string::npos)
      << error.what();
}

TEST_P(FieldTrainerStates, ResumesWithItsMapOfErrors) {
  const auto whole = make_trainer(1, mapped());
  train(*whole, 1, 2);
  // The map is used after kFirstErrorSteps.
  MemoryBytes later = with_later_errors(saved(*whole), photographs_.size(), kFirstErrorSteps - 4);
  whole->restore(later);
  EXPECT_EQ(later.left(), 0u);
  train(*whole, 3, 3);
  MemoryBytes state = saved(*whole);
  const std::vector<double> expected = train(*whole, 4, 6);
  const auto resumed = make_trainer(2, mapped());
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, 4, 6), expected);
  EXPECT_EQ(resumed->field().parameters, whole->field().parameters);
}

TEST_P(FieldTrainerStates, ATruncatedStateIsAnError) {
  const auto trainer = make_trainer();
  const MemoryBytes state = saved(*trainer);
  for (std::size_t part = 0; part < 20; ++part) {
    MemoryBytes cut;
    cut.write(std::span(state.bytes).first(state.bytes.size() * part / 20));
    EXPECT_THROW(trainer->restore(cut), Error) << part;
  }
}

TEST_P(FieldTrainerStates, AStateOfAnotherFieldIsAnError) {
  MemoryBytes state = saved(*make_trainer());
  NeuralField other = untrained(1);
  other.config.network->neurons = 32;
  other.parameters = initial_nerf_parameters(other.config, 1);
  const auto trainer = make_trainer(other, settings());
  const Error error = thrown_by([&] { trainer->restore(state); });
  EXPECT_NE(error.problem().find("number of parameters"), std::string::npos) << error.what();
}

TEST_P(FieldTrainerStates, LatentsLearnResumeAndShowTheirMean) {
  FieldTrainerSettings own = settings();
  own.latent_photographs = {0, 1, 2, 3};
  const auto make = [&](std::uint64_t seed) {
    own.latent_seed = seed;
    return make_trainer(untrained(seed, 3), own);
  };
  const std::uint64_t saved_at = is_slow() ? 2 : 12, last = is_slow() ? 4 : 20;
  const auto whole = make(1);
  const std::vector<float> start = whole->field().latents;
  ASSERT_EQ(start.size(), 12u);
  train(*whole, 1, saved_at);
  MemoryBytes state = saved(*whole);
  const std::vector<double> expected = train(*whole, saved_at + 1, last);
  const auto resumed = make(2);
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, saved_at + 1, last), expected);
  const NeuralField field = whole->field();
  EXPECT_EQ(resumed->field().latents, field.latents);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NE(field.latents[i], start[i]) << i;

  const auto drawn = backend().upload_field(field);
  Frame found, of_field;
  whole->render(camera_at({3, 0, 1}), {}, found);
  drawn->render(camera_at({3, 0, 1}), {}, of_field);
  EXPECT_LT(largest_difference(found.rgb, of_field.rgb), 2e-3f);
}

}  // namespace
}  // namespace mote
