// States of optimisers in snapshots: round trips, the keys of tiny-cuda-nn, and broken files.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>

#include "core/error.h"
#include "snapshot_fixture.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using nlohmann::json;

std::optional<OptimizerState> state_read(const std::string& content) {
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
    const OptimizerState state = random_state(field.parameters.size(), 777);
    for (const bool half : {true, false}) {
      for (const bool compressed : {true, false}) {
        SCOPED_TRACE(testing::Message()
                     << kFieldApplicationNames[static_cast<std::size_t>(application)] << half
                     << compressed);
        const std::string with = snapshot_bytes(field, {half, compressed, &state});
        EXPECT_EQ(state_read(with), state);
        const NeuralField read = snapshot_read(with);
        EXPECT_EQ(read.parameters, snapshot_read(snapshot_bytes(field, {half})).parameters);
        ASSERT_EQ(read.warnings.size(), 1u);
        EXPECT_NE(read.warnings[0].find("optimiser is not read"), std::string::npos);
        EXPECT_EQ(state_read(snapshot_bytes(field, {half, compressed})), std::nullopt);
      }
    }
  }
}

TEST(SnapshotOptimizer, HasTheKeysOfTinyCudaNnForEachNesting) {
  NeuralField field = tiny_field(FieldApplication::image, 1);
  const std::size_t count = field.parameters.size();
  const OptimizerState state = random_state(count, 5);
  const auto written = [&] {
    return snapshot_json(field, {.half = true, .compressed = false, .optimizer = &state});
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
  EXPECT_EQ(state_read(snapshot_bytes(field, {true, true, &state})), state);
  field.config.optimizer->decay.reset();
  EXPECT_EQ(written()["snapshot"]["optimizer"], adam);
  EXPECT_EQ(state_read(snapshot_bytes(field, {true, true, &state})), state);
}

TEST(SnapshotOptimizer, OlderFilesHaveNoNumbersOfUpdates) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 1);
  OptimizerState state = random_state(field.parameters.size(), 5);
  json all = snapshot_json(field, {.half = true, .compressed = false, .optimizer = &state});
  all["snapshot"]["optimizer"]["nested"]["nested"].erase("param_steps_binary");
  std::ranges::fill(state.updates, 0u);
  EXPECT_EQ(state_read(packed_snapshot(all)), state);
}

TEST(SnapshotOptimizer, AFileWithoutTheConfigurationOfItsOptimiserIsConverted) {
  for (const FieldApplication application :
       {FieldApplication::sdf, FieldApplication::image, FieldApplication::volume}) {
    const NeuralField field = tiny_field(application, 1);
    const OptimizerState state = random_state(field.parameters.size(), 5);
    json all = snapshot_json(field, {.half = true, .compressed = false, .optimizer = &state});
    all.erase("optimizer");
    const std::string content = packed_snapshot(all);
    const NeuralField read = snapshot_read(content);
    EXPECT_FALSE(read.config.optimizer.has_value());
    const std::string converted = snapshot_bytes(read, {true, true, &state});
    EXPECT_EQ(state_read(content), state);
    EXPECT_EQ(state_read(converted), state);
    EXPECT_EQ(snapshot_read(converted).parameters, read.parameters);
  }
}

TEST(SnapshotOptimizer, TheLargestValuesComeBack) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 1);
  OptimizerState state = random_state(field.parameters.size(), 5);
  state.step = 1u << 31;
  state.first[0] = 1e18f;
  state.first[1] = -1e18f;
  state.second[0] = 1e36f;
  state.updates[0] = state.step;
  EXPECT_EQ(state_read(snapshot_bytes(field, {true, true, &state})), state);
}

class BrokenStates : public testing::Test {
 protected:
  const NeuralField field_ = tiny_field(FieldApplication::image, 1);
  const OptimizerState state_ = random_state(field_.parameters.size(), 5);

  json whole(const OptimizerState& state) const {
    return snapshot_json(field_, {.half = true, .compressed = false, .optimizer = &state});
  }
  static json& optimizer(json& all) { return all["snapshot"]["optimizer"]; }
  static json& adam(json& all) { return optimizer(all)["nested"]["nested"]; }

  /// The state is refused. The field itself is read.
  static void expect_refusal(const json& all, std::initializer_list<const char*> phrases) {
    const std::string content = packed_snapshot(all);
    const Error error = thrown_by([&] { state_read(content); });
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
    json all = whole(state_);
    adam(all).erase(key);
    expect_refusal(all, {"optimizer", key, "missing"});
  }
  json all = whole(state_);
  optimizer(all).erase("weights_ema_binary");
  expect_refusal(all, {"optimizer", "weights_ema_binary", "missing"});
  all = whole(state_);
  optimizer(all)["nested"].erase("nested");
  expect_refusal(all, {"optimizer, nested, current_step", "missing"});
}

TEST_F(BrokenStates, EachValueOfAnotherTypeOrSizeIsNamed) {
  for (const char* key : {"first_moments_binary", "second_moments_binary", "param_steps_binary"}) {
    for (const json& value : {json(7), json("text"), json::array({1}), json::object({{"x", 1}})}) {
      json all = whole(state_);
      adam(all)[key] = value;
      expect_refusal(all, {key, "expected a binary value"});
    }
    json all = whole(state_);
    auto& bytes = adam(all)[key].get_binary();
    bytes.resize(bytes.size() - 4);
    expect_refusal(all, {key, "bytes, found"});
  }
  json all = whole(state_);
  optimizer(all)["weights_ema_binary"].get_binary().push_back(0);
  expect_refusal(all, {"weights_ema_binary", "bytes, found"});
  all = whole(state_);
  optimizer(all)["nested"] = 7;
  expect_refusal(all, {"optimizer, nested", "expected an object"});
  all = whole(state_);
  optimizer(all) = json::array({1});
  expect_refusal(all, {"optimizer", "expected an object"});
  for (const json& step : {json(-1), json(1.5), json(1e10), json(2147483649u), json("5")}) {
    all = whole(state_);
    adam(all)["current_step"] = step;
    expect_refusal(all, {"current_step"});
  }
  all = whole(state_);
  optimizer(all)["nested"]["learning_rate_factor"] = -1;
  expect_refusal(all, {"learning_rate_factor", "from 0 on"});
}

TEST_F(BrokenStates, ImpossibleValuesAreCounted) {
  OptimizerState state = state_;
  state.first[3] = std::numeric_limits<float>::infinity();
  expect_refusal(whole(state), {"first_moments_binary", "1 of", "not finite"});
  state = state_;
  state.second[0] = std::numeric_limits<float>::quiet_NaN();
  expect_refusal(whole(state), {"second_moments_binary", "1 of", "not finite"});
  state = state_;
  state.second[0] = state.second[1] = -1;
  expect_refusal(whole(state), {"second_moments_binary", "2 of", "below 0"});
  state = state_;
  state.first[0] = 1.01e18f;
  state.first[1] = -1.01e18f;
  expect_refusal(whole(state), {"first_moments_binary", "2 of", "beyond 1e+18 in size"});
  state = state_;
  state.second[2] = 1.01e36f;
  expect_refusal(whole(state), {"second_moments_binary", "1 of", "above 1.001e+36"});
  state = state_;
  state.updates[7] = 6;
  expect_refusal(whole(state), {"param_steps_binary", "1 of", "above current_step, 5"});
}

TEST_F(BrokenStates, ATruncatedFileIsRefused) {
  const std::string content = snapshot_bytes(field_, {true, true, &state_});
  for (const std::size_t size : {content.size() - 1, content.size() / 2}) {
    const Error error = thrown_by([&] { state_read(content.substr(0, size)); });
    EXPECT_NE(error.where().find(".ingp"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mote
