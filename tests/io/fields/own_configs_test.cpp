// Configurations with the values of instant-ngp's and tiny-cuda-nn's own files (configs/ and data/
// of NVlabs/instant-ngp and NVlabs/tiny-cuda-nn): each is read, and two training steps are taken.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "backend/field_fitter.h"
#include "cpu/cpu_backend.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/plain_configs.h"
#include "io/fields/field_config_file.h"
#include "math/counter_random.h"
#include "support/field_trainer_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

struct OwnConfig {
  const char* file;  // with its folder
  FieldApplication application;
  std::size_t parameters;  // of networks and encoding; 0: other tests have those of the grid
  const char* text;
};

constexpr FieldApplication kNerf = FieldApplication::nerf, kSdf = FieldApplication::sdf,
                           kImage = FieldApplication::image, kVolume = FieldApplication::volume;

// Those of instant-ngp come with their parents before them.
constexpr OwnConfig kConfigs[] = {
    {"nerf/base.json", kNerf, 10'240 + 11'681'792, R"({
  "encoding": {"otype": "HashGrid", "base_resolution": 16, "log2_hashmap_size": 19,
               "n_features_per_level": 4, "n_levels": 8},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 1, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "None"},
  "dir_encoding": {"otype": "Composite", "nested": [
    {"otype": "SphericalHarmonics", "degree": 4, "n_dims_to_encode": 3}, {"otype": "Identity"}]},
  "rgb_network": {"otype": "FullyFusedMLP", "n_hidden_layers": 2, "n_neurons": 64,
                  "activation": "ReLU", "output_activation": "None"},
  "loss": {"otype": "Huber"},
  "optimizer": {"otype": "Ema", "decay": 0.95, "nested": {
    "otype": "ExponentialDecay", "decay_base": 0.33, "decay_interval": 10000,
    "decay_start": 20000, "nested": {
      "otype": "Adam", "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15,
      "l2_reg": 1e-6}}},
  "envmap": {"loss": {"otype": "RelativeL2"}},
  "distortion_map": {"resolution": [32, 32]}
})"},
    {"nerf/frequency.json", kNerf, 96 * 256 + 6 * 256 * 256 + 256 * 16 + (16 + 32) * 256 + 256 * 16,
     R"({
  "parent": "base.json",
  "encoding": {"otype": "Frequency", "n_frequencies": 16},
  "dir_encoding": {"otype": "Frequency", "n_frequencies": 4},
  "network": {"otype": "CutlassMLP", "n_hidden_layers": 7, "n_neurons": 256,
              "activation": "ReLU", "output_activation": "None"},  // wider than fused ones
  "rgb_network": {"otype": "CutlassMLP", "n_hidden_layers": 1, "n_neurons": 256,
                  "activation": "ReLU", "output_activation": "None"},
  "optimizer": {"nested": {"nested": {"learning_rate": 1e-3}}}
})"},
    {"nerf/linear.json", kNerf, 32 * 16 + 32 * 16 + 11'681'792, R"({
  "parent": "base.json",
  "network": {"otype": "CutlassMLP", "n_hidden_layers": 0},
  "rgb_network": {"otype": "CutlassMLP", "n_hidden_layers": 0}
})"},
    {"nerf/small.json", kNerf, 10'240 + 933'888, R"({
  "parent": "base.json", "encoding": {"log2_hashmap_size": 15},
  "optimizer": {"nested": {"decay_start": 10000, "decay_interval": 5000}}
})"},
    {"nerf/none.json", kNerf, 16 * 256 + 6 * 256 * 256 + 256 * 16 + (16 + 16) * 256 + 256 * 16, R"({
  "parent": "frequency.json", "encoding": {"otype": "Identity"}, "dir_encoding": {"otype": "Identity"}
})"},
    {"sdf/base.json", kSdf, 0, R"({
  "encoding": {"otype": "HashGrid", "base_resolution": 16, "log2_hashmap_size": 19,
               "n_features_per_level": 2, "n_levels": 16},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 2, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "None"},
  "loss": {"otype": "MAPE"},
  "optimizer": {"otype": "Ema", "decay": 0.95, "nested": {
    "otype": "ExponentialDecay", "decay_base": 0.33, "decay_interval": 5000,
    "decay_start": 10000, "nested": {
      "otype": "Adam", "learning_rate": 1e-4, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15,
      "l2_reg": 1e-6}}}
})"},
    {"sdf/frequency.json", kSdf, 64 * 128 + 7 * 128 * 128 + 128 * 16, R"({
  "parent": "base.json",
  "encoding": {"otype": "Frequency", "n_frequencies": 10},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 8, "n_neurons": 128,
              "activation": "ReLU", "output_activation": "None"},
  "loss": {"otype": "RelativeL2"},
  "optimizer": {"nested": {"nested": {"learning_rate": 3e-4}}}
})"},
    {"sdf/oneblob.json", kSdf, 96 * 128 + 5 * 128 * 128 + 128 * 16, R"({
  "parent": "base.json",
  "encoding": {"otype": "OneBlob", "n_bins": 32},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 6, "n_neurons": 128,
              "activation": "ReLU", "output_activation": "None"},
  "optimizer": {"nested": {"nested": {"learning_rate": 3e-4}}}
})"},
    {"image/base.json", kImage, 0, R"({
  "encoding": {"otype": "HashGrid", "base_resolution": 16, "log2_hashmap_size": 24,
               "n_features_per_level": 2, "n_levels": 16},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 2, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "None"},
  "loss": {"otype": "L2"},
  "optimizer": {"otype": "ExponentialDecay", "decay_base": 0.33, "decay_interval": 10000,
    "decay_start": 20000, "nested": {
      "otype": "Adam", "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15,
      "l2_reg": 1e-6}}
})"},
    {"image/frequency.json", kImage, 64 * 64 + 64 * 64 + 64 * 16, R"({
  "parent": "base.json", "encoding": {"otype": "Frequency", "n_frequencies": 16}})"},
    {"image/oneblob.json", kImage, 64 * 64 + 64 * 64 + 64 * 16, R"({
  "parent": "base.json", "encoding": {"otype": "OneBlob", "n_bins": 32}})"},
    {"volume/base.json", kVolume, 0, R"({
  "encoding": {"otype": "HashGrid", "base_resolution": 16, "log2_hashmap_size": 19,
               "n_features_per_level": 2, "n_levels": 16},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 2, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "ReLU"},
  "loss": {"otype": "L2"},
  "optimizer": {"otype": "Ema", "decay": 0.95, "nested": {
    "otype": "ExponentialDecay", "decay_base": 0.33, "decay_interval": 5000,
    "decay_start": 10000, "nested": {
      "otype": "Adam", "learning_rate": 1e-4, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15,
      "l2_reg": 1e-6}}}
})"},
    {"tcnn/config_hash.json", kImage, 0, R"({
  "encoding": {"otype": "HashGrid", "base_resolution": 16, "log2_hashmap_size": 15,
               "n_features_per_level": 2, "n_levels": 16, "per_level_scale": 1.5,
               "fixed_point_pos": false},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 2, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "None"},
  "loss": {"otype": "RelativeL2"},
  "optimizer": {"otype": "Adam", "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99,
                "epsilon": 1e-15, "l2_reg": 1e-6}
})"},
    {"tcnn/config_oneblob.json", kImage, 128 * 128 + 4 * 128 * 128 + 128 * 16, R"({
  "encoding": {"otype": "OneBlob", "n_bins": 64},
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 5, "n_neurons": 128,
              "activation": "ReLU", "output_activation": "None"},
  "loss": {"otype": "RelativeL2"},
  "optimizer": {"otype": "Adam", "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99,
                "epsilon": 1e-8, "l2_reg": 1e-8}
})"}};

// These are read only, since training would take hundreds of megabytes, or as long as that of the
// others.
constexpr OwnConfig kReadOnly[] = {
    {"nerf/densegrid.json", kNerf, 10'240 + 32'624'096, R"({  // of 16 to 173 points per axis
  "parent": "base.json",
  "encoding": {"otype": "DenseGrid", "n_levels": 8, "base_resolution": 16,
               "per_level_scale": 1.405}
})"},
    {"nerf/densegrid_1res.json", kNerf, 16 * 64 + 64 * 16 + 7'168 + 33'554'432, R"({
  "parent": "base.json",
  "encoding": {"otype": "TiledGrid", "n_levels": 2, "n_features_per_level": 8,
               "base_resolution": 128, "per_level_scale": 1.0}
})"},
    {"nerf/base_14.json", kNerf, 10'240 + 475'136, R"({
  "parent": "base.json", "encoding": {"log2_hashmap_size": 14}})"},
    {"nerf/base_0layer.json", kNerf, 32 * 64 + 64 * 16 + 32 * 16 + 11'681'792, R"({
  "parent": "linear.json",
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 1, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "None"},
  "rgb_network": {"otype": "CutlassMLP", "n_hidden_layers": 0, "n_neurons": 64}
})"},
    {"nerf/base_3layer.json", kNerf, 3'072 + 32 * 64 + 2 * 64 * 64 + 64 * 16 + 11'681'792, R"({
  "parent": "linear.json",
  "network": {"otype": "FullyFusedMLP", "n_hidden_layers": 1, "n_neurons": 64,
              "activation": "ReLU", "output_activation": "None"},
  "rgb_network": {"otype": "FullyFusedMLP", "n_hidden_layers": 3, "n_neurons": 64}
})"}};

/// Writes files into folders of `folder`.
void write_configs(std::span<const OwnConfig> configs, const fs::path& folder) {
  for (const OwnConfig& config : configs) {
    const fs::path file = folder / config.file;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << config.text;
  }
}

/// The configuration with what the application adds.
FieldConfig completed(FieldApplication application, const fs::path& file) {
  FieldConfig config = read_field_config(file, {.position = field_inputs(application)});
  switch (application) {
    case FieldApplication::nerf:
      return complete_nerf_config(std::move(config), 1);
    case FieldApplication::sdf:
      return complete_sdf_config(std::move(config));
    case FieldApplication::image:
      return complete_image_config(std::move(config), 256, 192, false);
    default:
      return complete_volume_config(std::move(config), 64);
  }
}

NeuralField new_field(FieldApplication application, const FieldConfig& config) {
  NeuralField field;
  field.application = application;
  field.config = config;
  field.parameters = initial_parameters(application, config, 1);
  field.placement = {.scale = 0.5, .offset = glm::dvec3(0.5)};
  field.render_box = field_cube(1);
  field.image_width = 256;
  field.image_height = 192;
  if (application == kNerf || application == kVolume) {
    field.occupancy.values.assign(kOccupancyCells, 0.0f);
  }
  return field;
}

/// Positions with a smooth value, from -0.4 to 0.4 for distances and above 0 for others.
FillFieldSamples waves(const NeuralField& field) {
  const int inputs = field_inputs(field.application), outputs = field_outputs(field.application);
  const float middle = field.application == kSdf ? 0 : 0.5f;
  return [=](const FieldSamples& samples) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      float sum = 0;
      for (int axis = 0; axis < inputs; ++axis) {
        const std::uint64_t number = 3 * (samples.first + i) + static_cast<std::uint64_t>(axis);
        const float x = static_cast<float>(random_bits(1, number) >> 40) * 0x1p-24f;
        samples.positions[static_cast<std::size_t>(axis) * samples.stride + i] = x;
        sum += static_cast<float>(axis + 1) * x;
      }
      for (int output = 0; output < outputs; ++output) {
        samples.values[static_cast<std::size_t>(output) * samples.stride + i] =
            middle + 0.4f * std::sin(3 * sum + static_cast<float>(output));
      }
    }
  };
}

class OwnConfigs : public testing::TestWithParam<OwnConfig> {
 protected:
  static void SetUpTestSuite() { write_configs(kConfigs, folder()); }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path folder() {
    return fs::temp_directory_path() / ("mote_own_configs_" + std::to_string(::getpid()));
  }

  /// Two steps of a NeRF on a photograph of a ball.
  static std::vector<double> nerf_losses(Backend& backend, const NeuralField& field) {
    const Camera camera = ball_camera({3, 0, 1});
    const PhotoPixels pixels = ball_photo(camera);
    const std::vector<FieldPhoto> photographs{{.camera = camera, .photo = &pixels}};
    const auto trainer =
        backend.make_field_trainer(field, {.batch = 1 << 11}, std::vector<Camera>{camera});
    std::vector<double> losses;
    for (const std::uint64_t step : {1u, 2u}) {
      const FieldStepResult result = trainer->step({.photographs = photographs,
                                                    .random_background = true,
                                                    .step = step,
                                                    .seed = step,
                                                    .learning_rate = 1e-3});
      EXPECT_GT(result.samples, 0u);
      EXPECT_EQ(result.non_finite, 0u);
      losses.push_back(result.loss);
    }
    return losses;
  }

  /// Two steps on the same samples.
  static std::vector<double> fitter_losses(Backend& backend, const NeuralField& field) {
    const auto fitter = backend.make_field_fitter(field);
    std::vector<double> losses;
    for (int step = 0; step < 2; ++step) {
      const FieldFitResult result =
          fitter->step({.count = 512,
                        .fill = waves(field),
                        .learning_rate = field.config.optimizer->learning_rate});
      EXPECT_EQ(result.non_finite, 0u);
      losses.push_back(result.loss);
    }
    EXPECT_LT(losses[1], losses[0]);
    return losses;
  }
};

INSTANTIATE_TEST_SUITE_P(Of, OwnConfigs, testing::ValuesIn(kConfigs), [](const auto& info) {
  std::string name = info.param.file;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
});

TEST_P(OwnConfigs, AreReadAndTrained) {
  const OwnConfig& own = GetParam();
  const FieldConfig config = completed(own.application, folder() / own.file);
  const NeuralField field = new_field(own.application, config);
  if (own.parameters > 0) {
    EXPECT_EQ(field.parameters.size(), own.parameters);
  }
  const auto backend = make_cpu_backend({});
  const std::vector<double> losses =
      own.application == kNerf ? nerf_losses(*backend, field) : fitter_losses(*backend, field);
  for (const double loss : losses) {
    EXPECT_TRUE(std::isfinite(loss));
    EXPECT_GT(loss, 0);
  }
}

TEST(OwnConfigsWithParents, HaveTheirNumbersOfParameters) {
  const fs::path folder =
      fs::temp_directory_path() / ("mote_read_configs_" + std::to_string(::getpid()));
  write_configs(kConfigs, folder);
  write_configs(kReadOnly, folder);
  for (const OwnConfig& own : kReadOnly) {
    SCOPED_TRACE(own.file);
    EXPECT_EQ(field_parameters(own.application, completed(own.application, folder / own.file)),
              own.parameters);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace mote
