#include "train/fields/field_start.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "fields/applications/nerf_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"

namespace mote {
namespace {

constexpr const char* kOtherSnapshot = "give another file with --init-field";

NeuralField read_start(const FieldOptions& options, FieldApplication application) {
  NeuralField field = read_field_snapshot(InputFile(options.init_field), {});
  if (field.application == application) return field;
  const auto name = [](FieldApplication of) {
    return kFieldApplicationNames[static_cast<std::size_t>(of)];
  };
  throw Error(fmt::format("is a field of --model {}, and the run trains --model {}",
                          name(field.application), name(application)),
              options.init_field, kOtherSnapshot);
}

/// Throws Error for a part of the networks that differs. Loss and optimiser may differ.
void check_same_networks(const FieldConfig& own, const FieldConfig& start,
                         const std::string& file) {
  const nlohmann::json wanted = field_config_json(own), found = field_config_json(start);
  for (const char* key :
       {"encoding", "dir_encoding", "network", "rgb_network", "density_activation"}) {
    const auto at = [&](const nlohmann::json& all) { return all.value(key, nlohmann::json()); };
    if (at(wanted) == at(found)) continue;
    throw Error(fmt::format("has another {} than the run", key), file,
                "leave --network out, so that the run takes the configuration of the snapshot");
  }
}

void check_nerf(const FieldOptions& options, const NeuralField& own, const NeuralField& start) {
  const auto refuse = [&](const std::string& problem, const char* remedy) {
    throw Error(problem, options.init_field, remedy);
  };
  if (start.proposals || own.proposals) {
    refuse("a run with --sampler proposal cannot start from a snapshot", kOtherSnapshot);
  }
  if (latents_of(*start.config.direction_encoding) > 0) {
    refuse("has latents of photographs, which a run cannot start from", kOtherSnapshot);
  }
  if (start.hdr != own.hdr) {
    refuse(start.hdr ? "has light without an upper bound, and the photographs have not"
                     : "has light up to white, and the photographs have no upper bound",
           "choose --light-mode as in the run of the snapshot");
  }
  if (options.aabb_scale > 0 && options.aabb_scale != start.aabb_scale) {
    refuse(fmt::format("fills a cube of side {}, not {}", start.aabb_scale, options.aabb_scale),
           "leave --aabb-scale out");
  }
}

}  // namespace

FieldConfig start_config(const FieldOptions& options, FieldApplication application) {
  return read_start(options, application).config;
}

void start_from_snapshot(const FieldOptions& options, NeuralField& field) {
  NeuralField start = read_start(options, field.application);
  check_same_networks(field.config, start.config, options.init_field);
  const bool has_world =
      field.application == FieldApplication::sdf || field.application == FieldApplication::volume;
  if (has_world && start.placement != field.placement) {
    throw Error("is in another place of the world than the data of the run", options.init_field,
                "train on the data that the snapshot was trained on");
  }
  if (field.application == FieldApplication::nerf) {
    check_nerf(options, field, start);
    field.placement = start.placement;
    field.aabb_scale = start.aabb_scale;
    field.render_box = start.render_box;
  }
  field.parameters = std::move(start.parameters);
}

std::optional<OptimizerState> start_state(const FieldOptions& options) {
  return read_snapshot_optimizer(InputFile(options.init_field), {});
}

}  // namespace mote
