#include "train/fields/field_start.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "core/interrupt.h"
#include "fields/applications/nerf_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_facts.h"

namespace mote {
namespace {

constexpr const char* kOtherSnapshot = "give another file with --init-field";

/// Large snapshots are read for seconds.
void stop_if_interrupted(double) {
  throw_if_interrupted();
}

void check_application(const NeuralField& start, FieldApplication application,
                       const std::string& file) {
  if (start.application == application) return;
  const auto name = [](FieldApplication of) {
    return kFieldApplicationNames[static_cast<std::size_t>(of)];
  };
  throw Error(fmt::format("is a field of --model {}, and the run trains --model {}",
                          name(start.application), name(application)),
              file, kOtherSnapshot);
}

/// The snapshot without its arrays.
NeuralField read_start_facts(const FieldOptions& options, FieldApplication application) {
  throw_if_interrupted();
  NeuralField start = read_snapshot_field(InputFile(options.init_field));
  check_application(start, application, options.init_field);
  return start;
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
  if (latents_of(*own.config.direction_encoding) > 0) {
    refuse("has no latents, and the data set has", "give --latents 0");
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

/// Gives a NeRF the place of the snapshot. Throws Error if the snapshot does not fit the run.
void take_place(const FieldOptions& options, const NeuralField& start, NeuralField& field) {
  // Latents change the encoding of directions too, and have their own remedy.
  if (field.application == FieldApplication::nerf) check_nerf(options, field, start);
  check_same_networks(field.config, start.config, options.init_field);
  const bool has_world =
      field.application == FieldApplication::sdf || field.application == FieldApplication::volume;
  if (has_world && start.placement != field.placement) {
    throw Error("is in another place of the world than the data of the run", options.init_field,
                "train on the data that the snapshot was trained on");
  }
  if (field.application == FieldApplication::nerf) {
    field.placement = start.placement;
    field.aabb_scale = start.aabb_scale;
    field.render_box = start.render_box;
  }
}

}  // namespace

FieldConfig start_config(const FieldOptions& options, FieldApplication application) {
  return read_start_facts(options, application).config;
}

std::uint64_t start_place(const FieldOptions& options, FieldApplication application) {
  const NeuralField start = read_start_facts(options, application);
  Fingerprint fingerprint;
  fingerprint.add(start.placement.scale);
  fingerprint.add(start.aabb_scale);
  for (int axis = 0; axis < 3; ++axis) {
    fingerprint.add(start.placement.offset[axis]);
    fingerprint.add(start.render_box.min[axis]);
    fingerprint.add(start.render_box.max[axis]);
  }
  return fingerprint.value();
}

void place_as_snapshot(const FieldOptions& options, NeuralField& field) {
  take_place(options, read_start_facts(options, field.application), field);
}

void start_from_snapshot(const FieldOptions& options, NeuralField& field) {
  NeuralField start = read_field_snapshot(InputFile(options.init_field), stop_if_interrupted);
  check_application(start, field.application, options.init_field);
  take_place(options, start, field);
  field.parameters = std::move(start.parameters);
}

std::optional<OptimizerState> start_state(const FieldOptions& options) {
  return read_snapshot_optimizer(InputFile(options.init_field), stop_if_interrupted);
}

}  // namespace mote
