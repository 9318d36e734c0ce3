// States of trainers of neural fields: they are saved, restored bit for bit, and refused if
// damaged.
#include <gtest/gtest.h>

#include <span>

#include "core/error.h"
#include "fields/error_map.h"
#include "support/fake_training.h"
#include "support/field_trainer_fixture.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using FieldTrainerStates = FieldTrainers;

INSTANTIATE_TEST_SUITE_P(On, FieldTrainerStates, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(FieldTrainerStates, ResumesFromASavedStateBitForBit) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto whole = make_any_trainer(proposed);
    train(*whole, 1, 12);
    MemoryBytes state;
    whole->save(state);
    const std::vector<double> expected = train(*whole, 13, 30);

    const auto resumed = make_any_trainer(proposed, 2);
    resumed->restore(state);
    EXPECT_EQ(state.left(), 0u);
    EXPECT_EQ(train(*resumed, 13, 30), expected);
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

TEST_P(FieldTrainerStates, AnotherFieldContinuesWithTheStateOfTheOptimiser) {
  const auto first = make_trainer();
  train(*first, 1, 10);
  const OptimizerState state = first->optimizer_state();
  EXPECT_EQ(state.step, 10u);
  const NeuralField start = first->field();
  ASSERT_EQ(state.first.size(), start.parameters.size());
  const auto other = backend().make_field_trainer(start, kFieldSettings, cameras_);
  MemoryBytes bytes;
  put_optimizer_state(state, start.parameters, start.config.optimizer->ema_decay.has_value(),
                      bytes);
  other->restore_optimizer(bytes);
  EXPECT_EQ(bytes.left(), 0u);
  EXPECT_EQ(other->optimizer_state(), state);
  EXPECT_EQ(other->field().parameters, start.parameters);
  const auto fresh = backend().make_field_trainer(start, kFieldSettings, cameras_);
  train(*other, 11, 12);
  train(*fresh, 11, 12);
  EXPECT_EQ(other->field().training_step, 12u);
  EXPECT_EQ(fresh->field().training_step, 2u);
  EXPECT_NE(other->field().parameters, fresh->field().parameters);
}

TEST_P(FieldTrainerStates, ResumesWithItsMapOfErrors) {
  const std::uint64_t known = kFirstErrorSteps;  // the map is used after these
  const auto whole = make_trainer(1, kMapped);
  train(*whole, 1, known - 3);
  MemoryBytes state;
  whole->save(state);
  const std::vector<double> expected = train(*whole, known - 2, known + 4);
  const auto resumed = make_trainer(2, kMapped);
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, known - 2, known + 4), expected);
  EXPECT_EQ(resumed->field().parameters, whole->field().parameters);
}

TEST_P(FieldTrainerStates, ATruncatedStateIsAnError) {
  const auto trainer = make_trainer();
  MemoryBytes state;
  trainer->save(state);
  for (std::size_t part = 0; part < 20; ++part) {
    MemoryBytes cut;
    cut.write(std::span(state.bytes).first(state.bytes.size() * part / 20));
    EXPECT_THROW(trainer->restore(cut), Error) << part;
  }
}

TEST_P(FieldTrainerStates, AStateOfAnotherFieldIsAnError) {
  MemoryBytes state;
  make_trainer()->save(state);
  NeuralField other = new_field(1);
  other.config.network->neurons = 32;
  other.parameters = initial_nerf_parameters(other.config, 1);
  const auto trainer = backend().make_field_trainer(other, kFieldSettings, cameras_);
  const Error error = thrown_by([&] { trainer->restore(state); });
  EXPECT_NE(error.problem().find("number of parameters"), std::string::npos) << error.what();
}

TEST_P(FieldTrainerStates, LatentsLearnResumeAndShowTheirMean) {
  FieldTrainerSettings settings = kFieldSettings;
  settings.latent_photographs = {0, 1, 2, 3};
  const auto make = [&](std::uint64_t seed) {
    settings.latent_seed = seed;
    return backend().make_field_trainer(new_field(seed, 3), settings, cameras_);
  };
  const auto whole = make(1);
  const std::vector<float> start = whole->field().latents;
  ASSERT_EQ(start.size(), 12u);
  train(*whole, 1, 12);
  MemoryBytes state;
  whole->save(state);
  const std::vector<double> expected = train(*whole, 13, 20);
  const auto resumed = make(2);
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, 13, 20), expected);
  const NeuralField field = whole->field();
  EXPECT_EQ(resumed->field().latents, field.latents);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NE(field.latents[i], start[i]) << i;

  const auto drawn = backend().upload_field(field);
  Frame found, of_field;
  whole->render(cameras_[0], {}, found);
  drawn->render(cameras_[0], {}, of_field);
  EXPECT_LT(largest_difference(found.rgb, of_field.rgb), 2e-3f);
}

}  // namespace
}  // namespace mote
