#include "train/fields/field_start.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "core/interrupt.h"
#include "core/spelling.h"
#include "fields/applications/nerf_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_facts.h"
#include "io/fields/snapshot_proposals.h"

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
  const auto refuse = [&](const std::string& problem, const std::string& remedy) {
    throw Error(problem, options.init_field, remedy);
  };
  if (start.proposals && !options.has_proposals()) {
    refuse("has proposals, which choose samples in all of space, and the run takes them in a cube",
           "give --sampler proposal");
  }
  if (!start.proposals && options.has_proposals()) {
    refuse("fills a cube and has no proposals, which the run takes its samples from",
           "leave --sampler proposal out");
  }
  const int found = latents_of(*start.config.direction_encoding),
            wanted = latents_of(*own.config.direction_encoding);
  if (found != wanted) {
    refuse(found == 0 ? fmt::format("has no latents, and the run has {} of each photograph", wanted)
                      : fmt::format("has {} latents of each photograph, and the run has {}", found,
                                    wanted == 0 ? "none" : std::to_string(wanted)),
           fmt::format("give --latents {}", found));
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

/// Gives a NeRF the proposals of the snapshot, with its own optimiser.
void take_proposals(const NeuralField& start, NeuralField& field) {
  field.proposals = start.proposals;
  if (!field.proposals) return;
  for (ProposalRound& round : field.proposals->rounds) {
    round.config.optimizer = field.config.optimizer;
  }
}

/// Gives a NeRF the place and the proposals of the snapshot. Throws Error if the snapshot does not
/// fit the run.
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
    take_proposals(start, field);
  }
}

/// Gives a NeRF the latents of the snapshot. Returns warnings.
std::vector<std::string> take_latents(const NeuralField& start, const std::string& file,
                                      std::size_t photographs, NeuralField& field) {
  if (field.application != FieldApplication::nerf) return {};
  const auto each = static_cast<std::size_t>(latents_of(*field.config.direction_encoding));
  if (each == 0) return {};
  const std::size_t found = start.latents.size() / each;
  if (found == photographs) {
    field.latents = start.latents;
    return {};
  }
  return {fmt::format("{} has the latents of {}, and the run trains on {}: they begin at random",
                      file, number_of(found, "photograph"), number_of(photographs, "photograph"))};
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
  if (start.proposals) {
    const std::string values = proposals_json(*start.proposals).dump();
    fingerprint.add_bytes(std::as_bytes(std::span(values)));
  }
  return fingerprint.value();
}

void place_as_snapshot(const FieldOptions& options, NeuralField& field) {
  take_place(options, read_start_facts(options, field.application), field);
}

std::vector<std::string> start_from_snapshot(const FieldOptions& options, std::size_t photographs,
                                             NeuralField& field) {
  NeuralField start = read_field_snapshot(InputFile(options.init_field), stop_if_interrupted);
  check_application(start, field.application, options.init_field);
  take_place(options, start, field);
  field.parameters = std::move(start.parameters);
  return take_latents(start, options.init_field, photographs, field);
}

std::optional<OptimizerStates> start_states(const FieldOptions& options) {
  return read_snapshot_optimizer(InputFile(options.init_field), stop_if_interrupted);
}

}  // namespace mote
