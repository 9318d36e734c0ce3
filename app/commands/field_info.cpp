// `mote info` of neural fields: encoding, networks, sizes and place.
#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "app/commands/info_facts.h"
#include "core/file.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "fields/applications/nerf_layout.h"
#include "fields/drawn_part.h"
#include "fields/occupancy.h"
#include "fields/proposals/contraction.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/snapshot_proposals.h"
#include "io/fields/snapshot_storage.h"
#include "train/fields/field_model.h"

namespace mote {
namespace {

using nlohmann::json;

const NeuralField& field_of(const LoadedModel& loaded) {
  return dynamic_cast<const HostField&>(*loaded.model).field();
}

/// Fraction of the cells of all cascades that are occupied.
double occupied_fraction(const NeuralField& field) {
  if (field.occupancy.values.empty()) return 0;
  const OccupancyBits bits(field.occupancy);
  std::size_t occupied = 0;
  for (const std::uint64_t word : bits.words()) {
    occupied += static_cast<std::size_t>(std::popcount(word));
  }
  return static_cast<double>(occupied) / static_cast<double>(field.occupancy.values.size());
}

/// The layers before the outputs.
std::string layers_text(const NetworkConfig& network) {
  if (network.kind == NetworkKind::gaussians) return fmt::format("{} Gaussians", network.neurons);
  if (network.hidden_layers == 0) return "no hidden layer";
  return fmt::format("{} hidden {} of {} neurons, {}", network.hidden_layers,
                     network.hidden_layers == 1 ? "layer" : "layers", network.neurons,
                     kActivationNames[static_cast<std::size_t>(network.activation)]);
}

std::string network_text(const NetworkConfig& network) {
  if (network.output_activation == LayerActivation::none) return layers_text(network);
  return layers_text(network) + ", outputs " +
         std::string(kActivationNames[static_cast<std::size_t>(network.output_activation)]);
}

std::string grid_text(const GridConfig& grid) {
  constexpr std::array<std::string_view, 3> kKinds{"hash grid", "dense grid", "tiled grid"};
  const std::vector<GridLevel> levels = grid_levels(grid);
  return fmt::format("{}, {} levels of {} to {} points per axis, {} features, {}, {} parameters",
                     kKinds[static_cast<std::size_t>(grid.kind)], grid.levels,
                     levels.front().resolution, levels.back().resolution, grid.features,
                     kInterpolationNames[static_cast<std::size_t>(grid.interpolation)],
                     grid_parameters(grid));
}

/// The name that configurations have for the type of a part.
std::string type_name(const EncodingPart& part) {
  FieldConfig config;
  config.encoding.emplace().parts.push_back(part);
  return field_config_json(config)["encoding"]["otype"].get<std::string>();
}

std::string encoding_text(const EncodingConfig& encoding) {
  std::string text;
  for (const EncodingPart& part : encoding.parts) {
    if (!text.empty()) text += "; ";
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    text += grid != nullptr ? grid_text(grid->grid)
                            : fmt::format("{}, {} values of {} inputs", type_name(part),
                                          encoding_outputs(part), part.inputs);
  }
  return text;
}

int latent_count(const NeuralField& field) {
  const auto& direction = field.config.direction_encoding;
  return direction ? latents_of(*direction) : 0;
}

/// How a softplus gives the density.
std::string soft_density_text(const NeuralField& field) {
  return fmt::format(
      "a softplus; a cell, of {:g} per side of the cube, has the opacity {:g} where "
      "the network gives 0",
      nerf_layout(field.config).soft_density->cells, field.config.density.alpha);
}

/// Adds a row for each round of the proposals, and one for the field's own samples.
void add_proposals(const NeuralField& field, const auto& row) {
  if (!field.proposals) return;
  for (const ProposalRound& round : field.proposals->rounds) {
    row("proposal", fmt::format("{} intervals of a ray; {}", round.samples,
                                encoding_text(*round.config.encoding)));
  }
  row("samples", fmt::format("{} of a ray, in all of space; not contracted in a cube of side {:g}",
                             field.proposals->samples, 2 * inner_reach(field.aabb_scale)));
}

/// Adds rows for the parts that only a NeRF has. The configuration in a file of another field may
/// name them too.
void add_nerf(const NeuralField& field, const auto& row) {
  if (field.config.density.kind == DensityKind::softplus) row("density", soft_density_text(field));
  if (field.config.direction_encoding) {
    row("direction", encoding_text(*field.config.direction_encoding));
  }
  if (const int latents = latent_count(field)) {
    row("latents", fmt::format("{} of each photograph", latents));
  }
  if (field.config.color_network) row("colours", network_text(*field.config.color_network));
  add_proposals(field, row);
}

/// The loss, and Adam with what is nested around it; empty if the file has neither.
std::string training_text(const FieldConfig& config) {
  std::string text;
  if (config.loss) text = kFieldLossNames[static_cast<std::size_t>(*config.loss)];
  if (!config.optimizer) return text;
  text += fmt::format("{}Adam with a rate of {:g}", text.empty() ? "" : ", ",
                      config.optimizer->learning_rate);
  if (const auto& decay = config.optimizer->decay) {
    text += fmt::format(", times {:g} every {} steps from {} on", decay->base, decay->interval,
                        decay->start);
  }
  if (config.optimizer->ema_decay) {
    text += fmt::format(", averages with a decay of {:g}", *config.optimizer->ema_decay);
  }
  return text;
}

/// The part of the world that is drawn.
std::string box_text(const NeuralField& field) {
  const auto [low, high] = render_box_in_world(field);
  return fmt::format("{:.4g},{:.4g},{:.4g} to {:.4g},{:.4g},{:.4g} in the world", low.x, low.y,
                     low.z, high.x, high.y, high.z);
}

json corner_json(const glm::vec3& corner) {
  return {corner.x, corner.y, corner.z};
}

/// The states of optimisers in the file.
std::string states_text(const std::optional<StoredStates>& states) {
  if (!states) return "the file has no state of it";
  if (!states->step) return "the file has a state that is none of Adam";
  std::string text =
      fmt::format("after {}: {} first and {} second moments, {}", number_of(*states->step, "step"),
                  states->first_moments, states->second_moments,
                  states->averages > 0 ? "averages" : "no averages");
  if (states->rounds > 0) {
    text += fmt::format("; those of {} too", number_of(states->rounds, "proposal"));
  }
  if (states->photographs > 0) {
    text += fmt::format("; those of the latents of {} too",
                        number_of(states->photographs, "photograph"));
  }
  return text;
}

json states_json(const std::optional<StoredStates>& states) {
  if (!states) return json();
  return {{"step", states->step ? json(*states->step) : json()},
          {"first_moments", states->first_moments},
          {"second_moments", states->second_moments},
          {"averages", states->averages},
          {"proposals", states->rounds},
          {"photographs", states->photographs}};
}

}  // namespace

json field_info_json(const LoadedModel& loaded) {
  const NeuralField& field = field_of(loaded);
  const SnapshotStorage storage = read_snapshot_storage(InputFile(loaded.file));
  const glm::dvec3& offset = field.placement.offset;
  return {
      {"file", loaded.file.string()},
      {"format", loaded.format},
      {"file_bytes", loaded.file_bytes},
      {"mode", kFieldApplicationNames[static_cast<std::size_t>(field.application)]},
      {"parameters", all_parameters(field)},
      {"parameter_format", storage.half ? "half" : "float"},
      {"optimizer_state", states_json(storage.states)},
      {"config", field_config_json(field.config)},
      {"aabb_scale", field.aabb_scale},
      {"cascades", field.occupancy.cascades},
      {"occupied", occupied_fraction(field)},
      {"proposals", field.proposals ? proposals_json(*field.proposals) : json()},
      {"scale", field.placement.scale},
      {"offset", {offset.x, offset.y, offset.z}},
      {"render_aabb",
       {{"min", corner_json(field.render_box.min)}, {"max", corner_json(field.render_box.max)}}},
      {"background", field.background},
      {"hdr", field.hdr},
      {"latents", latent_count(field)},
      {"width", field.image_width},
      {"height", field.image_height},
      {"training_step", field.training_step},
      {"memory_bytes", loaded.model->memory_bytes()}};
}

std::string field_info_text(const LoadedModel& loaded) {
  const NeuralField& field = field_of(loaded);
  std::string text = fmt::format("{}: {}\n", loaded.file.string(), field_description(field));
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12}{}\n", name, value);
  };
  const SnapshotStorage storage = read_snapshot_storage(InputFile(loaded.file));
  row("format", fmt::format("{}, {}, parameters as {}", loaded.format,
                            bytes_text(loaded.file_bytes), storage.half ? "halves" : "floats"));
  row("encoding", encoding_text(*field.config.encoding));
  row("network", network_text(*field.config.network));
  if (field.application == FieldApplication::nerf) add_nerf(field, row);
  if (field.application == FieldApplication::image) {
    row("picture", fmt::format("{}x{} pixels, {} values", field.image_width, field.image_height,
                               field.hdr ? "linear" : "display"));
  } else {
    row("box", fmt::format("a cube of side {}; {:.6g} of it is 1 in the world", field.aabb_scale,
                           field.placement.scale));
    row("drawn", box_text(field));
  }
  if (!field.occupancy.values.empty()) {
    row("occupied", fmt::format("{:.2f} % of the cells of {} cascades",
                                100 * occupied_fraction(field), field.occupancy.cascades));
  }
  row("background", fmt::format("{:.3g}", fmt::join(field.background, ",")));
  if (const std::string training = training_text(field.config); !training.empty()) {
    row("training", training);
  }
  row("trained", number_of(field.training_step, "step"));
  row("optimiser", states_text(storage.states));
  row("memory", bytes_text(loaded.model->memory_bytes()));
  return text;
}

}  // namespace mote
