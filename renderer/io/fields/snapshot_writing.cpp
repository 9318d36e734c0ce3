#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/nerf_layout.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_facts.h"
#include "io/fields/snapshot_optimizer.h"
#include "io/fields/snapshot_proposals.h"
#include "io/gzip_writer.h"
#include "math/half.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr std::size_t kPieceBytesWritten = std::size_t{1} << 20;  // between reports of progress
// Instant-ngp's constant of marching: steps grow with the distance in fields larger than the unit
// cube.
constexpr double kConeAngle = 1.0 / 256;
constexpr int kFirstRays = 4096;  // of a training batch of instant-ngp

json vector_json(const auto& v) {
  return {v.x, v.y, v.z};
}

json box_json(const FieldBox& box) {
  return {{"min", vector_json(box.min)}, {"max", vector_json(box.max)}};
}

json identity_json() {
  return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

json up_json() {
  return {0, 1, 0};
}

/// With all keys that instant-ngp reads. There are no photographs in it.
json dataset_json(const NeuralField& field) {
  return {{"n_images", 0},
          {"paths", json::array()},
          {"metadata", json::array()},
          {"xforms", json::array()},
          {"scale", field.placement.scale},
          {"offset", vector_json(field.placement.offset)},
          {"aabb_scale", field.aabb_scale},
          {"render_aabb", box_json(field.render_box)},
          {"render_aabb_to_local", identity_json()},
          {"up", up_json()},
          {"is_hdr", field.hdr},
          {"from_mitsuba", false},
          {"from_na", false},
          {"has_rays", false},
          {"has_light_dirs", false},
          {"wants_importance_sampling", true},
          {"n_extra_learnable_dims", latents_of(*field.config.direction_encoding)}};
}

/// A list of the photographs' latents, in the place where instant-ngp has them.
json latents_json(const NeuralField& field) {
  const auto each = static_cast<std::size_t>(latents_of(*field.config.direction_encoding));
  json photographs = json::array();
  for (std::size_t first = 0; each > 0 && first < field.latents.size(); first += each) {
    const auto begin = field.latents.begin() + static_cast<std::ptrdiff_t>(first);
    photographs.push_back(
        {{"variable", std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(each))}});
  }
  return photographs;
}

json nerf_json(const NeuralField& field) {
  json nerf{{"aabb_scale", field.aabb_scale},
            {"cone_angle_constant", field.aabb_scale > 1 ? kConeAngle : 0.0},
            {"rgb",
             {{"rays_per_batch", kFirstRays},
              {"measured_batch_size", 0},
              {"measured_batch_size_before_compaction", 0}}},
            {"dataset", dataset_json(field)}};
  if (!field.latents.empty()) nerf["extra_dims_opt"] = latents_json(field);
  return nerf;
}

/// The values as bytes, which become halves if `half`.
json packed_values(std::span<const float> values, bool half) {
  std::vector<std::uint8_t> bytes;
  bytes.resize(values.size() * (half ? sizeof(std::uint16_t) : sizeof(float)));
  if (!half) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return json::binary(std::move(bytes));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t own = to_half(std::clamp(values[i], -kLargestHalfFloat, kLargestHalfFloat));
    std::memcpy(bytes.data() + i * sizeof own, &own, sizeof own);
  }
  return json::binary(std::move(bytes));
}

/// CHECKs that the states are of the field.
void check_states(const NeuralField& field, const OptimizerStates& states) {
  const auto fits = [](const OptimizerState& state, std::size_t count) {
    return state.first.size() == count && state.second.size() == count &&
           state.updates.size() == count;
  };
  CHECK(fits(states.field, field.parameters.size()));
  const std::size_t rounds = field.proposals ? field.proposals->rounds.size() : 0;
  CHECK(states.proposals.empty() || states.proposals.size() == rounds);
  for (std::size_t r = 0; r < states.proposals.size(); ++r) {
    CHECK(fits(states.proposals[r], field.proposals->rounds[r].parameters.size()));
  }
  for (const LatentState& state : states.latents) {
    CHECK(state.first.size() * states.latents.size() == field.latents.size() &&
          state.second.size() == state.first.size());
  }
}

void check_field(const NeuralField& field, const SnapshotOptions& options,
                 const std::string& name) {
  const std::size_t count = field.parameters.size();
  CHECK(count == field_parameters(field.application, field.config));
  if (options.optimizer != nullptr) check_states(field, *options.optimizer);
  const auto broken = [](float v) { return !std::isfinite(v); };
  auto bad = std::ranges::count_if(field.parameters, broken);
  if (field.proposals) {
    for (const ProposalRound& round : field.proposals->rounds) {
      bad += std::ranges::count_if(round.parameters, broken);
    }
  }
  if (bad > 0) {
    throw Error(fmt::format("{} of {} parameters are not finite", bad, field.parameters.size()),
                name, "train again with a lower learning rate");
  }
  const bool is_half = options.half && options.optimizer == nullptr;
  const std::size_t width = is_half ? sizeof(std::uint16_t) : sizeof(float);
  if (count > std::numeric_limits<std::uint32_t>::max() / width) {
    throw Error(fmt::format("{} parameters are more than a snapshot can hold", count), name,
                is_half ? "use a smaller grid"
                        : "write halves without the state of the optimiser, or use a smaller grid");
  }
}

/// Adds the states of all optimisers to a snapshot with its proposals and latents. Returns the
/// bytes of their arrays.
std::size_t add_states(const NeuralField& field, const OptimizerStates& states, bool half,
                       json& snapshot) {
  std::size_t parameters = 0;
  // The configuration of a snapshot that was read may lack its optimiser.
  const auto state_json = [&](const FieldConfig& config, const OptimizerState& state,
                              std::span<const float> values) {
    parameters += values.size();
    return optimizer_state_json(config.optimizer.value_or(FieldOptimizer{}), state,
                                packed_values(values, half));
  };
  snapshot["optimizer"] = state_json(field.config, states.field, field.parameters);
  for (std::size_t r = 0; r < states.proposals.size(); ++r) {
    const ProposalRound& round = field.proposals->rounds[r];
    snapshot["proposals"]["rounds"][r][kStateOfRound] =
        state_json(round.config, states.proposals[r], round.parameters);
  }
  if (!states.latents.empty()) {
    add_latent_states(states.latents, snapshot["nerf"]["extra_dims_opt"]);
  }
  return parameters * (kOptimizerStateBytes + (half ? sizeof(std::uint16_t) : sizeof(float)));
}

void write_pieces(std::span<const std::byte> bytes, const auto& write,
                  const std::function<void(double)>& progress) {
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytesWritten) {
    write(bytes.subspan(at, std::min(kPieceBytesWritten, bytes.size() - at)));
    if (progress) progress(static_cast<double>(at) / static_cast<double>(bytes.size()));
  }
}

}  // namespace

json snapshot_facts_json(const NeuralField& field) {
  const auto application = static_cast<std::size_t>(field.application);
  json all = field_config_json(field.config);
  json& snapshot = all["snapshot"];
  snapshot = {
      {"version", kSnapshotVersion},
      {"mode", kFieldApplicationNames[application]},
      {"n_params", field.parameters.size()},
      {"training_step", field.training_step},
      {"loss", 0.0},
      {"aabb", box_json(field_cube(field.aabb_scale))},
      {"bounding_radius", 0.5 * std::sqrt(3.0) * field.aabb_scale},
      {"render_aabb", box_json(field.render_box)},
      {"render_aabb_to_local", identity_json()},
      {"up_dir", up_json()},
      {"exposure", 0.0},
      {"background_color", {field.background[0], field.background[1], field.background[2], 1}}};
  if (field.application == FieldApplication::nerf) {
    snapshot["nerf"] = nerf_json(field);
    if (field.proposals) snapshot["proposals"] = proposals_json(*field.proposals);
  } else {
    snapshot["placement"] = {{"scale", field.placement.scale},
                             {"offset", vector_json(field.placement.offset)}};
  }
  if (field.application == FieldApplication::image) {
    snapshot["image"] = {{"resolution", {field.image_width, field.image_height}},
                         {"is_hdr", field.hdr}};
  }
  return all;
}

void write_field_snapshot(const NeuralField& field, const SnapshotOptions& options,
                          OutputFile& file, const std::function<void(double)>& progress) {
  check_field(field, options, file.name());
  constexpr std::size_t kFactBytes = std::size_t{1} << 20;  // besides parameters and densities
  std::vector<std::uint8_t> packed;
  {
    json all = snapshot_facts_json(field);
    json& snapshot = all["snapshot"];
    snapshot["params_type"] = options.half ? kHalfParameters : kFloatParameters;
    snapshot["params_binary"] = packed_values(field.parameters, options.half);
    if (field.proposals) {
      for (std::size_t r = 0; r < field.proposals->rounds.size(); ++r) {
        snapshot["proposals"]["rounds"][r]["params_binary"] =
            packed_values(field.proposals->rounds[r].parameters, options.half);
      }
    }
    if (field.application == FieldApplication::nerf || !field.occupancy.values.empty()) {
      snapshot["density_grid_size"] = kOccupancySide;
      snapshot["density_grid_binary"] = packed_values(field.occupancy.values, true);
    }
    const std::size_t width = options.half ? sizeof(std::uint16_t) : sizeof(float);
    const std::size_t state_bytes =
        options.optimizer == nullptr
            ? 0
            : add_states(field, *options.optimizer, options.half, snapshot);
    packed.reserve(kFactBytes + all_parameters(field) * width + state_bytes +
                   field.occupancy.values.size() * sizeof(std::uint16_t));
    json::to_msgpack(all, packed);
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(packed));
  if (options.compressed) {
    // The moments of an optimiser are most of such a file, and have random digits.
    GzipWriter gzip(file, options.optimizer == nullptr ? GzipEffort::usual : GzipEffort::least);
    write_pieces(
        bytes, [&](std::span<const std::byte> piece) { gzip.write(piece); }, progress);
    gzip.finish();
  } else {
    write_pieces(
        bytes, [&](std::span<const std::byte> piece) { file.write(piece); }, progress);
  }
  if (progress) progress(1);
}

}  // namespace mote
