#include "io/fields/snapshot_storage.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "io/decompression.h"
#include "io/fields/snapshot_arrays.h"
#include "io/fields/snapshot_facts.h"
#include "io/fields/snapshot_optimizer.h"
#include "io/message_pack.h"

namespace mote {
namespace {

using nlohmann::json;

/// Number of values of `width` bytes at snapshot/KEY.
std::uint64_t stored_values(const MessagePack& pack, const std::string& key, std::size_t width) {
  const auto found = pack.binaries.find("snapshot/" + key);
  return found == pack.binaries.end() ? 0 : found->second.size / width;
}

/// Describes the state `own` at snapshot/KEY, from the outermost optimiser inwards. `width`: bytes
/// of a parameter.
void describe_state(const MessagePack& pack, const json& own, const std::string& key,
                    std::size_t width, StoredStates& states) {
  states.averages += stored_values(pack, key + "/" + kAverage, width);
  if (!own.is_object()) return;
  if (const auto nested = own.find(kNestedOptimizer); nested != own.end()) {
    return describe_state(pack, *nested, key + "/" + kNestedOptimizer, width, states);
  }
  states.first_moments = stored_values(pack, key + "/" + kFirstMoments, sizeof(float));
  states.second_moments = stored_values(pack, key + "/" + kSecondMoments, sizeof(float));
  const auto step = own.find(kStepOfState);
  const bool has_moments = states.first_moments > 0 && states.second_moments > 0;
  if (has_moments && step != own.end() && step->is_number_unsigned()) {
    states.step = step->get<std::uint64_t>();
  }
}

/// Number of the elements of the list snapshot/OBJECT/LIST that have a key.
std::size_t elements_with(const json& snapshot, const char* object, const char* list,
                          const char* key) {
  const auto outer = snapshot.find(object);
  if (outer == snapshot.end()) return 0;
  const auto inner = outer->find(list);
  if (inner == outer->end() || !inner->is_array()) return 0;
  std::size_t count = 0;
  for (const json& element : *inner) count += element.contains(key) ? 1 : 0;
  return count;
}

}  // namespace

SnapshotStorage read_snapshot_storage(const InputFile& file) {
  const SnapshotContent content(file);
  const std::unique_ptr<Decompressor> stream = content.open();
  const MessagePack pack = read_message_pack(*stream, content.name());
  const json& snapshot = pack.top["snapshot"];
  SnapshotStorage storage;
  storage.half = snapshot.value("params_type", "") == kHalfParameters;
  const auto optimizer = snapshot.find("optimizer");
  if (optimizer == snapshot.end() || optimizer->is_null()) return storage;
  const std::size_t width = storage.half ? sizeof(std::uint16_t) : sizeof(float);
  StoredStates& states = storage.states.emplace();
  describe_state(pack, *optimizer, "optimizer", width, states);
  states.rounds = elements_with(snapshot, "proposals", "rounds", kStateOfRound);
  states.photographs = elements_with(snapshot, "nerf", "extra_dims_opt", kStepsOfLatents);
  return storage;
}

}  // namespace mote
