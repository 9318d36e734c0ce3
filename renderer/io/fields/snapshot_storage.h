#pragma once

// How a snapshot stores a field, for reports: the numbers of its parameters, and the states of
// optimisers that it has.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/file.h"

namespace mote {

/// The states of optimisers in a file. None of them is checked.
struct StoredStates {
  std::optional<std::uint64_t> step = {};  // of the field's own; empty: it is not one of Adam
  /// Numbers of values, of the field's own parameters.
  std::uint64_t first_moments = 0, second_moments = 0, averages = 0;
  std::size_t rounds = 0;       // of proposals that have a state
  std::size_t photographs = 0;  // whose latents have a state
};

struct SnapshotStorage {
  bool half = true;                         // parameters of 2 bytes; false: of 4 bytes
  std::optional<StoredStates> states = {};  // empty: the file has no state of an optimiser
};

/// Describes a snapshot that read_field_snapshot() reads. Throws Error if it is truncated or not
/// MessagePack.
SnapshotStorage read_snapshot_storage(const InputFile& file);

}  // namespace mote
