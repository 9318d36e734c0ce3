#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

/// What a checkpoint says of itself, and what must agree before it is restored.
struct CheckpointTag {
  std::uint64_t step = 0;
  std::uint64_t dataset = 0;  // dataset_fingerprint() of what is trained on
  std::uint64_t pixels = 0;   // pixels_fingerprint() of it
  std::string layout;         // which program and device understand the payload; at most 63 bytes
};

/// Writes `folder`/ckpt_000001000.bin, which appears whole or not at all: a header, what `save`
/// puts, and a checksum over all of it. Of the others only the newest one before it stays. Throws
/// Error where it cannot be written; the files that were there are then as before.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder,
                                       const CheckpointTag& tag,
                                       const std::function<void(ByteSink&)>& save);

/// The checkpoints of a folder by their names, whole or not, newest first.
std::vector<std::filesystem::path> listed_checkpoints(const std::filesystem::path& folder);

/// A checkpoint whose every byte was checked.
struct GoodCheckpoint {
  std::filesystem::path path;
  std::uint64_t step = 0;
  std::vector<std::string> passed_over;  // newer ones that are damaged, and how; a phrase each
};

/// The newest whole checkpoint of the folder; nothing where there is none at all. Throws Error
/// where all are damaged, and where the newest whole one is of another format version, layout,
/// dataset or pixels than `expected`; its step is of no account.
std::optional<GoodCheckpoint> newest_checkpoint(const std::filesystem::path& folder,
                                                const CheckpointTag& expected);

/// Gives `restore` what `save` of write_checkpoint had put. For checkpoints of newest_checkpoint().
/// Throws Error where `restore` leaves some of it.
void read_checkpoint(const std::filesystem::path& path,
                     const std::function<void(ByteSource&)>& restore);

}  // namespace mote
