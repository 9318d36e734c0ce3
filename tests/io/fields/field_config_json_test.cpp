// Configurations as JSON: the inverse of their reader.
#include "io/fields/field_config_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/error.h"
#include "io/fields/field_config_file.h"
#include "support/field_configurations.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using nlohmann::json;

/// The configuration that the reader finds in the JSON.
FieldConfig read(const json& value, int inputs) {
  const ConfigText text(value, "test");
  return read_field_config_part(ConfigObject(text.top(), text, ""),
                                {.position = inputs, .direction = 3});
}

/// Expects that `value`, with all its keys written out, is read and written unchanged.
void expect_kept(const json& value, int inputs = 3) {
  EXPECT_EQ(field_config_json(read(value, inputs)), value);
}

TEST(FieldConfigJson, KeepsEachEncoding) {
  const char* kEncodings[] = {
      R"({"otype": "HashGrid", "n_levels": 3, "n_features_per_level": 4, "log2_hashmap_size": 7,
          "base_resolution": 5, "interpolation": "Smoothstep", "per_level_scale": 1.625})",
      R"({"otype": "DenseGrid", "n_levels": 3, "n_features_per_level": 1, "log2_hashmap_size": 7,
          "base_resolution": 5, "interpolation": "Nearest"})",
      R"({"otype": "TiledGrid", "n_levels": 3, "n_features_per_level": 8, "log2_hashmap_size": 7,
          "base_resolution": 5, "interpolation": "Linear"})",
      R"({"otype": "Frequency", "n_frequencies": 5})",
      R"({"otype": "TriangleWave", "n_frequencies": 6})",
      R"({"otype": "OneBlob", "n_bins": 7})",
      R"({"otype": "SphericalHarmonics", "degree": 3})",
      R"({"otype": "Identity", "scale": 2.5, "offset": -1.0})",
      R"({"otype": "Empty"})"};
  for (const char* encoding : kEncodings) {
    expect_kept({{"encoding", json::parse(encoding)}});
    expect_kept({{"dir_encoding", json::parse(encoding)}});
  }
  expect_kept({{"encoding", json::parse(R"({"otype": "Composite", "nested": [
      {"otype": "OneBlob", "n_bins": 7, "n_dims_to_encode": 2, "dims_to_encode_begin": 3},
      {"otype": "Identity", "scale": 1.0, "offset": 0.0, "n_dims_to_encode": 3,
       "dims_to_encode_begin": 0}]})")}},
              5);
}

TEST(FieldConfigJson, KeepsPartsThatShareInputsAndLeaveSomeOut) {
  const auto kept = [](std::vector<EncodingPart> parts) {
    FieldConfig config;
    config.encoding = {.parts = std::move(parts)};
    expect_kept(field_config_json(config));
  };
  for (const auto& [name, parts] : part_lists()) {
    SCOPED_TRACE(name);
    kept(parts);
  }
  kept({grid_part(2, 1, kSmallGrid), {Frequency{2}, 2, 1}});  // nothing has the first input
}

TEST(FieldConfigJson, KeepsEachActivationAndLoss) {
  for (const std::string_view name : kActivationNames) {
    for (const auto& [type, width] : {std::pair("FullyFusedMLP", 64), {"CutlassMLP", 48}}) {
      const json network = {{"otype", type},
                            {"activation", name},
                            {"output_activation", name},
                            {"n_neurons", width},
                            {"n_hidden_layers", 3}};
      expect_kept({{"network", network}, {"rgb_network", network}});
    }
    expect_kept({{"network",
                  {{"otype", "CutlassMLP"},
                   {"activation", name},
                   {"output_activation", name},
                   {"n_neurons", 64},
                   {"n_hidden_layers", 0}}}});
    expect_kept(
        {{"network", {{"otype", "GaussianRBF"}, {"output_activation", name}, {"n_neurons", 20}}}});
  }
  for (const std::string_view name : kFieldLossNames) expect_kept({{"loss", {{"otype", name}}}});
}

TEST(FieldConfigJson, KeepsEachOptimizer) {
  const json adam = json::parse(R"({"otype": "Adam", "learning_rate": 0.25, "beta1": 0.5,
      "beta2": 0.75, "epsilon": 1e-15, "l2_reg": 1e-7})");
  const json decay = {{"otype", "ExponentialDecay"}, {"decay_base", 0.5}, {"decay_start", 3},
                      {"decay_interval", 4},         {"decay_end", 5},    {"nested", adam}};
  for (const json& inner : {adam, decay}) {
    expect_kept({{"optimizer", inner}});
    expect_kept({{"optimizer", {{"otype", "Ema"}, {"decay", 0.125}, {"nested", inner}}}});
  }
}

TEST(FieldConfigJson, KeepsTheActivationOfTheDensity) {
  expect_kept({{"density_activation", {{"otype", "Softplus"}, {"alpha_init", 0.125}}}});
  EXPECT_EQ(field_config_json(read({{"density_activation", {{"otype", "Exponential"}}}}, 3)),
            json::object());
}

TEST(FieldConfigJson, PartsThatAreNotBuiltAreRefusedByTheirNames) {
  const auto expect_refused = [](const json& value, const std::string& key,
                                 const std::string& words) {
    SCOPED_TRACE(value.dump());
    const Error error = thrown_by([&] { read(value, 3); });
    EXPECT_NE(error.problem().find(key + ": " + words), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  };
  const auto not_built = [](const std::string& name) { return name + " is not built into Mote"; };
  expect_refused({{"encoding", {{"otype", "Takikawa"}}}}, "encoding/otype", not_built("Takikawa"));
  for (const char* hash : {"Prime", "ReversedPrime", "Rng", "BaseConvert"}) {
    expect_refused({{"encoding", {{"otype", "HashGrid"}, {"hash", hash}}}}, "encoding/hash",
                   not_built(hash));
  }
  for (const char* key : {"stochastic_interpolation", "fixed_point_pos"}) {
    expect_refused({{"encoding", {{"otype", "HashGrid"}, {key, true}}}},
                   std::string("encoding/") + key, "is not built into Mote");
    read({{"encoding", {{"otype", "HashGrid"}, {key, false}}}}, 3);
  }
  for (const char* name :
       {"Novograd", "SGD", "Shampoo", "Average", "Batched", "Composite", "Lookahead"}) {
    expect_refused({{"optimizer", {{"otype", name}}}}, "optimizer/otype", not_built(name));
    expect_refused({{"optimizer", {{"otype", "EMA"}, {"nested", {{"otype", name}}}}}},
                   "optimizer/nested/otype", not_built(name));
  }
  for (const auto& [key, value] :
       {std::pair("relative_decay", json(0.1)), {"absolute_decay", 0.1}, {"adabound", true}}) {
    expect_refused({{"optimizer", {{"otype", "Adam"}, {key, value}}}},
                   std::string("optimizer/") + key, "is not built into Mote");
  }
}

TEST(FieldConfigJson, ErrorsNameTheKeyAndTheFile) {
  try {
    read({{"encoding", {{"otype", "HashGrid"}, {"n_levels", "many"}}}}, 3);
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("encoding/n_levels"), std::string::npos);
    EXPECT_EQ(error.where(), "test");
  }
}

}  // namespace
}  // namespace mote
