#include "train/fields/field_options.h"

#include <bit>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/nerf_layout.h"
#include "io/fields/field_config_file.h"
#include "train/fields/field_placing.h"
#include "train/fields/field_start.h"

namespace mote {
namespace {

constexpr int kLeastBatch = 1024;
/// With proposals. Space within 1 of the centre is not contracted; cameras are 1.33 away.
constexpr int kContractedSide = 4;

/// A dense grid of many levels, or of two coarse ones with more features (Mubarik et al. 2023,
/// "Hardware Acceleration of Neural Graphics").
GridEncoding dense_grid(std::string_view name, int dimensions) {
  const bool flat = dimensions == 2;  // in the plane, finer grids have as many entries
  if (name == "dense") {
    return {.grid = {.kind = GridKind::dense,
                     .dimensions = dimensions,
                     .levels = 8,
                     .features = 2,
                     .base_resolution = 16,
                     .per_level_scale = grid_growth(flat ? 1024 : 256, 16, 8)}};
  }
  return {.grid = {.kind = GridKind::dense,
                   .dimensions = dimensions,
                   .levels = 2,
                   .features = 8,
                   .base_resolution = flat ? 128 : 64,
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
               R"(encodings, networks, loss and optimiser from a configuration file of tiny-cuda-nn or instant-ngp)",
           .placeholder = "FILE",
           .group = kGroup})
      .add({.name = "encoding",
            .target = &encoding,
            .help = "encoding of positions, unless --network names one",
            .choices = {"hash", "dense", "low-resolution"},
            .group = kGroup})
      .add({.name = "batch",
            .target = &batch,
            .help = "samples of each step, 1024 or more; of a NeRF, those along its rays; 0: "
                    "131072 for a NeRF, 65536 for other fields",
            .aliases = {"--batch-size"},
            .minimum = 0,
            .maximum = 1 << 22,
            .zero = "auto",
            .group = kGroup})
      .add({.name = "lr-factor",
            .target = &lr_factor,
            .help = "factor on the learning rate of the configuration; a resumed run may have "
                    "another one",
            .minimum = 0,
            .maximum = 1000,
            .group = kGroup})
      .add(
          {.name = "aabb-scale",
           .target = &aabb_scale,
           .help =
               R"(for --model nerf: side of the cube that the field fills, a power of two up to 128; the subject of the photographs fits into a cube of side 1; 0: chosen by the dataset)",
           .minimum = 0,
           .maximum = kMostAabbScale,
           .zero = "auto",
           .group = kGroup})
      .add({.name = "latents",
            .target = &latents,
            .help =
                "for --model nerf: numbers that are learned for each photograph, so that colours "
                "may differ between them; other views take their mean; -1: as many as the snapshot "
                "of --init-field has, or the dataset at n_extra_learnable_dims, or none",
            .minimum = -1,
            .maximum = kMostLatents,
            .group = kGroup})
      .add({.name = "error-map",
            .target = &error_map,
            .help =
                R"(for --model nerf: choose half of the pixels of a step where errors are large)",
            .group = kGroup})
      .add(
          {.name = "eikonal",
           .target = &eikonal,
           .help =
               R"(for meshes: weight of a loss that keeps the slope of the distance at 1; 0: without it; 0.1 is usual)",
           .minimum = 0,
           .maximum = 100,
           .zero = "off",
           .group = kGroup})
      .add(
          {.name = "march-step",
           .target = &march_step,
           .help =
               R"(for --model nerf: least length of the steps along rays, in usual steps, until 268 million samples are trained; longer steps train more rays, and thin parts later)",
           .choices = {"1", "2", "4", "8"},
           .group = kGroup})
      .add(
          {.name = "occupancy-samples",
           .target = &occupancy_samples,
           .help =
               R"(for --model nerf: samples that are trained between two updates of the grid of occupied cells; fewer find empty space earlier, and cost more time)",
           .minimum = 1 << 16,
           .maximum = 1 << 30,
           .group = kGroup})
      .add(
          {.name = "sampler",
           .target = &sampler,
           .help =
               R"(for --model nerf: samples along rays in occupied cells of a grid, or, in all of space, where small density fields find light; their inner part has half the side of --aabb-scale)",
           .choices = {"occupancy", "proposal"},
           .group = kGroup})
      .add(
          {.name = "distortion",
           .target = &distortion,
           .help =
               R"(for --model nerf: with --sampler proposal, weight of a loss that draws the light of a ray to one place)",
           .minimum = 0,
           .maximum = 10,
           .group = kGroup})
      .add(
          {.name = "grid-sums",
           .target = &grid_sums,
           .help =
               R"(with --device cuda: exact sums of the gradients of grids, which are the same in each run, or fast ones, of floats in any order and with half of the bytes)",
           .choices = {"exact", "fast"},
           .group = kGroup})
      .add({.name = "init-field",
            .target = &init_field,
            .help = "start from the parameters of this snapshot (.ingp, .msgpack) and, if it has "
                    "them, from the states of its optimisers, instead of random numbers",
            .placeholder = "FILE",
            .group = kGroup})
      .add({.name = "parameter-format",
            .target = &parameter_format,
            .help = "numbers of the parameters in the snapshots that the run leaves",
            .choices = {"half", "float"},
            .group = kGroup})
      .add({.name = "optimizer-state",
            .target = &optimizer_state,
            .help = "write the states of the optimisers into the snapshots that the run leaves, so "
                    "that --init-field and instant-ngp continue with them",
            .group = kGroup});
}

int FieldOptions::cube_side() const {
  return aabb_scale == 0 && has_proposals() ? kContractedSide : aabb_scale;
}

void FieldOptions::check() const {
  if (aabb_scale > 0 && !std::has_single_bit(static_cast<unsigned>(aabb_scale))) {
    throw UsageError(std::to_string(aabb_scale) + " is not a power of two", "--aabb-scale",
                     "give 1, 2, 4, 8, 16, 32, 64 or 128, or 0 to let the dataset decide");
  }
  if (batch > 0 && batch < kLeastBatch) {
    throw UsageError(
        std::to_string(batch) + " samples are too few", "--batch",
        "give at least " + std::to_string(kLeastBatch) + ", or 0 for the usual number");
  }
  std::error_code ignored;
  if (!network.empty() && !std::filesystem::exists(network, ignored)) {
    throw UsageError("'" + network + "' does not exist", "--network",
                     "give the path of a configuration file");
  }
  if (init_field.empty()) return;
  if (!std::filesystem::exists(init_field, ignored)) {
    throw UsageError("'" + init_field + "' does not exist", "--init-field",
                     "give the path of a snapshot, .ingp or .msgpack");
  }
  const auto refuse = [](const char* option) {
    throw UsageError("a run with --init-field cannot have it", option, "leave one of them out");
  };
  if (encoding != "hash") refuse("--encoding");
}

int latents_of_run(const FieldOptions& options, const Dataset& dataset) {
  if (options.latents >= 0) return options.latents;
  const int latents = dataset.field_hints.latents;
  if (latents <= kMostLatents) return latents;
  throw Error("n_extra_learnable_dims is " + std::to_string(latents) + ", and at most " +
                  std::to_string(kMostLatents) + " latents are built",
              dataset.source, "give a number with --latents");
}

FieldConfig with_latents_of_run(FieldConfig complete, const FieldOptions& options,
                                const Dataset& dataset) {
  const int found = latents_of(*complete.direction_encoding);
  const int wanted = latents_of_run(options, dataset);
  const bool is_chosen = options.latents >= 0 || wanted > 0;
  if (found > 0 && (!is_chosen || found == wanted)) return complete;
  if (found > 0) complete.direction_encoding->parts.pop_back();
  return with_latents(std::move(complete), wanted);
}

std::size_t samples_per_step(const FieldOptions& options, FieldApplication application) {
  if (options.batch > 0) return static_cast<std::size_t>(options.batch);
  return std::size_t{1} << (application == FieldApplication::nerf ? 17 : 16);
}

void rethrow_at_config_key(const FieldOptions& options) {
  try {
    throw;
  } catch (const Error& fault) {
    if (options.network.empty() || !is_field_config_key(fault.where())) throw;
    throw ConfigText(options.network).placed(fault);
  }
}

bool network_names_encoding(const FieldOptions& options) {
  return !options.network.empty() && ConfigText(options.network).top().contains("encoding");
}

FieldConfig chosen_config(const FieldOptions& options, FieldApplication application) {
  const int inputs = field_inputs(application);
  FieldConfig config;
  if (!options.network.empty()) {
    config = read_field_config(options.network, {.position = inputs});
  } else if (!options.init_field.empty()) {
    config = start_config(options, application);
  }
  with_config_places(options, [&] {
    if (!config.encoding || config.encoding->outputs() > 0) return;
    throw Error("gives no values", "encoding", "use an encoding that is not empty");
  });
  if (!config.encoding && options.encoding != "hash") {
    config.encoding = {
        .parts = {
            {.kind = dense_grid(options.encoding, inputs), .first_input = 0, .inputs = inputs}}};
  }
  return config;
}

}  // namespace mote
