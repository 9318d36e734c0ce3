// Snapshots of neural fields: round trips, the keys of instant-ngp, and other spellings. Broken
// ones are in field_snapshot_faults_test.cpp.
#include "io/fields/field_snapshot.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>

#include "fields/applications/nerf_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/snapshot_facts.h"
#include "math/half.h"
#include "snapshot_fixture.h"
#include "support/files/format_samples.h"
#include "support/thrown_by.h"
#include "support/tiny_proposals.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr FieldApplication kApplications[] = {FieldApplication::nerf, FieldApplication::sdf,
                                              FieldApplication::image, FieldApplication::volume};

std::vector<float> halved(const std::vector<float>& values) {
  std::vector<float> rounded;
  for (const float value : values) rounded.push_back(from_half(to_half(value)));
  return rounded;
}

void expect_equal(const NeuralField& expected, const NeuralField& found, bool half) {
  EXPECT_EQ(found.application, expected.application);
  EXPECT_EQ(field_config_json(found.config), field_config_json(expected.config));
  EXPECT_EQ(found.parameters, half ? halved(expected.parameters) : expected.parameters);
  EXPECT_EQ(found.placement, expected.placement);
  EXPECT_EQ(found.aabb_scale, expected.aabb_scale);
  EXPECT_EQ(found.render_box, expected.render_box);
  EXPECT_EQ(found.occupancy.cascades, expected.occupancy.cascades);
  EXPECT_EQ(found.occupancy.values, halved(expected.occupancy.values));
  EXPECT_EQ(found.hdr, expected.hdr);
  EXPECT_EQ(found.background, expected.background);
  EXPECT_EQ(found.training_step, expected.training_step);
  EXPECT_EQ(found.warnings, std::vector<std::string>());
}

std::string zlib_wrapped(const std::string& content) {
  uLongf size = compressBound(content.size());
  std::string wrapped(size, '\0');
  compress(reinterpret_cast<Bytef*>(wrapped.data()), &size,
           reinterpret_cast<const Bytef*>(content.data()), content.size());
  wrapped.resize(size);
  return wrapped;
}

TEST(FieldSnapshot, EachApplicationComesBack) {
  for (const FieldApplication application : kApplications) {
    const bool nerf = application == FieldApplication::nerf;
    NeuralField field = tiny_field(application, 1, 4);
    field.hdr = nerf;
    for (const bool half : {true, false}) {
      for (const bool compressed : {true, false}) {
        SCOPED_TRACE(testing::Message()
                     << kFieldApplicationNames[static_cast<std::size_t>(application)] << half
                     << compressed);
        const std::string content = snapshot_bytes(field, {half, compressed});
        EXPECT_EQ(content.starts_with("\x1f\x8b"), compressed);
        expect_equal(field, snapshot_read(content), half);
      }
    }
  }
}

TEST(FieldSnapshot, LatentsComeBack) {
  const FieldConfig config = with_latents(tiny_field_config(FieldApplication::nerf), 3);
  NeuralField field = tiny_field(FieldApplication::nerf, config, 1);
  field.latents = {0.1f, 2, -3, 0.7f, 5, 6};
  const json nerf = snapshot_json(field)["snapshot"]["nerf"];
  EXPECT_EQ(nerf["dataset"]["n_extra_learnable_dims"], 3);
  EXPECT_EQ(nerf["extra_dims_opt"][1]["variable"][1], 5);
  const NeuralField read = snapshot_read(snapshot_bytes(field));
  expect_equal(field, read, true);
  EXPECT_EQ(read.latents, field.latents);
  field.latents = {};
  const NeuralField without = snapshot_read(snapshot_bytes(field));
  EXPECT_TRUE(without.latents.empty());
  ASSERT_EQ(without.warnings.size(), 1u);
}

TEST(FieldSnapshot, HasInstantNgpsKeysAndSizes) {
  const NeuralField field = tiny_field(FieldApplication::nerf, 2, 2);
  const json all = snapshot_json(field);
  EXPECT_EQ(all["encoding"]["otype"], "HashGrid");
  const json& snapshot = all["snapshot"];
  EXPECT_EQ(snapshot["version"], 1);
  EXPECT_EQ(snapshot["mode"], "nerf");
  EXPECT_EQ(snapshot["n_params"], field.parameters.size());
  EXPECT_EQ(snapshot["params_type"], "__half");
  EXPECT_EQ(snapshot["params_binary"].get_binary().size(), 2 * field.parameters.size());
  EXPECT_EQ(snapshot["density_grid_size"], 128);
  EXPECT_EQ(snapshot["density_grid_binary"].get_binary().size(), 2u * 2 * 128 * 128 * 128);
  EXPECT_EQ(snapshot["aabb"],
            json::parse(R"({"min": [-0.5, -0.5, -0.5], "max": [1.5, 1.5, 1.5]})"));
  EXPECT_EQ(snapshot["background_color"], json::parse("[0.25, 0.5, 1.0, 1.0]"));
  EXPECT_EQ(snapshot["nerf"]["aabb_scale"], 2);
  EXPECT_EQ(snapshot["nerf"]["cone_angle_constant"], 1.0 / 256);
  EXPECT_EQ(snapshot["nerf"]["dataset"]["scale"], 0.375);
  EXPECT_EQ(snapshot["nerf"]["dataset"]["offset"], json::parse("[0.25, 0.5, 0.125]"));
  EXPECT_EQ(snapshot_json(tiny_field(FieldApplication::image, 2),
                          {.half = false})["snapshot"]["params_type"],
            "float");
}

TEST(FieldSnapshot, NetworksComeBeforeTheEncoding) {
  NeuralField field = tiny_field(FieldApplication::nerf, 3);
  const NerfLayout layout = nerf_layout(field.config);
  EXPECT_EQ(layout.color_first, 16u * 16 + 16 * 16);
  EXPECT_EQ(layout.encoding_first, layout.color_first + 32 * 16 + 2 * 16 * 16);
  field = tiny_field(FieldApplication::volume, 3);
  const SimpleFieldLayout simple = simple_field_layout(field.application, field.config);
  EXPECT_EQ(simple.encoding_first, 16u * 16 + 16 * 16);
  EXPECT_EQ(simple.parameters, simple.encoding_first + field.config.encoding->parameters());
  EXPECT_EQ(simple.network.outputs, 4);
}

TEST(FieldSnapshot, KeepsNetworksOfAnyWidthAndGaussians) {
  for (const NetworkConfig& network :
       {NetworkConfig{.neurons = 20, .hidden_layers = 3},
        NetworkConfig{.kind = NetworkKind::gaussians, .neurons = 20}}) {
    NeuralField field = tiny_field(FieldApplication::sdf, 4);
    field.config.network = network;
    field.parameters.assign(field_parameters(field.application, field.config), 0.5f);
    expect_equal(field, snapshot_read(snapshot_bytes(field)), true);
  }
}

TEST(FieldSnapshot, SoftDensitiesComeBack) {
  FieldConfig config = tiny_field_config(FieldApplication::nerf);
  config.density = {.kind = DensityKind::softplus, .alpha = 0.25};
  const NeuralField field = tiny_field(FieldApplication::nerf, config, 1);
  const NeuralField found = snapshot_read(snapshot_bytes(field));
  expect_equal(field, found, true);
  EXPECT_EQ(found.config.density.kind, DensityKind::softplus);
  EXPECT_EQ(found.config.density.alpha, 0.25);
  json solid = snapshot_json(tiny_field(FieldApplication::sdf, 1));
  solid["density_activation"] = {{"otype", "Softplus"}};
  const Error error = thrown_by([&] { snapshot_read(packed_snapshot(solid)); });
  EXPECT_NE(std::string(error.what()).find("density_activation"), std::string::npos);
}

TEST(FieldSnapshot, ProposalsComeBack) {
  NeuralField field = tiny_field(FieldApplication::nerf, 1, 4);
  field.proposals = tiny_proposals();
  for (const bool half : {true, false}) {
    SCOPED_TRACE(half);
    const NeuralField found = snapshot_read(snapshot_bytes(field, {.half = half}));
    expect_equal(field, found, half);
    ASSERT_TRUE(found.proposals);
    EXPECT_EQ(found.proposals->samples, 7);
    ASSERT_EQ(found.proposals->rounds.size(), 2u);
    for (std::size_t r = 0; r < 2; ++r) {
      const ProposalRound &own = found.proposals->rounds[r], &wanted = field.proposals->rounds[r];
      EXPECT_EQ(own.samples, wanted.samples);
      EXPECT_EQ(own.parameters, wanted.parameters);
      EXPECT_EQ(field_config_json(own.config), field_config_json(wanted.config));
    }
  }
}

TEST(FieldSnapshot, BrokenProposalsAreErrorsThatNameTheirKey) {
  NeuralField field = tiny_field(FieldApplication::nerf, 1, 4);
  field.proposals = tiny_proposals();
  const json whole = snapshot_json(field);
  const auto expect_error = [&](const char* key, const auto& change) {
    json all = whole;
    change(all["snapshot"]["proposals"]);
    const Error error = thrown_by([&] { snapshot_read(packed_snapshot(all)); });
    EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
  };
  expect_error("samples", [](json& p) { p["samples"] = 0; });
  expect_error("samples", [](json& p) { p["rounds"][1]["samples"] = 1.5; });
  expect_error("samples", [](json& p) { p["rounds"][0]["samples"] = 1e9; });
  expect_error("rounds", [](json& p) { p["rounds"] = json::array(); });
  expect_error("rounds", [](json& p) {
    for (int i = 0; i < 9; ++i) p["rounds"].push_back(p["rounds"][0]);
  });
  expect_error("encoding", [](json& p) { p["rounds"][1].erase("encoding"); });
  expect_error("network", [](json& p) { p["rounds"][1].erase("network"); });
  expect_error("density_activation", [](json& p) {
    p["rounds"][0]["density_activation"] = {{"otype", "Softplus"}};
  });
  expect_error("n_params", [](json& p) { p["rounds"][0]["n_params"] = 5; });
  expect_error("params_binary", [](json& p) { p["rounds"][0].erase("params_binary"); });
  expect_error("params_binary",
               [](json& p) { p["rounds"][1]["params_binary"].get_binary().push_back(0); });
  expect_error("params_binary", [](json& p) {
    auto& bytes = p["rounds"][1]["params_binary"].get_binary();
    bytes[0] = 0x00, bytes[1] = 0x7e;  // not a number
  });
}

TEST(FieldSnapshot, ZlibWrapsAsWellAsGzip) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 4);
  const std::string content = zlib_wrapped(snapshot_bytes(field, {.compressed = false}));
  EXPECT_TRUE(probe_field_snapshot(std::as_bytes(std::span(content))));
  expect_equal(field, snapshot_read(content), true);
}

TEST(FieldSnapshot, ValuesBeyondAHalfBecomeItsLargest) {
  NeuralField field = tiny_field(FieldApplication::nerf, 5);
  field.parameters[0] = 1e6f;
  field.parameters[1] = -1e6f;
  field.occupancy.values[0] = std::numeric_limits<float>::infinity();
  const NeuralField found = snapshot_read(snapshot_bytes(field));
  EXPECT_EQ(found.parameters[0], 65504);
  EXPECT_EQ(found.parameters[1], -65504);
  EXPECT_EQ(found.occupancy.values[0], 65504);
}

TEST(FieldSnapshot, InfiniteDensitiesOfAFileAreTheLargestHalf) {
  json all = snapshot_json(tiny_field(FieldApplication::nerf, 5));
  auto& grid = all["snapshot"]["density_grid_binary"].get_binary();
  grid[6] = 0x00, grid[7] = 0x7c;
  EXPECT_EQ(snapshot_read(packed_snapshot(all)).occupancy.values[3], 65504);
}

TEST(FieldSnapshot, OtherKeysAreIgnoredAndTheOptimizerIsNoted) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 6);
  json all = snapshot_json(field);
  all["camera"] = {{"zoom", 2}};
  all["snapshot"]["unknown"] = json::array({1, nullptr, "text"});
  expect_equal(field, snapshot_read(packed_snapshot(all)), true);
  all["snapshot"]["optimizer"] = {{"moments", json::binary(std::vector<std::uint8_t>(99999))}};
  const NeuralField noted = snapshot_read(packed_snapshot(all));
  ASSERT_EQ(noted.warnings.size(), 1u);
  EXPECT_NE(noted.warnings[0].find("optimiser"), std::string::npos);
}

TEST(FieldSnapshot, KeysOfOtherTypesAreNotedAndOthersRefused) {
  NeuralField field = tiny_field(FieldApplication::sdf, 6);
  field.config.encoding = {.parts = {{Frequency{4}, 0, 3}}};
  field.parameters.resize(field_parameters(field.application, field.config));
  json all = snapshot_json(field);
  all["encoding"]["n_levels"] = 8;  // of a parent with a grid
  all["optimizer"] = {{"otype", "Adam"}, {"nested", {{"otype", "Adam"}}}, {"decay", 0.95}};
  const NeuralField found = snapshot_read(packed_snapshot(all));
  EXPECT_EQ(std::get<Frequency>(found.config.encoding->parts.at(0).kind).frequencies, 4);
  ASSERT_EQ(found.warnings.size(), 1u);
  for (const char* key : {"encoding/n_levels", "optimizer/nested", "optimizer/decay"}) {
    EXPECT_NE(found.warnings[0].find(key), std::string::npos) << found.warnings[0];
  }
  all["encoding"]["n_level"] = 8;
  EXPECT_NE(thrown_by([&] { snapshot_read(packed_snapshot(all)); }).problem().find("n_level"),
            std::string::npos);
}

TEST(FieldSnapshot, ReadsOlderAndSparserFiles) {
  NeuralField field = tiny_field(FieldApplication::nerf, 7, 2);
  json all = snapshot_json(field);
  json& snapshot = all["snapshot"];
  for (const char* key : {"mode", "aabb", "render_aabb", "render_aabb_to_local", "up_dir", "loss",
                          "background_color", "training_step", "exposure"}) {
    snapshot.erase(key);
  }
  snapshot["nerf"].erase("aabb_scale");  // the data set has it, too
  all.erase("loss");
  all.erase("optimizer");
  field.render_box = {glm::vec3(-0.5f), glm::vec3(1.5f)};
  field.background = {0, 0, 0};
  field.training_step = 0;
  field.config.loss = default_nerf_config().loss;
  field.config.optimizer = default_nerf_config().optimizer;
  expect_equal(field, snapshot_read(packed_snapshot(all)), true);
}

TEST(FieldSnapshot, WithoutADataSetTheUsualPlacementIsAssumed) {
  json all = snapshot_json(tiny_field(FieldApplication::nerf, 8));
  all["snapshot"]["nerf"].erase("dataset");
  const NeuralField field = snapshot_read(packed_snapshot(all));
  EXPECT_EQ(field.placement, (FieldPlacement{0.33, glm::dvec3(0.5)}));
  EXPECT_EQ(field.warnings.size(), 1u);
}

TEST(FieldSnapshot, AxesOfMitsubaAreCycledBack) {
  json all = snapshot_json(tiny_field(FieldApplication::nerf, 8));
  all["snapshot"]["nerf"]["dataset"]["from_mitsuba"] = true;
  const NeuralField field = snapshot_read(packed_snapshot(all));
  // field = cycled(scale * world + offset) must be the file's scale * data + offset.
  const glm::dvec3 data(1, 2, 3), world(data.z, data.x, data.y);
  const glm::dvec3 placed = field.placement.scale * world + field.placement.offset;
  EXPECT_EQ(glm::dvec3(placed.y, placed.z, placed.x), 0.375 * data + glm::dvec3(0.25, 0.5, 0.125));
  EXPECT_EQ(field.warnings.size(), 1u);
}

TEST(FieldSnapshot, AGridThatWasNeverFilledIsEmpty) {
  json all = snapshot_json(tiny_field(FieldApplication::nerf, 9, 2));
  all["snapshot"]["density_grid_binary"] = json::binary({});
  const NeuralField field = snapshot_read(packed_snapshot(all));
  EXPECT_EQ(field.occupancy.cascades, 2);
  EXPECT_EQ(field.occupancy.values, std::vector<float>(2 * kOccupancyCells, 0.0f));
  EXPECT_EQ(field.warnings.size(), 1u);
}

TEST(FieldSnapshot, GrowthOfGridsIsThatOfTheApplication) {
  for (const auto& [application, scale] :
       {std::pair(FieldApplication::nerf, 4), {FieldApplication::sdf, 1}}) {
    json all = snapshot_json(tiny_field(application, 10, scale));
    all["encoding"].erase("per_level_scale");
    const FieldConfig config = snapshot_read(packed_snapshot(all)).config;
    const auto& grid = std::get<GridEncoding>(config.encoding.value().parts.at(0).kind);
    EXPECT_TRUE(grid.has_growth);
    EXPECT_EQ(grid.grid.per_level_scale, grid_growth(2048 * scale, 4, 3));
  }
}

TEST(FieldSnapshot, ProgressRisesToOne) {
  const NeuralField field = tiny_field(FieldApplication::nerf, 11, 2);
  double last = 0;
  int calls = 0;
  const auto rises = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
    ++calls;
  };
  const std::string content = snapshot_bytes(field, {}, rises);
  EXPECT_EQ(last, 1);
  last = 0;
  snapshot_read(content, rises);
  EXPECT_EQ(last, 1);
  EXPECT_GT(calls, 10);
}

TEST(FieldSnapshot, ProbeKnowsSnapshotsFromOtherFiles) {
  const auto probe = [](const std::string& content) {
    return probe_field_snapshot(
        std::as_bytes(std::span(content)).first(std::min<std::size_t>(content.size(), 4096)));
  };
  for (const FieldApplication application : kApplications) {
    const NeuralField field = tiny_field(application, 12);
    EXPECT_TRUE(probe(snapshot_bytes(field, {.compressed = true})));
    EXPECT_TRUE(probe(snapshot_bytes(field, {.compressed = false})));
  }
  const SplatCloud cloud = samples::random_cloud(100, 3, 1);
  EXPECT_FALSE(probe(samples::ply_file(cloud)));
  for (const std::uint32_t version : {3u, 4u})
    EXPECT_FALSE(probe(samples::spz_file(cloud, version)));
  EXPECT_FALSE(probe(""));
  EXPECT_FALSE(probe("\x81"));
  EXPECT_FALSE(probe("\x1f\x8b"));
  EXPECT_FALSE(probe(R"({"encoding": {"otype": "HashGrid"}, "snapshot": {}})"));
  EXPECT_FALSE(probe(samples::gzipped("snapshot encoding")));
  EXPECT_FALSE(probe(packed_snapshot({{"name", "snapshot"}, {"frames", 3}})));
}

TEST(FieldSnapshot, IsReadWithoutItsArrays) {
  for (const FieldApplication application : kApplications) {
    for (const bool compressed : {true, false}) {
      const NeuralField field = tiny_field(application, 1);
      const samples::TemporaryFile file(snapshot_bytes(field, {true, compressed}), ".ingp");
      const NeuralField found = read_snapshot_field(InputFile(file.path()));
      EXPECT_TRUE(found.parameters.empty());
      EXPECT_TRUE(found.occupancy.values.empty());
      NeuralField expected = field;
      expected.parameters = {};
      expected.occupancy = found.occupancy;
      expect_equal(expected, found, true);
    }
  }
}

TEST(FieldSnapshot, ATruncatedFileIsRefusedWithoutItsArraysToo) {
  const std::string content = snapshot_bytes(tiny_field(FieldApplication::sdf, 1));
  const samples::TemporaryFile file(content.substr(0, content.size() - 1), ".ingp");
  const Error error = thrown_by([&] { read_snapshot_field(InputFile(file.path())); });
  EXPECT_NE(error.where().find(".ingp"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace mote
