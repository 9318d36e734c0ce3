#pragma once

// Snapshots of neural fields, as instant-ngp writes them: MessagePack of the whole configuration
// with the parameters under "snapshot", compressed (.ingp) or not (.msgpack).

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "core/file.h"
#include "fields/neural_field.h"
#include "fields/optimizer_state.h"

namespace mote {

struct SnapshotOptions {
  bool half = true;        // parameters of 2 bytes, which round; false: of 4 bytes
  bool compressed = true;  // by gzip
  /// States of the optimisers, which are written too; null: without them.
  const OptimizerStates* optimizer = nullptr;
};

/// The number of times that write_field_snapshot() has the arrays of a file in memory: in the
/// document, and packed.
inline constexpr std::size_t kSnapshotCopies = 2;

/// Whether the first bytes of a file, at most a few thousand, are those of a snapshot: MessagePack
/// with the keys of a configuration, which may be compressed by gzip or zlib.
bool probe_field_snapshot(std::span<const std::byte> head);

/// Reads a snapshot of any application. `progress` gets the finished fraction, may be empty, and
/// may throw to stop. Throws Error, which names the key, for a file that is truncated or no
/// snapshot, for missing or impossible values, parts that are not built, parameters that do not fit
/// the configuration or are not finite, and where this machine has too little memory. State of the
/// optimiser is not read, with a warning in the field.
NeuralField read_field_snapshot(const InputFile& file, const std::function<void(double)>& progress);

/// Reads the states of the optimisers in a snapshot; empty if the file has none. Files may have a
/// state of the field's own parameters without those of proposals and latents. Only Adam, around
/// which others may be nested, has a state that is read. Throws Error as read_field_snapshot()
/// does, also for arrays of another size than that of the parameters, second moments below 0, and
/// parameters with more updates than steps.
std::optional<OptimizerStates> read_snapshot_optimizer(const InputFile& file,
                                                       const std::function<void(double)>& progress);

/// Writes a snapshot; the caller commits the file. The configuration must be complete. Halves
/// beyond 65504 become 65504. The format has a placement for a NeRF only; other fields have theirs
/// under "snapshot/placement", which instant-ngp ignores. Throws Error for parameters that are not
/// finite, and for more than a snapshot can hold. States of proposals are at
/// "snapshot/proposals/rounds/R/optimizer_state", a key of Mote's own.
void write_field_snapshot(const NeuralField& field, const SnapshotOptions& options,
                          OutputFile& file, const std::function<void(double)>& progress);

}  // namespace mote
