// Snapshots that are exchanged with tests/io/fields/snapshot_reference.py, which shares no code
// with Mote: each reads the other's files and finds the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "backend/field_trainer.h"
#include "core/buffer.h"
#include "core/process.h"
#include "devices/devices.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/nerf_layout.h"
#include "fields/encodings/grid.h"
#include "fields/encodings/spherical.h"
#include "fields/networks/activation.h"
#include "fields/planes.h"
#include "io/fields/field_config_json.h"
#include "snapshot_fixture.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

using nlohmann::json;

/// The first Python with the packages that the script needs; empty if there is none.
std::string python() {
  for (const char* program : {"python3", "/usr/bin/python3"}) {
    try {
      const auto ignore = [](std::string_view) {};
      if (run_process({program, {"-c", "import msgpack, numpy"}, {}}, ignore).succeeded()) {
        return program;
      }
    } catch (const ProgramMissing&) {
      continue;
    }
  }
  return {};
}

class SnapshotReference : public testing::Test {
 protected:
  void SetUp() override {
    python_ = python();
    if (python_.empty()) {
      GTEST_SKIP() << "needs python3 with msgpack and numpy: tools/setup.sh check";
    }
  }

  std::string run(const std::string& command, const std::filesystem::path& file,
                  const std::vector<std::string>& words = {}) const {
    std::vector<std::string> all{"-B", MOTE_SNAPSHOT_REFERENCE, command, file.string()};
    all.insert(all.end(), words.begin(), words.end());
    std::string lines;
    const ProcessEnd end =
        run_process({python_, all, {}}, [&](std::string_view line) { lines += line; });
    EXPECT_TRUE(end.succeeded()) << lines;
    return lines;
  }

  /// Compares a field with the script's description of the same file, and returns that.
  json expect_described(const NeuralField& field, const std::filesystem::path& file) const {
    const json found = json::parse(run("describe", file));
    const json& snapshot = found["snapshot"];
    EXPECT_EQ(found["mode"], kFieldApplicationNames[static_cast<std::size_t>(field.application)]);
    EXPECT_EQ(found["parameters"].get<std::vector<float>>(), field.parameters);
    EXPECT_EQ(snapshot["training_step"], field.training_step);
    EXPECT_EQ(snapshot["render_aabb"]["min"],
              json({field.render_box.min.x, field.render_box.min.y, field.render_box.min.z}));
    EXPECT_EQ(snapshot["render_aabb"]["max"],
              json({field.render_box.max.x, field.render_box.max.y, field.render_box.max.z}));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(snapshot["background_color"][i], field.background[i]);
    }
    expect_same_cells(field, found["density"]);
    if (field.application != FieldApplication::nerf) return found;
    const json& dataset = snapshot["nerf"]["dataset"];
    EXPECT_EQ(dataset["scale"], field.placement.scale);
    const glm::dvec3& offset = field.placement.offset;
    EXPECT_EQ(dataset["offset"], json({offset.x, offset.y, offset.z}));
    EXPECT_EQ(dataset["is_hdr"], field.hdr);
    EXPECT_EQ(snapshot["nerf"]["aabb_scale"], field.aabb_scale);
    return found;
  }

 private:
  static void expect_same_cells(const NeuralField& field, const json& cascades) {
    ASSERT_EQ(cascades.size() * kOccupancyCells, field.occupancy.values.size());
    std::vector<float> values(field.occupancy.values.size());
    for (std::size_t c = 0; c < cascades.size(); ++c) {
      for (std::size_t i = 0; i < cascades[c]["cells"].size(); ++i) {
        values[c * kOccupancyCells + cascades[c]["cells"][i].get<std::size_t>()] =
            cascades[c]["values"][i];
      }
    }
    EXPECT_TRUE(values == field.occupancy.values);
  }

  std::string python_;
};

TEST_F(SnapshotReference, MoteReadsItsFiles) {
  const std::vector<std::string> kCases[] = {{"--mode", "nerf"},
                                             {"--aabb-scale", "4", "--seed", "2", "--hdr"},
                                             {"--mode", "nerf", "--format", "float"},
                                             {"--mode", "sdf", "--wrapping", "zlib"},
                                             {"--mode", "image", "--wrapping", "none"},
                                             {"--mode", "volume", "--format", "float"}};
  for (const std::vector<std::string>& words : kCases) {
    SCOPED_TRACE(json(words).dump());
    const samples::TemporaryFile file(".ingp");
    run("write", file.path(), words);
    const NeuralField field = read_field_snapshot(InputFile(file.path()), {});
    const bool nerf = field.application == FieldApplication::nerf;
    const auto& grid = std::get<GridEncoding>(field.config.encoding->parts[0].kind).grid;
    const double growth = nerf ? grid_growth(2048 * field.aabb_scale, 8, 4) : 1.5;
    EXPECT_EQ(grid, (GridConfig{.dimensions = field_inputs(field.application),
                                .levels = 4,
                                .features = 2,
                                .log2_table_size = 10,
                                .base_resolution = 8,
                                .per_level_scale = growth}));
    EXPECT_EQ(field.config.network->neurons, 32);
    EXPECT_EQ(field.config.color_network.has_value(), nerf);
    EXPECT_GT(field.parameters.size(), 2000u);
    expect_described(field, file.path());
  }
}

TEST_F(SnapshotReference, ItReadsMotesFiles) {
  bool half = false;
  for (const FieldApplication application : {FieldApplication::nerf, FieldApplication::sdf,
                                             FieldApplication::image, FieldApplication::volume}) {
    half = !half;
    const NeuralField written = tiny_field(application, 3, 2);
    const samples::TemporaryFile file(snapshot_bytes(written, {half, half}), ".ingp");
    const NeuralField field = read_field_snapshot(InputFile(file.path()), {});
    const json found = expect_described(field, file.path());
    EXPECT_EQ(found["config"], field_config_json(written.config));
  }
}

/// The state of Adam in a description, which others may hold.
const json& innermost(const json& state) {
  return state.contains("nested") ? innermost(state["nested"]) : state;
}

void expect_described_state(const OptimizerState& state, const json& described) {
  const json& adam = innermost(described);
  EXPECT_EQ(adam["current_step"], state.step);
  EXPECT_EQ(adam["first_moments_binary"].get<std::vector<float>>(), state.first);
  EXPECT_EQ(adam["second_moments_binary"].get<std::vector<float>>(), state.second);
  EXPECT_EQ(adam["param_steps_binary"].get<std::vector<std::uint32_t>>(), state.updates);
}

TEST_F(SnapshotReference, MoteReadsItsStatesOfOptimisers) {
  const std::vector<std::string> kCases[] = {
      {"--optimizer", "adam", "--mode", "image", "--wrapping", "none"},
      {"--optimizer", "decay", "--mode", "sdf", "--format", "float"},
      {"--optimizer", "ema", "--mode", "volume"},
      {"--optimizer", "ema", "--mode", "nerf", "--format", "float"}};
  for (const std::vector<std::string>& words : kCases) {
    SCOPED_TRACE(json(words).dump());
    const samples::TemporaryFile file(".ingp");
    run("write", file.path(), words);
    const auto states = read_snapshot_optimizer(InputFile(file.path()), {});
    ASSERT_TRUE(states.has_value());
    EXPECT_EQ(states->field.step, 1234u);
    EXPECT_EQ(states->field.first.size(),
              read_field_snapshot(InputFile(file.path()), {}).parameters.size());
    expect_described_state(states->field, json::parse(run("describe", file.path()))["optimizer"]);
  }
}

TEST_F(SnapshotReference, ItReadsMotesStatesOfOptimisers) {
  bool half = false;
  for (const FieldApplication application : {FieldApplication::nerf, FieldApplication::sdf,
                                             FieldApplication::image, FieldApplication::volume}) {
    half = !half;
    const NeuralField field = tiny_field(application, 3);
    const OptimizerStates states = random_states(field, 12000);
    const samples::TemporaryFile file(
        snapshot_bytes(field, {.half = half, .compressed = half, .optimizer = &states}), ".ingp");
    const json found = json::parse(run("describe", file.path()));
    const json& outer = found["optimizer"];
    expect_described_state(states.field, outer);
    EXPECT_EQ(outer["weights_ema_binary"], found["parameters"]);
    // The rate falls by the factor 0.1 after 10000 steps.
    EXPECT_EQ(outer["nested"]["learning_rate"], 1e-3);
    EXPECT_NEAR(outer["nested"]["learning_rate_factor"].get<double>(), 0.1, 1e-12);
    EXPECT_NEAR(innermost(outer)["base_learning_rate"].get<double>(), 1e-4, 1e-12);
  }
}

/// The outputs of a network, by plain loops.
template <LayerActivation ACTIVATION>
std::vector<double> network_outputs(const MlpConfig& config, std::span<const float> weights,
                                    std::vector<double> values) {
  values.resize(static_cast<std::size_t>(mlp_padded(config.inputs)));
  const std::vector<MlpLayer> layers = mlp_layers(config);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<double> sums(static_cast<std::size_t>(layers[l].outputs));
    for (std::size_t o = 0; o < sums.size(); ++o) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        sums[o] +=
            static_cast<double>(weights[layers[l].first + o * values.size() + i]) * values[i];
      }
      if (l + 1 < layers.size()) sums[o] = activate<ACTIVATION>(sums[o]);
    }
    values = std::move(sums);
  }
  values.resize(static_cast<std::size_t>(config.outputs));
  return values;
}

void expect_near(const json& expected, std::span<const double> found, double tolerance) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i].get<double>(), tolerance) << i;
  }
}

/// Our definitions, at the parameters in the order of the file, give the script's values. Scales of
/// levels are rounded to floats by both, but not always to the same one.
TEST_F(SnapshotReference, FeaturesAndOutputsAreOurs) {
  const samples::TemporaryFile file(".ingp");
  run("write", file.path(), {"--aabb-scale", "2", "--format", "float"});
  const json found = json::parse(run("evaluate", file.path()));
  const NeuralField field = read_field_snapshot(InputFile(file.path()), {});
  const NerfLayout layout = nerf_layout(field.config);
  const std::span<const float> all = field.parameters;
  const auto& grid = std::get<GridEncoding>(field.config.encoding.value().parts.at(0).kind).grid;
  for (std::size_t i = 0; i < found["positions"].size(); ++i) {
    const json& position = found["positions"][i];
    const double x[3] = {position[0], position[1], position[2]};
    std::vector<double> features;
    for (const GridLevel& level : grid_levels(grid)) {
      double own[2];
      const auto load = [&](std::uint32_t index, int f) {
        const std::size_t entry = std::size_t{level.first} + index;
        return static_cast<double>(
            all[layout.encoding_first + 2 * entry + static_cast<std::size_t>(f)]);
      };
      grid_features<Interpolation::linear>(level, x, load, own);
      features.insert(features.end(), {own[0], own[1]});
    }
    expect_near(found["features"][i], features, 1e-3);
    std::vector<double> inputs =
        network_outputs<LayerActivation::relu>(layout.density, all, features);
    expect_near(found["outputs"][i], inputs, 1e-2);
    const json& way = found["directions"][i];
    std::array<double, 16> direction{};
    encode_direction<4>(Vec3<double>{way[0], way[1], way[2]}, direction.data());
    expect_near(found["direction_features"][i], direction, 1e-6);
    inputs.insert(inputs.end(), direction.begin(), direction.end());
    expect_near(found["colors"][i],
                network_outputs<LayerActivation::relu>(layout.color,
                                                       all.subspan(layout.color_first), inputs),
                1e-2);
  }
}

/// Values of fields with one network on a device, at the script's positions.
TEST_F(SnapshotReference, ValuesOfOtherFieldsAreThoseOfEachInstructionSet) {
  for (const char* mode : {"sdf", "image", "volume"}) {
    SCOPED_TRACE(mode);
    const samples::TemporaryFile file(".ingp");
    run("write", file.path(), {"--mode", mode, "--seed", "3"});
    const json found = json::parse(run("evaluate", file.path()));
    const json& positions = found["positions"];
    const NeuralField field = read_field_snapshot(InputFile(file.path()), {});
    const auto inputs = static_cast<std::size_t>(field_inputs(field.application)),
               outputs = static_cast<std::size_t>(field_outputs(field.application));
    const std::size_t count = positions.size(), stride = field_plane_stride(count);
    Buffer<float> at(inputs * stride), values(outputs * stride);
    std::ranges::fill(at.span(), 0.0f);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(positions[i].size(), inputs);
      for (std::size_t axis = 0; axis < inputs; ++axis) {
        at[axis * stride + i] = positions[i][axis];
      }
    }
    for (const std::string& isa : usable_isa_names()) {
      SCOPED_TRACE(isa);
      const auto backend = make_backend("cpu", {.isa = isa});
      backend->upload_field(field)->evaluate(at.data(), count, stride, values.data());
      double size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t o = 0; o < outputs; ++o) {
          const double expected = found["outputs"][i][o];
          // Scales of levels are rounded to floats; some instruction sets round factors to BF16.
          EXPECT_NEAR(values[o * stride + i], expected, rounds_to_bf16(isa) ? 3e-2 : 2e-3) << i;
          size += std::abs(expected);
        }
      }
      EXPECT_GT(size, 0.05);
    }
  }
}

/// A camera of one pixel, whose ray begins at `origin` and goes along `direction`, both in the
/// field's frame. It uses the definition of the frame: field = cycled(scale * world + offset).
Camera camera_of_ray(const FieldPlacement& placement, const json& origin, const json& direction) {
  const auto uncycled = [](const json& v) { return glm::dvec3{v[2], v[0], v[1]}; };
  Camera camera{.width = 1, .height = 1, .focal_px = {1, 1}, .center_px = {0.5, 0.5}};
  const glm::dvec3 eye = (uncycled(origin) - placement.offset) / placement.scale;
  look_at(camera, eye, eye + uncycled(direction), {0, 1, 0});
  return camera;
}

/// Compares Mote's drawing with the script's pixels, and returns the number of rays that are ended
/// early. The distance from which steps grow is the smallest step divided by the cone in Mote, and
/// by log(1 + cone) in the script: samples behind it are a small part of a step apart, and one of
/// them more or less may end a ray.
int expect_pixels(Backend& backend, const NeuralField& field, const json& pixels,
                  double tolerance) {
  const auto device_field = backend.upload_field(field);
  int ended = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    SCOPED_TRACE(i);
    const json& pixel = pixels[i];
    Frame frame;
    device_field->render(camera_of_ray(field.placement, pixel["origin"], pixel["direction"]),
                         {.outputs = {.alpha = true, .overdraw = true}}, frame);
    EXPECT_NEAR(frame.overdraw.pixels[0], pixel["samples"].get<float>(), 1);
    EXPECT_NEAR(frame.alpha.pixels[0], pixel["alpha"].get<double>(), tolerance);
    const std::vector<double> rgb(frame.rgb.pixels.data(), frame.rgb.pixels.data() + 3);
    expect_near(pixel["rgb"], rgb, tolerance);
    ended += pixel["alpha"] == 1 ? 1 : 0;
  }
  return ended;
}

TEST_F(SnapshotReference, ItsPixelsAreThoseThatMoteDraws) {
  const samples::TemporaryFile theirs(".ingp"), growing(".ingp");
  run("write", theirs.path());
  run("write", growing.path(), {"--aabb-scale", "4", "--seed", "2", "--hdr"});
  NeuralField networks = tiny_field(FieldApplication::nerf, 4, 2);
  networks.config.network->activation = LayerActivation::relu;
  networks.config.color_network->activation = LayerActivation::relu;
  const samples::TemporaryFile ours(snapshot_bytes(networks), ".ingp");
  int ended = 0;
  for (const samples::TemporaryFile* file : {&theirs, &growing, &ours}) {
    SCOPED_TRACE(file->path());
    const json found =
        json::parse(run("evaluate", file->path(), {"--first-step", "0.5", "--closed"}));
    const json& pixels = found["pixels"];
    EXPECT_GE(std::ranges::count_if(pixels, [](const json& p) { return p["alpha"] > 0.01; }), 3);
    const NeuralField field = read_field_snapshot(InputFile(file->path()), {});
    for (const std::string& isa : usable_isa_names()) {
      SCOPED_TRACE(isa);
      // Some instruction sets round the factors of the networks' products to BF16.
      const double tolerance = rounds_to_bf16(isa) ? 2e-2 : 2e-3;
      ended += expect_pixels(*make_backend("cpu", {.isa = isa}), field, pixels, tolerance);
    }
  }
  EXPECT_GT(ended, 0) << "no ray is ended early";
}

}  // namespace
}  // namespace mote
