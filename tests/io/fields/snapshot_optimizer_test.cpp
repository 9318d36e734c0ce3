// States of optimisers in snapshots: round trips, the keys of tiny-cuda-nn, and broken files.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "io/fields/snapshot_storage.h"
#include "snapshot_fixture.h"
#include "support/thrown_by.h"
#include "support/tiny_proposals.h"

namespace mote {
namespace {

using nlohmann::json;

std::optional<OptimizerStates> states_read(const std::string& content) {
  const samples::TemporaryFile file(content, ".ingp");
  return read_snapshot_optimizer(InputFile(file.path()), {});
}

std::size_t binary_size(const json& value) {
  return value.get_binary().size();
}

TEST(SnapshotOptimizer, StatesOfAllApplicationsComeBack) {
  for (const FieldApplication application : {FieldApplication::nerf, FieldApplication::sdf,
                                             FieldApplication::image, FieldApplication::volume}) {
    const NeuralField field = tiny_field(application, 1);
    const OptimizerStates states = random_states(field, 777);
    for (const bool half : {true, false}) {
      for (const bool compressed : {true, false}) {
        SCOPED_TRACE(testing::Message()
                     << kFieldApplicationNames[static_cast<std::size_t>(application)] << half
                     << compressed);
        const std::string with = snapshot_bytes(field, {half, compressed, &states});
        EXPECT_EQ(states_read(with), states);
        const NeuralField read = snapshot_read(with);
        EXPECT_EQ(read.parameters, snapshot_read(snapshot_bytes(field, {half})).parameters);
        ASSERT_EQ(read.warnings.size(), 1u);
        EXPECT_NE(read.warnings[0].find("optimiser is not read"), std::string::npos);
        EXPECT_EQ(states_read(snapshot_bytes(field, {half, compressed})), std::nullopt);
      }
    }
  }
}

TEST(SnapshotOptimizer, HasTheKeysOfTinyCudaNnForEachNesting) {
  NeuralField field = tiny_field(FieldApplication::image, 1);
  const std::size_t count = field.parameters.size();
  const OptimizerStates states = random_states(field, 5);
  const auto written = [&] {
    return snapshot_json(field, {.half = true, .compressed = false, .optimizer = &states});
  };
  json all = written()["snapshot"]["optimizer"];
  EXPECT_EQ(binary_size(all["weights_ema_binary"]), 2 * count);
  EXPECT_EQ(all["nested"]["learning_rate"], 1e-3);
  EXPECT_EQ(all["nested"]["learning_rate_factor"], 1.0);
  const json adam = all["nested"]["nested"];
  EXPECT_EQ(adam["current_step"], 5);
  EXPECT_EQ(adam["base_learning_rate"], 1e-3);
  for (const char* key : {"first_moments_binary", "second_moments_binary", "param_steps_binary"}) {
    EXPECT_EQ(binary_size(adam[key]), 4 * count) << key;
  }
  field.config.optimizer->ema_decay.reset();
  all = written()["snapshot"]["optimizer"];
  EXPECT_FALSE(all.contains("weights_ema_binary"));
  EXPECT_EQ(all["nested"], adam);
  EXPECT_EQ(states_read(snapshot_bytes(field, {true, true, &states})), states);
  field.config.optimizer->decay.reset();
  EXPECT_EQ(written()["snapshot"]["optimizer"], adam);
  EXPECT_EQ(states_read(snapshot_bytes(field, {true, true, &states})), states);
}

TEST(SnapshotOptimizer, OlderFilesHaveNoNumbersOfUpdates) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 1);
  OptimizerStates states = random_states(field, 5);
  json all = snapshot_json(field, {.half = true, .compressed = false, .optimizer = &states});
  all["snapshot"]["optimizer"]["nested"]["nested"].erase("param_steps_binary");
  std::ranges::fill(states.field.updates, 0u);
  EXPECT_EQ(states_read(packed_snapshot(all)), states);
}

TEST(SnapshotOptimizer, AFileWithoutTheConfigurationOfItsOptimiserIsConverted) {
  for (const FieldApplication application :
       {FieldApplication::sdf, FieldApplication::image, FieldApplication::volume}) {
    const NeuralField field = tiny_field(application, 1);
    const OptimizerStates states = random_states(field, 5);
    json all = snapshot_json(field, {.half = true, .compressed = false, .optimizer = &states});
    all.erase("optimizer");
    const std::string content = packed_snapshot(all);
    const NeuralField read = snapshot_read(content);
    EXPECT_FALSE(read.config.optimizer.has_value());
    const std::string converted = snapshot_bytes(read, {true, true, &states});
    EXPECT_EQ(states_read(content), states);
    EXPECT_EQ(states_read(converted), states);
    EXPECT_EQ(snapshot_read(converted).parameters, read.parameters);
  }
}

/// A NeRF with two rounds of proposals and the latents of three photographs.
NeuralField field_with_everything() {
  const FieldConfig config = with_latents(tiny_field_config(FieldApplication::nerf), 2);
  NeuralField field = tiny_field(FieldApplication::nerf, config, 1);
  field.proposals = tiny_proposals();
  field.proposals->rounds[1].config.optimizer->ema_decay = 0.5;
  field.latents = {0.1f, 0.2f, -0.3f, 0.4f, 0.5f, -0.6f};
  return field;
}

TEST(SnapshotOptimizer, StatesOfProposalsAndLatentsComeBack) {
  const NeuralField field = field_with_everything();
  const OptimizerStates states = random_states(field, 9);
  ASSERT_EQ(states.proposals.size(), 2u);
  ASSERT_EQ(states.latents.size(), 3u);
  for (const bool half : {true, false}) {
    SCOPED_TRACE(half);
    const std::string content = snapshot_bytes(field, {half, half, &states});
    EXPECT_EQ(states_read(content), states);
    const NeuralField read = snapshot_read(content);
    EXPECT_EQ(read.latents, field.latents);
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_EQ(read.proposals->rounds[r].parameters, field.proposals->rounds[r].parameters);
    }
  }
  const json all = snapshot_json(field, {.half = true, .optimizer = &states})["snapshot"];
  const json &first = all["proposals"]["rounds"][0], &second = all["proposals"]["rounds"][1];
  EXPECT_EQ(first["optimizer_state"]["current_step"], 10);
  EXPECT_EQ(binary_size(second["optimizer_state"]["weights_ema_binary"]),
            2 * second["n_params"].get<std::size_t>());
  // Those of instant-ngp's optimiser of latents.
  const json& photograph = all["nerf"]["extra_dims_opt"][2];
  EXPECT_EQ(photograph["iter"], states.latents[2].steps);
  EXPECT_EQ(photograph["first_moment"].get<std::vector<double>>(), states.latents[2].first);
  EXPECT_EQ(photograph["second_moment"].get<std::vector<double>>(), states.latents[2].second);
  EXPECT_EQ(photograph["learning_rate"], 1e-4);
  EXPECT_EQ(photograph["epsilon"], 1e-8);
  EXPECT_EQ(photograph["beta1"], 0.9);
  EXPECT_EQ(photograph["beta2"], 0.99);
}

TEST(SnapshotOptimizer, FilesWithoutStatesOfProposalsAndLatentsAreRead) {
  const NeuralField field = field_with_everything();
  OptimizerStates states = random_states(field, 9);
  states.proposals.clear();
  states.latents.clear();
  EXPECT_EQ(states_read(snapshot_bytes(field, {true, true, &states})), states);
}

SnapshotStorage storage_of(const std::string& content) {
  const samples::TemporaryFile file(content, ".ingp");
  return read_snapshot_storage(InputFile(file.path()));
}

TEST(SnapshotStorage, TellsNumbersAndStates) {
  NeuralField field = field_with_everything();
  const std::size_t count = field.parameters.size();
  OptimizerStates states = random_states(field, 9);
  const SnapshotStorage none = storage_of(snapshot_bytes(field, {.half = false}));
  EXPECT_FALSE(none.half);
  EXPECT_FALSE(none.states.has_value());
  for (const bool half : {true, false}) {
    const SnapshotStorage found = storage_of(snapshot_bytes(field, {half, half, &states}));
    EXPECT_EQ(found.half, half);
    ASSERT_TRUE(found.states.has_value());
    EXPECT_EQ(found.states->step, 9u);
    EXPECT_EQ(found.states->first_moments, count);
    EXPECT_EQ(found.states->second_moments, count);
    EXPECT_EQ(found.states->averages, count);
    EXPECT_EQ(found.states->rounds, 2u);
    EXPECT_EQ(found.states->photographs, 3u);
  }
  field.config.optimizer->ema_decay.reset();
  states.proposals.clear();
  states.latents.clear();
  const SnapshotStorage fewer = storage_of(snapshot_bytes(field, {true, true, &states}));
  ASSERT_TRUE(fewer.states.has_value());
  EXPECT_EQ(fewer.states->first_moments, count);
  EXPECT_EQ(fewer.states->averages, 0u);
  EXPECT_EQ(fewer.states->rounds, 0u);
  EXPECT_EQ(fewer.states->photographs, 0u);
}

TEST(SnapshotStorage, AStateThatIsNoneOfAdamHasNoStep) {
  const NeuralField field = field_with_everything();
  const OptimizerStates states = random_states(field, 9);
  const json whole = snapshot_json(field, {.half = true, .optimizer = &states});
  const auto step_of = [&](const json& optimizer) {
    json all = whole;
    all["snapshot"]["optimizer"] = optimizer;
    const SnapshotStorage found = storage_of(packed_snapshot(all));
    EXPECT_TRUE(found.states.has_value());
    return found.states->step;
  };
  json adam = whole["snapshot"]["optimizer"]["nested"]["nested"];
  EXPECT_EQ(step_of(adam), 9u);
  EXPECT_EQ(step_of({{"momentum", 0.5}, {"current_step", 9}}), std::nullopt);
  EXPECT_EQ(step_of(json::array({1})), std::nullopt);
  adam["current_step"] = "nine";
  EXPECT_EQ(step_of(adam), std::nullopt);
}

TEST(SnapshotOptimizer, TheLargestValuesComeBack) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 1);
  OptimizerStates states = random_states(field, 5);
  OptimizerState& state = states.field;
  state.step = 1u << 31;
  state.first[0] = 1e18f;
  state.first[1] = -1e18f;
  state.second[0] = 1e36f;
  state.updates[0] = state.step;
  EXPECT_EQ(states_read(snapshot_bytes(field, {true, true, &states})), states);
}

class BrokenStates : public testing::Test {
 protected:
  const NeuralField field_ = tiny_field(FieldApplication::image, 1);
  const OptimizerStates states_ = random_states(field_, 5);

  json whole(const OptimizerStates& states) const {
    return snapshot_json(field_, {.half = true, .compressed = false, .optimizer = &states});
  }
  /// With a changed state of the field.
  json whole(const OptimizerState& state) const { return whole(OptimizerStates{.field = state}); }
  static json& optimizer(json& all) { return all["snapshot"]["optimizer"]; }
  static json& adam(json& all) { return optimizer(all)["nested"]["nested"]; }

  /// The state is refused. The field itself is read.
  static void expect_refusal(const json& all, std::initializer_list<const char*> phrases) {
    const std::string content = packed_snapshot(all);
    const Error error = thrown_by([&] { states_read(content); });
    const std::string message = error.what();
    EXPECT_NE(error.where().find(".ingp, snapshot"), std::string::npos) << message;
    EXPECT_FALSE(error.remedy().empty()) << message;
    for (const char* phrase : phrases) {
      EXPECT_NE(message.find(phrase), std::string::npos) << phrase << " in " << message;
    }
    EXPECT_EQ(snapshot_read(content).warnings.size(), 1u);
  }
};

TEST_F(BrokenStates, EachMissingKeyIsNamed) {
  for (const char* key : {"first_moments_binary", "second_moments_binary", "current_step"}) {
    json all = whole(states_);
    adam(all).erase(key);
    expect_refusal(all, {"optimizer", key, "missing"});
  }
  json all = whole(states_);
  optimizer(all).erase("weights_ema_binary");
  expect_refusal(all, {"optimizer", "weights_ema_binary", "missing"});
  all = whole(states_);
  optimizer(all)["nested"].erase("nested");
  expect_refusal(all, {"optimizer, nested, current_step", "missing"});
}

TEST_F(BrokenStates, EachValueOfAnotherTypeOrSizeIsNamed) {
  for (const char* key : {"first_moments_binary", "second_moments_binary", "param_steps_binary"}) {
    for (const json& value : {json(7), json("text"), json::array({1}), json::object({{"x", 1}})}) {
      json all = whole(states_);
      adam(all)[key] = value;
      expect_refusal(all, {key, "expected a binary value"});
    }
    json all = whole(states_);
    auto& bytes = adam(all)[key].get_binary();
    bytes.resize(bytes.size() - 4);
    expect_refusal(all, {key, "bytes, found"});
  }
  json all = whole(states_);
  optimizer(all)["weights_ema_binary"].get_binary().push_back(0);
  expect_refusal(all, {"weights_ema_binary", "bytes, found"});
  all = whole(states_);
  optimizer(all)["nested"] = 7;
  expect_refusal(all, {"optimizer, nested", "expected an object"});
  all = whole(states_);
  optimizer(all) = json::array({1});
  expect_refusal(all, {"optimizer", "expected an object"});
  for (const json& step : {json(-1), json(1.5), json(1e10), json(2147483649u), json("5")}) {
    all = whole(states_);
    adam(all)["current_step"] = step;
    expect_refusal(all, {"current_step"});
  }
  all = whole(states_);
  optimizer(all)["nested"]["learning_rate_factor"] = -1;
  expect_refusal(all, {"learning_rate_factor", "from 0 on"});
}

TEST_F(BrokenStates, ImpossibleValuesAreCounted) {
  OptimizerState state = states_.field;
  state.first[3] = std::numeric_limits<float>::infinity();
  expect_refusal(whole(state), {"first_moments_binary", "1 of", "not finite"});
  state = states_.field;
  state.second[0] = std::numeric_limits<float>::quiet_NaN();
  expect_refusal(whole(state), {"second_moments_binary", "1 of", "not finite"});
  state = states_.field;
  state.second[0] = state.second[1] = -1;
  expect_refusal(whole(state), {"second_moments_binary", "2 of", "below 0"});
  state = states_.field;
  state.first[0] = 1.01e18f;
  state.first[1] = -1.01e18f;
  expect_refusal(whole(state), {"first_moments_binary", "2 of", "beyond 1e+18 in size"});
  state = states_.field;
  state.second[2] = 1.01e36f;
  expect_refusal(whole(state), {"second_moments_binary", "1 of", "above 1.001e+36"});
  state = states_.field;
  state.updates[7] = 6;
  expect_refusal(whole(state), {"param_steps_binary", "1 of", "above current_step, 5"});
}

TEST_F(BrokenStates, ThoseOfProposalsAndLatentsAreNamed) {
  const NeuralField field = field_with_everything();
  const OptimizerStates states = random_states(field, 5);
  const json complete = snapshot_json(field, {.half = true, .optimizer = &states});
  const auto expect_error = [&](const auto& change, std::initializer_list<const char*> phrases) {
    json all = complete;
    change(all["snapshot"]);
    expect_refusal(all, phrases);
  };
  const auto round = [](json& all) -> json& { return all["proposals"]["rounds"][1]; };
  const auto photograph = [](json& all) -> json& { return all["nerf"]["extra_dims_opt"][1]; };
  expect_error([&](json& all) { round(all).erase("optimizer_state"); },
               {"round 1", "optimizer_state", "missing"});
  expect_error([&](json& all) { round(all)["optimizer_state"].erase("weights_ema_binary"); },
               {"proposals/rounds/1/optimizer_state/weights_ema_binary", "missing"});
  expect_error(
      [&](json& all) {
        round(all)["optimizer_state"]["nested"]["first_moments_binary"].get_binary().pop_back();
      },
      {"proposals/rounds/1/optimizer_state/nested/first_moments_binary", "bytes, found"});
  expect_error([&](json& all) { round(all)["optimizer_state"]["nested"]["current_step"] = 0; },
               {"rounds/1", "param_steps_binary", "above current_step, 0"});
  for (const char* key : {"iter", "first_moment", "second_moment"}) {
    expect_error([&](json& all) { photograph(all).erase(key); }, {"photograph 1", key, "missing"});
    expect_error([&](json& all) { photograph(all)[key] = "x"; }, {"photograph 1", key});
  }
  expect_error(
      [&](json& all) {
        photograph(all)["first_moment"] = {1, 2, 3};
      },
      {"photograph 1", "first_moment", "2 numbers"});
  expect_error(
      [&](json& all) {
        photograph(all)["first_moment"] = {1, -1.5e18};
      },
      {"photograph 1", "first_moment", "up to 1e+18 in size"});
  expect_error(
      [&](json& all) {
        photograph(all)["second_moment"] = {1, -0.5};
      },
      {"photograph 1", "second_moment", "from 0 to 1.001e+36"});
  expect_error([&](json& all) { photograph(all)["iter"] = -1; }, {"photograph 1", "iter"});
}

TEST_F(BrokenStates, ATruncatedFileIsRefused) {
  const std::string content = snapshot_bytes(field_, {true, true, &states_});
  for (const std::size_t size : {content.size() - 1, content.size() / 2}) {
    const Error error = thrown_by([&] { states_read(content.substr(0, size)); });
    EXPECT_NE(error.where().find(".ingp"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mote
