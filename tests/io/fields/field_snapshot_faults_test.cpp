// Broken and hostile snapshots: each is refused by a message that names the file and the key.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "math/half.h"
#include "snapshot_fixture.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using nlohmann::json;

json nerf_snapshot() {
  return snapshot_json(tiny_field(FieldApplication::nerf, 1, 2));
}

/// A field without a grid of 4 MB, for tests that read it many times.
NeuralField small_field() {
  return tiny_field(FieldApplication::image, 1);
}

void expect_refusal(const std::string& content, std::initializer_list<const char*> phrases) {
  const Error error = thrown_by([&] { snapshot_read(content); });
  const std::string message = error.what();
  EXPECT_NE(error.where().find(".ingp"), std::string::npos) << message;
  EXPECT_FALSE(error.remedy().empty()) << message;
  for (const char* phrase : phrases) {
    EXPECT_NE(message.find(phrase), std::string::npos) << phrase << " in " << message;
  }
}

void expect_refusal(const json& all, std::initializer_list<const char*> phrases) {
  expect_refusal(packed_snapshot(all), phrases);
}

/// A snapshot with another value in the place of one.
json changed(json all, const char* pointer, json value) {
  all.at(json::json_pointer(pointer)) = std::move(value);
  return all;
}

TEST(FieldSnapshotFaults, EachMissingKeyIsNamed) {
  const json whole = nerf_snapshot();
  for (const char* key : {"encoding", "dir_encoding", "network", "rgb_network", "snapshot"}) {
    json all = whole;
    all.erase(key);
    expect_refusal(all, {key});
  }
  for (const char* key : {"version", "n_params", "params_type", "params_binary", "nerf",
                          "density_grid_size", "density_grid_binary"}) {
    json all = whole;
    all["snapshot"].erase(key);
    expect_refusal(all, {key});
  }
  for (const char* key : {"scale", "offset"}) {
    json all = whole;
    all["snapshot"]["nerf"]["dataset"].erase(key);
    expect_refusal(all, {"dataset", key, "missing"});
  }
  for (const char* key : {"min", "max"}) {
    json all = whole;
    all["snapshot"]["render_aabb"].erase(key);
    expect_refusal(all, {"render_aabb", key, "missing"});
  }
}

TEST(FieldSnapshotFaults, EachValueOfAnotherTypeIsNamed) {
  const json whole = nerf_snapshot();
  for (const char* key :
       {"encoding", "dir_encoding", "network", "rgb_network", "loss", "optimizer", "snapshot"}) {
    expect_refusal(changed(whole, (std::string("/") + key).c_str(), 7), {key, "7"});
  }
  for (const char* key : {"version",
                          "mode",
                          "n_params",
                          "params_type",
                          "params_binary",
                          "nerf",
                          "aabb",
                          "render_aabb",
                          "render_aabb_to_local",
                          "background_color",
                          "training_step",
                          "density_grid_size",
                          "density_grid_binary",
                          "nerf/aabb_scale",
                          "nerf/dataset",
                          "nerf/dataset/scale",
                          "nerf/dataset/offset",
                          "nerf/dataset/is_hdr",
                          "nerf/dataset/has_light_dirs",
                          "nerf/dataset/from_mitsuba",
                          "nerf/dataset/n_extra_learnable_dims",
                          "aabb/min",
                          "render_aabb/max"}) {
    const std::string last = std::string(key).substr(std::string(key).rfind('/') + 1);
    const std::string pointer = std::string("/snapshot/") + key;
    expect_refusal(changed(whole, pointer.c_str(), json::array({"x"})), {last.c_str()});
    expect_refusal(changed(whole, pointer.c_str(), json::object({{"x", 1}})), {last.c_str()});
  }
}

TEST(FieldSnapshotFaults, ImpossibleValuesAreRefused) {
  const json whole = nerf_snapshot();
  const auto refuses = [&](const char* pointer, json value, const char* phrase) {
    const std::string key = std::string(pointer).substr(std::string(pointer).rfind('/') + 1);
    expect_refusal(changed(whole, pointer, std::move(value)), {key.c_str(), phrase});
  };
  refuses("/snapshot/version", 0, "expected 1, found 0");
  refuses("/snapshot/version", 2, "expected 1, found 2");
  refuses("/snapshot/mode", "video", "'video'");
  refuses("/snapshot/params_type", "double", "'double'");
  refuses("/snapshot/density_grid_size", 64, "expected 128, found 64");
  refuses("/snapshot/nerf/aabb_scale", 3, "power of two");
  refuses("/snapshot/nerf/aabb_scale", 256, "from 1 to 128");
  refuses("/snapshot/nerf/aabb_scale", 1.5, "whole number");
  refuses("/snapshot/nerf/dataset/scale", 0, "above 0");
  refuses("/snapshot/nerf/dataset/scale", std::numeric_limits<double>::infinity(), "number");
  refuses("/snapshot/nerf/dataset/n_extra_learnable_dims", 65, "from 0 to 64");
  refuses("/snapshot/nerf/dataset/n_extra_learnable_dims", -1, "from 0 to 64");
  refuses("/snapshot/nerf/dataset/n_extra_learnable_dims", 1.5, "whole number");
  refuses("/snapshot/nerf/dataset/has_light_dirs", true, "not built");
  refuses("/snapshot/training_step", -1, "whole number");
  refuses("/snapshot/background_color", {1, 2}, "4 numbers");
  refuses("/encoding/otype", "Takikawa", "not built");
  refuses("/encoding", {{"otype", "Empty"}}, "no values");
  expect_refusal(changed(whole, "/snapshot/render_aabb/max", {1, 0, 1}), {"axis 1"});
  json image = snapshot_json(small_field());
  image["encoding"].erase("per_level_scale");
  expect_refusal(image, {"encoding", "per_level_scale"});
}

TEST(FieldSnapshotFaults, LatentsMustFitTheConfiguration) {
  FieldConfig config = with_latents(tiny_field_config(FieldApplication::nerf), 3);
  NeuralField field = tiny_field(FieldApplication::nerf, config, 1);
  field.latents = {1, 2, 3, 4, 5, 6};
  const json whole = snapshot_json(field);
  const char* count = "/snapshot/nerf/dataset/n_extra_learnable_dims";
  for (const int other : {0, 2}) {
    expect_refusal(changed(whole, count, other), {"dir_encoding/nested/1/dims_to_encode_begin"});
  }
  expect_refusal(changed(whole, count, 4),
                 {"n_extra_learnable_dims", "dir_encoding has 3 inputs behind the direction"});
  expect_refusal(changed(whole, "/snapshot/nerf/extra_dims_opt/1/variable", {1, 2}),
                 {"variable", "photograph 1", "3 numbers"});
  expect_refusal(changed(whole, "/snapshot/nerf/extra_dims_opt", json::array()),
                 {"extra_dims_opt"});
  expect_refusal(changed(whole, "/dir_encoding/nested/1/scale", 2), {"dir_encoding", "Identity"});
}

TEST(FieldSnapshotFaults, SizesMustFitTheConfiguration) {
  const json whole = nerf_snapshot();
  const std::size_t count = whole["snapshot"]["n_params"];
  const std::string expected = std::to_string(count);
  for (const std::uint64_t other :
       {std::uint64_t{0}, std::uint64_t{count - 1}, std::uint64_t{1} << 40}) {
    expect_refusal(changed(whole, "/snapshot/n_params", other), {"n_params", expected.c_str()});
  }
  expect_refusal(changed(whole, "/snapshot/n_params", std::numeric_limits<std::uint64_t>::max()),
                 {"n_params"});
  expect_refusal(changed(whole, "/network/n_neurons", 32), {"n_params", expected.c_str()});
  json all = whole;
  all["snapshot"]["params_type"] = "float";
  expect_refusal(
      all, {"params_binary", std::to_string(4 * count).c_str(), std::to_string(2 * count).c_str()});
  all = whole;
  all["snapshot"]["params_binary"].get_binary().pop_back();
  expect_refusal(all, {"params_binary", std::to_string(2 * count - 1).c_str()});
  all = changed(whole, "/snapshot/nerf/aabb_scale", 4);
  expect_refusal(all, {"density_grid_binary", "12582912", "8388608"});
  // The largest table that can be described. Nothing is allocated for it.
  all = changed(whole, "/encoding",
                {{"otype", "HashGrid"},
                 {"n_levels", 1},
                 {"log2_hashmap_size", 31},
                 {"n_features_per_level", 8},
                 {"base_resolution", 1 << 20}});
  expect_refusal(all, {"n_params"});
  // Too large with the growth of the application.
  expect_refusal(changed(whole, "/encoding", {{"otype", "DenseGrid"}, {"n_levels", 16}}),
                 {", encoding", "2^31"});
}

TEST(FieldSnapshotFaults, NumbersThatAreNotFiniteAreCounted) {
  for (const bool half : {true, false}) {
    json all = snapshot_json(small_field(), {.half = half});
    auto& bytes = all["snapshot"]["params_binary"].get_binary();
    const std::size_t count = bytes.size() / (half ? 2 : 4);
    for (const std::size_t i : {std::size_t{1}, count - 1}) {
      const float value =
          i == 1 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
      const std::uint16_t halved = to_half(value);
      if (half) {
        std::memcpy(bytes.data() + 2 * i, &halved, 2);
      } else {
        std::memcpy(bytes.data() + 4 * i, &value, 4);
      }
    }
    expect_refusal(all, {"params_binary", ("2 of " + std::to_string(count)).c_str(), "not finite"});
  }
  json all = nerf_snapshot();
  all["snapshot"]["density_grid_binary"].get_binary()[1] = 0x7e;
  expect_refusal(all, {"density_grid_binary", "1 of 4194304", "not finite"});
}

TEST(FieldSnapshotFaults, ParametersThatAreNotFiniteAreNotWritten) {
  NeuralField field = small_field();
  field.parameters[3] = std::numeric_limits<float>::quiet_NaN();
  const Error error = thrown_by([&] { snapshot_bytes(field); });
  EXPECT_NE(error.problem().find("1 of "), std::string::npos) << error.what();
}

TEST(FieldSnapshotFaults, EachTruncationIsAnError) {
  for (const bool compressed : {false, true}) {
    const std::string content = snapshot_bytes(small_field(), {.compressed = compressed});
    for (std::size_t size = 0; size < content.size(); size += size < 1200 ? 1 : 7) {
      expect_refusal(content.substr(0, size), {size == 0 || !compressed ? "truncated" : ""});
    }
    expect_refusal(content.substr(0, content.size() - 1), {"truncated"});
  }
}

TEST(FieldSnapshotFaults, OtherFilesAreNoSnapshots) {
  expect_refusal(std::string("{\"encoding\": {}}"), {"not a snapshot"});
  expect_refusal(std::string("\x93\1\2\3"), {"not a snapshot"});
  expect_refusal(samples::gzipped("text"), {"not a snapshot"});
  expect_refusal(packed_snapshot({{"encoding", {{"otype", "HashGrid"}}}}), {"not a snapshot"});
  expect_refusal(std::string("\xc1"), {"byte 1"});
}

TEST(FieldSnapshotFaults, BytesBehindTheSnapshotAreNoted) {
  const std::string content = snapshot_bytes(small_field(), {.compressed = false}) + "rest";
  const NeuralField field = snapshot_read(content);
  ASSERT_EQ(field.warnings.size(), 1u);
  EXPECT_NE(field.warnings[0].find("4 bytes"), std::string::npos);
}

TEST(FieldSnapshotFaults, ADamagedChecksumIsAnError) {
  std::string content = snapshot_bytes(small_field());
  content[content.size() - 6] = static_cast<char>(content[content.size() - 6] ^ 1);
  expect_refusal(content, {"damaged"});
}

/// Any change gives a field of the size of its configuration, or one clear error.
TEST(FieldSnapshotFaults, SeededMutationsAreAFieldOrAnError) {
  const std::string whole = snapshot_bytes(small_field(), {.compressed = false});
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string content = whole;
    const std::size_t range = random() % 4 == 0 ? content.size() : 1000;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) {
      char& byte = content[random() % range];
      const bool replaced = random() % 3 == 0;
      byte =
          static_cast<char>(replaced ? static_cast<int>(random() % 256) : byte ^ 1 << random() % 8);
    }
    try {
      const NeuralField field = snapshot_read(content);
      EXPECT_EQ(field.parameters.size(), field_parameters(field.application, field.config));
    } catch (const Error& error) {
      ++refused;
      EXPECT_FALSE(error.problem().empty() || error.where().empty() || error.remedy().empty());
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 3000);
}

}  // namespace
}  // namespace mote
