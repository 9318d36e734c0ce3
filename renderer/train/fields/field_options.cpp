#include "train/fields/field_options.h"

#include <bit>
#include <filesystem>

#include "io/fields/field_config_file.h"
#include "train/fields/field_placing.h"

namespace mote {
namespace {

/// A dense grid whose finest level has 256 points per axis, and one of two coarse levels (Mubarik
/// et al. 2023, "Hardware Acceleration of Neural Graphics").
GridEncoding dense_grid(std::string_view name) {
  if (name == "dense") {
    return {.grid = {.kind = GridKind::dense,
                     .levels = 8,
                     .features = 2,
                     .base_resolution = 16,
                     .per_level_scale = grid_growth(256, 16, 8)}};
  }
  return {.grid = {.kind = GridKind::dense,
                   .levels = 2,
                   .features = 8,
                   .base_resolution = 64,
                   .per_level_scale = 2}};
}

}  // namespace

void FieldOptions::describe(OptionTable& table) {
  constexpr const char* kGroup = "Neural fields";
  table
      .add(
          {.name = "network",
           .target = &network,
           .help =
               R"(nerf: encodings, networks, loss and optimiser from a configuration file of tiny-cuda-nn or instant-ngp)",
           .placeholder = "FILE",
           .group = kGroup})
      .add({.name = "encoding",
            .target = &encoding,
            .help = "nerf: encoding of positions, unless --network names one",
            .choices = {"hash", "dense", "low-resolution"},
            .group = kGroup})
      .add({.name = "batch",
            .target = &batch,
            .help = "nerf: samples along rays in each step",
            .aliases = {"--batch-size"},
            .minimum = 1024,
            .maximum = 1 << 22,
            .group = kGroup})
      .add(
          {.name = "aabb-scale",
           .target = &aabb_scale,
           .help =
               R"(nerf: side of the cube that the field fills, a power of two up to 128; the subject of the photographs fits into a cube of side 1; 0: chosen by the dataset)",
           .minimum = 0,
           .maximum = kMostAabbScale,
           .group = kGroup});
}

void FieldOptions::check() const {
  if (aabb_scale > 0 && !std::has_single_bit(static_cast<unsigned>(aabb_scale))) {
    throw UsageError(std::to_string(aabb_scale) + " is not a power of two", "--aabb-scale",
                     "give 1, 2, 4, 8, 16, 32, 64 or 128, or 0 to let the dataset decide");
  }
  std::error_code ignored;
  if (!network.empty() && !std::filesystem::exists(network, ignored)) {
    throw UsageError("'" + network + "' does not exist", "--network",
                     "give the path of a configuration file");
  }
}

FieldConfig chosen_config(const FieldOptions& options) {
  FieldConfig config;
  if (!options.network.empty()) config = read_field_config(options.network, {});
  if (!config.encoding && options.encoding != "hash") {
    config.encoding = {
        .parts = {{.kind = dense_grid(options.encoding), .first_input = 0, .inputs = 3}}};
  }
  return config;
}

}  // namespace mote
