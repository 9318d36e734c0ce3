#include "io/fields/snapshot_optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "fields/latents.h"
#include "fields/optimizer_tables.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_arrays.h"
#include "io/fields/snapshot_facts.h"
#include "io/json_object.h"
#include "io/message_pack.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr const char *kFirstOfLatents = "first_moment", *kSecondOfLatents = "second_moment";

// A run adds its own steps to those of the file.
constexpr std::uint32_t kMostSteps = 1u << 31;
// Training clamps gradients to 1e18 in size, so that their squares are finite. Stored second
// moments are rounded.
constexpr float kLargestFirst = 1e18f, kLargestSecond = 1.001e36f;

template <class T>
json packed_array(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return json::binary(std::move(bytes));
}

/// Where the parts of a state are: keys from the snapshot, such as "optimizer/nested".
struct StatePlaces {
  std::string adam, average;  // average: empty if no optimiser averages
  std::uint32_t step = 0;
  bool has_updates = false;
};

void check_rate(const JsonObject& own, const char* key) {
  if (!own.has(key)) return;
  if (const double rate = own.number(key); !(rate >= 0)) {
    own.fail(key, fmt::format("expected a number from 0 on, found {}", rate));
  }
}

/// Goes inwards through the nested optimisers, of which a file has at most as many as levels.
void find_state(const JsonObject& own, const std::string& path, StatePlaces& places) {
  if (own.has(kAverage)) places.average = path + "/" + kAverage;
  check_rate(own, "learning_rate");
  check_rate(own, "learning_rate_factor");
  if (own.has(kNestedOptimizer)) {
    return find_state(own.object(kNestedOptimizer), path + "/" + kNestedOptimizer, places);
  }
  places.adam = path;
  places.step = static_cast<std::uint32_t>(whole_number(own, kStepOfState, 0, kMostSteps));
  places.has_updates = own.has(kUpdates);
  check_rate(own, "base_learning_rate");
}

/// Throws Error, which names the key, if one of the values is bad.
template <class T, class IsBad>
void check_values(const std::vector<T>& values, const IsBad& is_bad, const std::string& problem,
                  const std::string& name, const std::string& key) {
  const auto bad = std::ranges::count_if(values, is_bad);
  if (bad == 0) return;
  throw Error(fmt::format("{} of {} values {}", bad, values.size(), problem),
              fmt::format("{}, snapshot, {}", name, key),
              "copy or download the file again, or use it without the state of its optimiser");
}

void check_state(const OptimizerState& state, const StatePlaces& places, const std::string& name) {
  check_finite(state.first, name, places.adam + "/" + kFirstMoments);
  check_finite(state.second, name, places.adam + "/" + kSecondMoments);
  check_values(
      state.second, [](float moment) { return moment < 0; }, "are below 0", name,
      places.adam + "/" + kSecondMoments);
  check_values(
      state.first, [](float moment) { return std::abs(moment) > kLargestFirst; },
      fmt::format("are beyond {:g} in size", kLargestFirst), name,
      places.adam + "/" + kFirstMoments);
  check_values(
      state.second, [](float moment) { return moment > kLargestSecond; },
      fmt::format("are above {:g}", kLargestSecond), name, places.adam + "/" + kSecondMoments);
  check_values(
      state.updates, [&](std::uint32_t count) { return count > state.step; },
      fmt::format("are above current_step, {}", state.step), name, places.adam + "/" + kUpdates);
}

/// Finds the states of a snapshot's optimisers, then reads them in the order of the file.
class StateReading {
 public:
  /// References must outlive this. `half`: whether parameters have 2 bytes or 4.
  StateReading(const MessagePack& pack, bool half, const std::string& name)
      : pack_(pack), half_(half), name_(name) {}

  /// Adds the state `own`, at snapshot/KEY, of an optimiser with this configuration of so many
  /// parameters. `state` must outlive this. Throws Error if the state does not fit them.
  void add(const JsonObject& own, const std::string& key, const FieldConfig& config,
           std::uint64_t parameters, OptimizerState& state) {
    StatePlaces places;
    find_state(own, key, places);
    check_average(config, parameters, key, places);
    const auto place_of = [&](const char* array) {
      return binary_of(pack_, places.adam + "/" + array, parameters * sizeof(float), name_);
    };
    const PackedBinary first = place_of(kFirstMoments), second = place_of(kSecondMoments);
    const PackedBinary updates = places.has_updates ? place_of(kUpdates) : PackedBinary{};
    const auto count = static_cast<std::size_t>(parameters);
    state = OptimizerState{.step = places.step,
                           .first = allocated_values(count, name_),
                           .second = allocated_values(count, name_),
                           .updates = allocated_values<std::uint32_t>(count, name_)};
    wanted_.push_back({first, std::as_writable_bytes(std::span(state.first))});
    wanted_.push_back({second, std::as_writable_bytes(std::span(state.second))});
    // Older files do not have the numbers of updates, which then begin again at 0, as in
    // tiny-cuda-nn.
    if (places.has_updates) {
      wanted_.push_back({updates, std::as_writable_bytes(std::span(state.updates))});
    }
    states_.emplace_back(places, &state);
  }

  /// Reads and checks all states. `progress`: see SnapshotArrays.
  void read(const SnapshotContent& content, const std::function<void(double)>& progress) {
    std::ranges::sort(wanted_, {}, [](const Wanted& array) { return array.place.offset; });
    SnapshotArrays arrays(content, pack_.size, progress);
    for (const Wanted& array : wanted_) arrays.read(array.place, array.bytes);
    for (const auto& [places, state] : states_) check_state(*state, places, name_);
  }

 private:
  struct Wanted {
    PackedBinary place;
    std::span<std::byte> bytes;
  };

  /// Throws Error if the file lacks the averages that its configuration has, or they are of another
  /// number of parameters. Their values are those of the parameters.
  void check_average(const FieldConfig& config, std::uint64_t parameters, const std::string& key,
                     const StatePlaces& places) const {
    const bool averages = config.optimizer && config.optimizer->ema_decay;
    if (!averages && places.average.empty()) return;
    const std::size_t width = half_ ? sizeof(std::uint16_t) : sizeof(float);
    const std::string average = places.average.empty() ? key + "/" + kAverage : places.average;
    binary_of(pack_, average, parameters * width, name_);
  }

  const MessagePack& pack_;
  const bool half_;
  const std::string& name_;
  std::vector<Wanted> wanted_;
  std::vector<std::pair<StatePlaces, OptimizerState*>> states_;
};

/// Adds the states of the rounds of proposals, if the file has some.
void add_rounds(const JsonObject& snapshot, const NeuralField& field, StateReading& reading,
                std::vector<OptimizerState>& states) {
  if (!field.proposals) return;
  const std::vector<ProposalRound>& rounds = field.proposals->rounds;
  const std::vector<JsonObject> own = snapshot.object("proposals").objects("rounds", "round");
  const auto has_state = [](const JsonObject& round) { return round.has(kStateOfRound); };
  if (std::ranges::none_of(own, has_state)) return;
  states.resize(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    reading.add(own[r].object(kStateOfRound),
                fmt::format("proposals/rounds/{}/{}", r, kStateOfRound), rounds[r].config,
                proposal_parameters(rounds[r]), states[r]);
  }
}

/// The states of the photographs' latents, if the file has some.
std::vector<LatentState> read_latent_states(const JsonObject& snapshot, const NeuralField& field) {
  std::vector<LatentState> states;
  if (field.latents.empty()) return states;
  const auto each = static_cast<std::size_t>(latents_of(*field.config.direction_encoding));
  const std::vector<JsonObject> photographs =
      snapshot.object("nerf").objects("extra_dims_opt", "photograph");
  const auto has_state = [](const JsonObject& own) { return own.has(kStepsOfLatents); };
  if (std::ranges::none_of(photographs, has_state)) return states;
  for (const JsonObject& own : photographs) {
    LatentState state{
        .steps = static_cast<std::uint64_t>(whole_number(own, kStepsOfLatents, 0, kMostSteps)),
        .first = own.numbers(kFirstOfLatents, each),
        .second = own.numbers(kSecondOfLatents, each)};
    for (std::size_t i = 0; i < each; ++i) {
      if (!(std::abs(state.first[i]) <= double{kLargestFirst})) {
        own.fail(kFirstOfLatents, fmt::format("expected numbers up to {:g} in size, found {}",
                                              kLargestFirst, state.first[i]));
      }
      if (!(state.second[i] >= 0 && state.second[i] <= double{kLargestSecond})) {
        own.fail(kSecondOfLatents, fmt::format("expected numbers from 0 to {:g}, found {}",
                                               kLargestSecond, state.second[i]));
      }
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace

json optimizer_state_json(const FieldOptimizer& optimizer, const OptimizerState& state,
                          json average) {
  const double rate = learning_rate_at(optimizer, std::max(state.step, 1u));
  json own{{kStepOfState, state.step},
           {"base_learning_rate", rate},
           {kFirstMoments, packed_array(state.first)},
           {kSecondMoments, packed_array(state.second)},
           {kUpdates, packed_array(state.updates)}};
  if (optimizer.decay) {
    const double first = optimizer.learning_rate;
    own = {{"learning_rate", first},
           {"learning_rate_factor", first > 0 ? rate / first : 1.0},
           {kNestedOptimizer, std::move(own)}};
  }
  if (optimizer.ema_decay) {
    own = {{kAverage, std::move(average)}, {kNestedOptimizer, std::move(own)}};
  }
  return own;
}

void add_latent_states(const std::vector<LatentState>& states, json& photographs) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    photographs[i].update({{kStepsOfLatents, states[i].steps},
                           {kFirstOfLatents, states[i].first},
                           {kSecondOfLatents, states[i].second},
                           {"learning_rate", Latents::kLearningRate},
                           {"epsilon", Latents::kEpsilon},
                           {"beta1", Latents::kBeta1},
                           {"beta2", Latents::kBeta2}});
  }
}

std::optional<OptimizerStates> read_snapshot_optimizer(
    const InputFile& file, const std::function<void(double)>& progress) {
  const SnapshotContent content(file);
  const std::unique_ptr<Decompressor> first_pass = content.open();
  const MessagePack pack = read_message_pack(*first_pass, content.name());
  const std::string name = file.name();
  const SnapshotFacts facts = read_snapshot_facts(pack.top, name);
  first_pass->count_rest(kMostRest);  // to the end, where zlib checks the checksum
  if (progress) progress(0.5);
  const JsonObject snapshot = JsonObject(pack.top, name).object("snapshot");
  if (!snapshot.has("optimizer")) return {};
  OptimizerStates states;
  StateReading reading(pack, facts.half, name);
  reading.add(snapshot.object("optimizer"), "optimizer", facts.field.config, facts.parameters,
              states.field);
  add_rounds(snapshot, facts.field, reading, states.proposals);
  states.latents = read_latent_states(snapshot, facts.field);
  reading.read(content, progress);
  if (progress) progress(1);
  return states;
}

}  // namespace mote
