// Configurations of neural fields: values, defaults, parents and comments; and messages about
// mistakes, which name the key and its line.
#include "io/fields/field_config_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// As instant-ngp's configuration of radiance fields.
constexpr const char* kRadianceField = R"({
  "loss": {"otype": "Huber"},
  "optimizer": {
    "otype": "Ema", "decay": 0.95,
    "nested": {
      "otype": "ExponentialDecay", "decay_start": 20000, "decay_interval": 10000, "decay_base": 0.33,
      "nested": {"otype": "Adam", "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99,
                 "epsilon": 1e-15, "l2_reg": 1e-6}
    }
  },
  "encoding": {"otype": "HashGrid", "n_levels": 8, "n_features_per_level": 4,
               "log2_hashmap_size": 19, "base_resolution": 16},
  "network": {"otype": "FullyFusedMLP", "activation": "ReLU", "output_activation": "None",
              "n_neurons": 64, "n_hidden_layers": 1},
  "dir_encoding": {
    "otype": "Composite",
    "nested": [
      {"n_dims_to_encode": 3, "otype": "SphericalHarmonics", "degree": 4},
      {"otype": "Identity", "n_bins": 4, "degree": 4} // for latents
    ]
  },
  "rgb_network": {"otype": "FullyFusedMLP", "activation": "ReLU", "output_activation": "None",
                  "n_neurons": 64, "n_hidden_layers": 2},
  "distortion_map": {"resolution": [32, 32]},
  "envmap": {"loss": {"otype": "RelativeL2"}}
})";

class FieldConfigFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("mote_field_config_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  FieldConfig read(const std::string& text, const FieldInputs& inputs = {}) const {
    return read_field_config(write("config.json", text), inputs);
  }
  void expect_refusal(const std::string& text, std::initializer_list<const char*> phrases) const {
    try {
      read(text);
      ADD_FAILURE() << "was accepted: " << text;
    } catch (const Error& error) {
      for (const char* phrase : phrases) {
        EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos)
            << phrase << " in " << error.what();
      }
    }
  }

  fs::path folder_;
};

TEST_F(FieldConfigFile, ReadsInstantNgpsRadianceField) {
  const FieldConfig config = read(kRadianceField);
  ASSERT_TRUE(config.encoding && config.direction_encoding && config.network &&
              config.color_network && config.loss && config.optimizer);
  const auto& grid = std::get<GridEncoding>(config.encoding->parts.at(0).kind);
  EXPECT_EQ(grid.grid.levels, 8);
  EXPECT_EQ(grid.grid.features, 4);
  EXPECT_FALSE(grid.has_growth);
  EXPECT_EQ(config.encoding->outputs(), 32);
  EXPECT_EQ(config.encoding->parameters(), 11'681'792u) << "with a growth of 2";
  ASSERT_EQ(config.direction_encoding->parts.size(), 1u) << "no inputs are left for Identity";
  EXPECT_EQ(config.direction_encoding->padded_outputs(), 16);
  EXPECT_EQ(config.network->neurons, 64);
  EXPECT_EQ(config.color_network->hidden_layers, 2);
  EXPECT_EQ(*config.loss, FieldLoss::huber);
  EXPECT_EQ(config.optimizer->ema_decay, 0.95);
  EXPECT_EQ(config.optimizer->decay->base, 0.33);
  EXPECT_EQ(config.optimizer->decay->start, 20000);
  EXPECT_EQ(config.optimizer->learning_rate, 1e-2);
  EXPECT_EQ(config.optimizer->l2_regularization, 1e-6);
}

TEST_F(FieldConfigFile, LatentsFollowTheDirection) {
  const FieldConfig config = read(kRadianceField, {.position = 3, .direction = 7});
  ASSERT_EQ(config.direction_encoding->parts.size(), 2u);
  EXPECT_EQ(config.direction_encoding->parts[1].first_input, 3);
  EXPECT_EQ(config.direction_encoding->parts[1].inputs, 4);
  EXPECT_EQ(config.direction_encoding->outputs(), 20);
}

TEST_F(FieldConfigFile, HasTinyCudaNnsDefaults) {
  const FieldConfig config =
      read(R"({"encoding": {"otype": "hashgrid"}, "network": {}, "optimizer": {}})");
  const auto& grid = std::get<GridEncoding>(config.encoding->parts[0].kind).grid;
  EXPECT_EQ(grid, (GridConfig{.levels = 16, .features = 2, .per_level_scale = 2}));
  EXPECT_EQ(config.network->neurons, 128);
  EXPECT_EQ(config.network->hidden_layers, 5);
  EXPECT_EQ(config.optimizer->learning_rate, 1e-3);
  EXPECT_EQ(config.optimizer->beta2, 0.999);
  EXPECT_FALSE(config.optimizer->ema_decay);
}

TEST_F(FieldConfigFile, ReadsEachEncoding) {
  const struct {
    const char* text;
    int outputs;
  } kCases[] = {{R"({"otype": "Frequency", "n_frequencies": 6})", 36},
                {R"({"otype": "TriangleWave", "n_frequencies": 6})", 18},
                {R"({"otype": "OneBlob", "n_bins": 8})", 24},
                {R"({"otype": "SphericalHarmonics", "degree": 8})", 64},
                {R"({"otype": "Identity", "scale": 2, "offset": 1})", 3},
                {R"({"otype": "Empty"})", 0},
                {R"({"otype": "DenseGrid", "n_levels": 3})", 6},
                {R"({"otype": "TiledGrid", "n_features": 32, "n_features_per_level": 8})", 32},
                {R"({"otype": "Grid", "type": "Dense", "n_levels": 2})", 4},
                {R"({"otype": "OneBlobFrequency", "n_frequencies": 12})", 36},
                {R"({"otype": "NRC"})", 36}};
  for (const auto& [text, outputs] : kCases) {
    const FieldConfig config = read(std::string(R"({"encoding": )") + text + "}");
    EXPECT_EQ(config.encoding->outputs(), outputs) << text;
  }
}

TEST_F(FieldConfigFile, OneBlobFrequencyHasWavesThenBlobsThenTheOtherInputs) {
  const FieldConfig config =
      read(R"({"dir_encoding": {"otype": "NRC"}})", {.position = 3, .direction = 11});
  const std::vector<EncodingPart>& parts = config.direction_encoding->parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(std::get<TriangleWave>(parts[0].kind).frequencies, 12);
  EXPECT_EQ(std::get<OneBlob>(parts[1].kind).bins, 4);
  EXPECT_EQ(parts[1].inputs, 5);
  EXPECT_EQ(std::get<Identity>(parts[2].kind).scale, 1);
  EXPECT_EQ(parts[2].first_input, 8);
}

TEST_F(FieldConfigFile, GridsWithoutAGrowthAreCheckedWhenTheyHaveOne) {
  FieldConfig config = read(R"({"encoding": {"otype": "DenseGrid", "n_levels": 16}})");
  set_missing_growth(*config.encoding, 64);
  EXPECT_GT(config.encoding->parameters(), 0u);
  std::get<GridEncoding>(config.encoding->parts[0].kind).has_growth = false;
  set_missing_growth(*config.encoding, 8192);
  EXPECT_EQ(thrown_by([&] { config.encoding->parameters(); }).where(), "encoding");
}

// instant-ngp derives the growth of a grid from the data only where it is the whole encoding.
TEST_F(FieldConfigFile, GridsOfACompositeHaveTinyCudaNnsGrowth) {
  const FieldConfig config = read(R"({"encoding": {"otype": "Composite", "nested": [
      {"otype": "HashGrid", "n_dims_to_encode": 3, "dims_to_encode_begin": 0},
      {"otype": "DenseGrid", "n_dims_to_encode": 2, "dims_to_encode_begin": 1, "n_levels": 3}]}})");
  ASSERT_EQ(config.encoding->parts.size(), 2u);
  const auto& hash = std::get<GridEncoding>(config.encoding->parts[0].kind);
  const auto& dense = std::get<GridEncoding>(config.encoding->parts[1].kind);
  EXPECT_TRUE(hash.has_growth && dense.has_growth);
  EXPECT_EQ(hash.grid.per_level_scale, 2);
  EXPECT_NEAR(dense.grid.per_level_scale, 4, 1e-12) << "from 16 to 256 points per axis";
}

TEST_F(FieldConfigFile, ReadsEachActivationAndLoss) {
  for (const std::string_view name : kActivationNames) {
    const FieldConfig config =
        read(R"({"network": {"activation": ")" + std::string(name) + R"("}})");
    EXPECT_EQ(kActivationNames[static_cast<std::size_t>(config.network->activation)], name);
  }
  for (const std::string_view name : kFieldLossNames) {
    const FieldConfig config = read(R"({"loss": {"otype": ")" + std::string(name) + R"("}})");
    EXPECT_EQ(kFieldLossNames[static_cast<std::size_t>(*config.loss)], name);
  }
}

TEST_F(FieldConfigFile, ReadsNetworksOfAnyWidth) {
  for (const std::string name : {"CutlassMLP", "MLP"}) {
    for (const int neurons : {20, 512, 16384}) {
      const FieldConfig config = read(R"({"network": {"otype": ")" + name + R"(", "n_neurons": )" +
                                      std::to_string(neurons) + "}}");
      EXPECT_EQ(config.network->neurons, neurons);
    }
  }
}

TEST_F(FieldConfigFile, ReadsLayersOfGaussians) {
  const FieldConfig config = read(R"({"network": {"otype": "GaussianRBF", "n_neurons": 96}})");
  EXPECT_EQ(config.network->kind, NetworkKind::gaussians);
  EXPECT_EQ(config.network->neurons, 96);
  expect_refusal(R"({"network": {"otype": "GaussianRBF", "n_hidden_layers": 2}})",
                 {"network/n_hidden_layers", "not a key"});
}

TEST_F(FieldConfigFile, ReadsTheActivationOfTheDensity) {
  EXPECT_EQ(read("{}").density.kind, DensityKind::exponential);
  const FieldConfig config = read(R"({"density_activation": {"otype": "softplus"}})");
  EXPECT_EQ(config.density.kind, DensityKind::softplus);
  EXPECT_EQ(config.density.alpha, 0.01);
  EXPECT_EQ(
      read(R"({"density_activation": {"otype": "Softplus", "alpha_init": 1e-6}})").density.alpha,
      1e-6);
  expect_refusal("{\n\"density_activation\": {\"otype\": \"ReLU\"}}",
                 {"density_activation/otype", "line 2", "'relu' is not known", "Softplus"});
  for (const char* alpha : {"0", "1", "-0.5"}) {
    expect_refusal("{\"density_activation\": {\"otype\": \"Softplus\",\n\"alpha_init\": " +
                       std::string(alpha) + "}}",
                   {"density_activation/alpha_init", "line 2"});
  }
  expect_refusal(R"({"density_activation": {"otype": "Exponential", "alpha_init": 0.5}})",
                 {"density_activation/alpha_init", "not a key"});
}

TEST_F(FieldConfigFile, AFileOverridesItsParent) {
  write("base.json", kRadianceField);
  const FieldConfig config = read(R"({"parent": "base.json", "encoding": {"n_levels": 4}})");
  const auto& grid = std::get<GridEncoding>(config.encoding->parts[0].kind).grid;
  EXPECT_EQ(grid.levels, 4);
  EXPECT_EQ(grid.features, 4);
  EXPECT_EQ(config.network->neurons, 64);
}

TEST_F(FieldConfigFile, KeysOfAReplacedTypeHaveNoEffect) {
  write("base.json", kRadianceField);
  write("middle.json", R"({"parent": "base.json", "encoding": {"n_levels": 4, "n_bins": 3}})");
  const FieldConfig config = read(R"({"parent": "middle.json",
      "encoding": {"otype": "Frequency", "n_frequencies": 6},
      "dir_encoding": {"otype": "OneBlob"},
      "optimizer": {"otype": "Adam", "learning_rate": 0.5}})");
  EXPECT_EQ(std::get<Frequency>(config.encoding->parts.at(0).kind).frequencies, 6);
  EXPECT_EQ(std::get<OneBlob>(config.direction_encoding->parts.at(0).kind).bins, 16);
  EXPECT_EQ(config.optimizer->learning_rate, 0.5);
  EXPECT_FALSE(config.optimizer->decay || config.optimizer->ema_decay);
}

TEST_F(FieldConfigFile, KeysThatBothTypesHaveComeFromTheParent) {
  write("base.json", kRadianceField);
  const FieldConfig config = read(R"({"parent": "base.json", "encoding": {"otype": "TiledGrid"}})");
  EXPECT_EQ(std::get<GridEncoding>(config.encoding->parts.at(0).kind).grid.levels, 8);
}

TEST_F(FieldConfigFile, UnknownKeysAreRefusedUnlessTheirTypeIsReplaced) {
  write("base.json", kRadianceField);
  // Beside the new type.
  expect_refusal(
      "{\"parent\": \"base.json\",\n"
      "\"encoding\": {\"otype\": \"OneBlob\",\n\"n_level\": 3}}",
      {"encoding/n_level", "config.json, line 3", "not a key"});
  // The parent has the type that the file repeats.
  write("odd.json", "{\"encoding\": {\"otype\": \"HashGrid\",\n\"n_level\": 3}}");
  expect_refusal(R"({"parent": "odd.json", "encoding": {"otype": "hashgrid"}})",
                 {"encoding/n_level", "odd.json, line 2", "not a key"});
  // In a file that does not change the type.
  expect_refusal(R"({"parent": "base.json", "encoding": {"n_level": 3}})",
                 {"encoding/n_level", "config.json, line 1"});
}

TEST_F(FieldConfigFile, ReadsNetworksWithoutHiddenLayers) {
  for (const std::string name : {"CutlassMLP", "MLP"}) {
    const FieldConfig config =
        read(R"({"network": {"otype": ")" + name + R"(", "n_hidden_layers": 0}})");
    EXPECT_EQ(config.network->hidden_layers, 0);
  }
  for (const std::string name : {"FullyFusedMLP", "MegakernelMLP"}) {
    expect_refusal("{\"network\": {\"otype\": \"" + name + "\",\n\"n_hidden_layers\": 0}}",
                   {"network/n_hidden_layers", "line 2", "at least one", "use MLP"});
  }
}

TEST_F(FieldConfigFile, NamesTheKeyAndItsLine) {
  expect_refusal("{\n  \"encoding\": {\n    \"otype\": \"HashGrid\",\n    \"n_level\": 8}}",
                 {"encoding/n_level", "config.json, line 4", "not a key"});
  expect_refusal("{\"encoding\": {\"otype\": \"HashGrid\",\n\"n_levels\": \"many\"}}",
                 {"encoding/n_levels", "line 2", "expected a number"});
  expect_refusal("{\"encoding\": {\"otype\": \"HashGrid\",\n\"base_resolution\": 2e6}}",
                 {"encoding/base_resolution", "line 2", "from 1 to 1048576"});
  expect_refusal("{\"network\": {\"n_neurons\": 48,\n \"otype\": \"FullyFusedMLP\"}}",
                 {"network/n_neurons", "line 1", "16, 32, 64 or 128"});
  expect_refusal("{\n\"optimizer\": {\"otype\": \"Shampoo\"}}",
                 {"optimizer/otype", "line 2", "Shampoo is not built"});
  expect_refusal(
      "{\"dir_encoding\": {\"otype\": \"Composite\", \"nested\": [\n{\"otype\": \"No\"}]}}",
      {"dir_encoding/nested/0/otype", "line 2", "'no' is not known"});
  write("base.json", "{\n\n\"loss\": {\"otype\": \"L3\"}}");
  expect_refusal("{\"parent\": \"base.json\"}", {"loss/otype", "base.json, line 3"});
}

TEST_F(FieldConfigFile, AFileInAFolderNamedAsAKeyIsNoKey) {
  for (const char* key : {"network", "network/n_neurons", "encoding/nested/0/otype", "loss"}) {
    EXPECT_TRUE(is_field_config_key(key)) << key;
  }
  for (const char* place : {"network/own.json, line 3", "encoding/own.json", "loss/own, line 1",
                            "optimizer/a.ingp", "other/network", ""}) {
    EXPECT_FALSE(is_field_config_key(place)) << place;
  }
}

TEST_F(FieldConfigFile, RefusesBrokenFiles) {
  expect_refusal("", {"line 1", "is not valid JSON: it ends too early", "correct the file"});
  expect_refusal("{\"encoding\": {\n", {"line 2", "it ends too early"});
  expect_refusal("{\"encoding\":\n{\"otype\": \"HashGrid\",}}",
                 {"config.json, line 2", "is not valid JSON: unexpected '}'", "correct the file"});
  expect_refusal("{\n\n\"encoding\": {\"base_resolution\": 1e999}}",
                 {"config.json, line 3", "has a number that is too large", "correct the number"});
  expect_refusal("[1, 2]", {"not a JSON object"});
  expect_refusal("{\"encoding\": 3}", {"expected an object"});
  expect_refusal("{\"parent\": \"config.json\"}", {"more than 16 parents"});
  expect_refusal("{\"parent\": \"missing.json\"}", {"missing.json"});
  expect_refusal("{\"loss\": " + std::string(100000, '['), {"nested more than 64 deep"});
  EXPECT_THROW(read_field_config(folder_ / "none.json", {}), Error);
}

TEST_F(FieldConfigFile, PartsWithPlacesMayShareInputs) {
  const std::string planes = R"({"encoding": {"otype": "Composite", "nested": [
      {"otype": "Identity", "n_dims_to_encode": 2, "dims_to_encode_begin": 1},
      {"otype": "Identity", "n_dims_to_encode": 2, "dims_to_encode_begin": 0}PART]}})";
  const auto with = [&](const std::string& part) {
    std::string text = planes;
    return text.replace(text.find("PART"), 4, part);
  };
  const FieldConfig config = read(with(""));
  ASSERT_EQ(config.encoding->parts.size(), 2u);
  EXPECT_EQ(config.encoding->parts[0].first_input, 1);
  EXPECT_EQ(config.encoding->parts[1].first_input, 0);
  EXPECT_EQ(config.encoding->outputs(), 4);
  // A part without a place follows the one before.
  const FieldConfig more = read(with(R"(, {"otype": "Identity", "n_dims_to_encode": 1})"));
  EXPECT_EQ(more.encoding->parts.at(2).first_input, 2);
  expect_refusal(with(R"(, {"otype": "Identity"})"), {"encoding/nested", "4 of 3 inputs"});
  expect_refusal(with(R"(, {"otype": "Identity", "n_dims_to_encode": 2,
      "dims_to_encode_begin": 2})"),
                 {"encoding/nested/2/dims_to_encode_begin", "line 4", "from 0 to 1, found 2"});
  expect_refusal(with(R"(, {"otype": "Identity", "n_dims_to_encode": 2})"),
                 {"encoding/nested/2/dims_to_encode_begin", "is missing"});
}

TEST_F(FieldConfigFile, ACompositeHasAtMost64Parts) {
  const auto composite = [](int parts) {
    std::string text = R"({"encoding": {"otype": "Composite", "nested": [)";
    for (int i = 0; i < parts; ++i) {
      text += i > 0 ? ", " : "";
      text += R"({"otype": "Identity", "n_dims_to_encode": 1, "dims_to_encode_begin": 0})";
    }
    return text + "]}}";
  };
  EXPECT_EQ(read(composite(64)).encoding->parts.size(), 64u);
  expect_refusal(composite(65), {"encoding/nested", "line 1", "has 65 parts", "at most 64"});
}

TEST_F(FieldConfigFile, RefusesImpossibleValues) {
  expect_refusal(
      "{\"encoding\": {\"otype\": \"DenseGrid\", \"n_levels\": 16,\n"
      "\"per_level_scale\": 2}}",
      {"encoding/per_level_scale", "line 2", "2^31"});
  expect_refusal(R"({"encoding": {"otype": "HashGrid", "n_features_per_level": 3}})",
                 {"1, 2, 4 or 8"});
  expect_refusal(R"({"encoding": {"otype": "HashGrid", "n_levels": 2.5}})", {"whole number"});
  expect_refusal(R"({"encoding": {"otype": "HashGrid", "n_features": 8, "n_levels": 2}})",
                 {"excludes"});
  expect_refusal(R"({"encoding": {"otype": "HashGrid", "stochastic_interpolation": true}})",
                 {"not built"});
  expect_refusal(R"({"encoding": {"otype": "Composite", "nested": [
      {"n_dims_to_encode": 1, "otype": "Identity"}]}})",
                 {"1 of 3 inputs"});
  expect_refusal(R"({"optimizer": {"otype": "Ema"}})", {"optimizer/nested", "missing"});
  expect_refusal(R"({"network": {"otype": "CutlassMLP", "n_neurons": 30}})", {"multiple of 4"});
}

}  // namespace
}  // namespace mote
