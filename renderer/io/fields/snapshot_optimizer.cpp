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
#include "fields/optimizer_tables.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_arrays.h"
#include "io/fields/snapshot_facts.h"
#include "io/json_object.h"
#include "io/message_pack.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr const char* kFirstMoments = "first_moments_binary";
constexpr const char* kSecondMoments = "second_moments_binary";
constexpr const char* kUpdates = "param_steps_binary";
constexpr const char* kAverage = "weights_ema_binary";
constexpr const char* kNested = "nested";

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
  if (own.has(kNested)) return find_state(own.object(kNested), path + "/" + kNested, places);
  places.adam = path;
  places.step = static_cast<std::uint32_t>(whole_number(own, "current_step", 0, kMostSteps));
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

/// Throws Error if the file lacks the averages that its configuration has, or they are of another
/// number of parameters. Their values are those of the parameters.
void check_average(const MessagePack& pack, const SnapshotFacts& facts, const StatePlaces& places,
                   const std::string& name) {
  const bool averages = facts.field.config.optimizer && facts.field.config.optimizer->ema_decay;
  if (!averages && places.average.empty()) return;
  const std::size_t width = facts.half ? sizeof(std::uint16_t) : sizeof(float);
  const std::string key =
      places.average.empty() ? std::string("optimizer/") + kAverage : places.average;
  binary_of(pack, key, facts.parameters * width, name);
}

}  // namespace

json optimizer_state_json(const FieldOptimizer& optimizer, const OptimizerState& state,
                          json average) {
  const double rate = learning_rate_at(optimizer, std::max(state.step, 1u));
  json own{{"current_step", state.step},
           {"base_learning_rate", rate},
           {kFirstMoments, packed_array(state.first)},
           {kSecondMoments, packed_array(state.second)},
           {kUpdates, packed_array(state.updates)}};
  if (optimizer.decay) {
    const double first = optimizer.learning_rate;
    own = {{"learning_rate", first},
           {"learning_rate_factor", first > 0 ? rate / first : 1.0},
           {kNested, std::move(own)}};
  }
  if (optimizer.ema_decay) own = {{kAverage, std::move(average)}, {kNested, std::move(own)}};
  return own;
}

std::optional<OptimizerState> read_snapshot_optimizer(const InputFile& file,
                                                      const std::function<void(double)>& progress) {
  const SnapshotContent content(file);
  const std::unique_ptr<Decompressor> first_pass = content.open();
  const MessagePack pack = read_message_pack(*first_pass, content.name());
  const SnapshotFacts facts = read_snapshot_facts(pack.top, file.name());
  first_pass->count_rest(kMostRest);  // to the end, where zlib checks the checksum
  if (progress) progress(0.5);
  const JsonObject snapshot = JsonObject(pack.top, file.name()).object("snapshot");
  if (!snapshot.has("optimizer")) return {};
  StatePlaces places;
  find_state(snapshot.object("optimizer"), "optimizer", places);
  check_average(pack, facts, places, file.name());

  struct Wanted {
    PackedBinary place;
    std::span<std::byte> bytes;
  };
  const auto count = static_cast<std::size_t>(facts.parameters);
  const auto place_of = [&](const char* key) {
    return binary_of(pack, places.adam + "/" + key, facts.parameters * sizeof(float), file.name());
  };
  const PackedBinary first = place_of(kFirstMoments), second = place_of(kSecondMoments);
  const PackedBinary updates = places.has_updates ? place_of(kUpdates) : PackedBinary{};
  OptimizerState state{.step = places.step,
                       .first = allocated_values(count, file.name()),
                       .second = allocated_values(count, file.name()),
                       .updates = allocated_values<std::uint32_t>(count, file.name())};
  std::vector<Wanted> wanted{{first, std::as_writable_bytes(std::span(state.first))},
                             {second, std::as_writable_bytes(std::span(state.second))}};
  // Older files do not have the numbers of updates, which then begin again at 0, as in
  // tiny-cuda-nn.
  if (places.has_updates) {
    wanted.push_back({updates, std::as_writable_bytes(std::span(state.updates))});
  }
  std::ranges::sort(wanted, {}, [](const Wanted& array) { return array.place.offset; });
  SnapshotArrays arrays(content, pack.size, progress);
  for (const Wanted& array : wanted) arrays.read(array.place, array.bytes);
  check_state(state, places, file.name());
  if (progress) progress(1);
  return state;
}

}  // namespace mote
