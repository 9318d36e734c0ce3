#pragma once

// Snapshots as bytes and as JSON, to be changed and read again.

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "fields/applications/nerf_layout.h"
#include "io/fields/field_snapshot.h"
#include "support/files/format_samples.h"
#include "support/tiny_field.h"

namespace mote {

inline std::string snapshot_bytes(const NeuralField& field, const SnapshotOptions& options = {},
                                  const std::function<void(double)>& progress = {}) {
  const samples::TemporaryFile file(".ingp");
  OutputFile output(file.path());
  write_field_snapshot(field, options, output, progress);
  output.commit();
  return file.read();
}

inline NeuralField snapshot_read(const std::string& content,
                                 const std::function<void(double)>& progress = {}) {
  const samples::TemporaryFile file(content, ".ingp");
  return read_field_snapshot(InputFile(file.path()), progress);
}

/// The state of an optimiser after `steps` steps.
inline OptimizerState random_state(std::size_t parameters, std::uint32_t steps) {
  std::mt19937 random(steps);
  const auto unit = [&] { return static_cast<float>(random() >> 8) * 0x1p-24f; };
  OptimizerState state{.step = steps, .first = {}, .second = {}, .updates = {}};
  for (std::size_t i = 0; i < parameters; ++i) {
    state.first.push_back(unit() - 0.5f);
    state.second.push_back(1e-4f * unit());
    state.updates.push_back(static_cast<std::uint32_t>(random()) % (steps + 1));
  }
  return state;
}

/// The states of all optimisers of a field after `steps` steps.
inline OptimizerStates random_states(const NeuralField& field, std::uint32_t steps) {
  OptimizerStates states{.field = random_state(field.parameters.size(), steps)};
  if (field.proposals) {
    for (const ProposalRound& round : field.proposals->rounds) {
      states.proposals.push_back(random_state(round.parameters.size(), ++steps));
    }
  }
  if (field.latents.empty()) return states;
  const int each = latents_of(*field.config.direction_encoding);
  for (std::size_t first = 0; first < field.latents.size();
       first += static_cast<std::size_t>(each)) {
    LatentState state{.steps = ++steps};
    for (int i = 0; i < each; ++i) {
      state.first.push_back(0.1 * i - 0.7 / steps);  // no floats
      state.second.push_back(1e-5 * (i + 1) / steps);
    }
    states.latents.push_back(std::move(state));
  }
  return states;
}

/// The MessagePack of a snapshot.
inline nlohmann::json snapshot_json(const NeuralField& field, SnapshotOptions options = {}) {
  options.compressed = false;
  return nlohmann::json::from_msgpack(snapshot_bytes(field, options));
}

inline std::string packed_snapshot(const nlohmann::json& all) {
  std::string content;
  nlohmann::json::to_msgpack(all, content);
  return content;
}

}  // namespace mote
