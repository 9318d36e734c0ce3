#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

/// The identity of a checkpoint, which must match before it is restored.
struct CheckpointTag {
  std::uint64_t step = 0;
  std::uint64_t dataset = 0;  // dataset_fingerprint() of the training data
  std::uint64_t pixels = 0;   // pixels_fingerprint() of the training data
  std::string layout;         // program and device that can read the payload; at most 63 bytes
};

/// Writes `folder`/ckpt_000001000.bin completely or not at all: a header, the bytes of `save`, and
/// a checksum. Keeps only the newest of the older checkpoints. Throws Error if the file cannot be
/// written; the existing files then stay unchanged.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder,
                                       const CheckpointTag& tag,
                                       const std::function<void(ByteSink&)>& save);

/// The checkpoints of a folder by name, including damaged ones, newest first.
std::vector<std::filesystem::path> listed_checkpoints(const std::filesystem::path& folder);

/// A checkpoint that is undamaged.
struct GoodCheckpoint {
  std::filesystem::path path;
  std::uint64_t step = 0;
  std::vector<std::string>
      passed_over;  // newer ones that are damaged, with the reason; each a phrase
};

/// The newest undamaged checkpoint of the folder; empty if the folder has no checkpoint. Throws
/// Error if all are damaged, or if the newest undamaged one has another format version, layout,
/// dataset or pixels than `expected`. The step of `expected` is ignored.
std::optional<GoodCheckpoint> newest_checkpoint(const std::filesystem::path& folder,
                                                const CheckpointTag& expected);

/// Passes the bytes that `save` gave to write_checkpoint() to `restore`. `path` comes from
/// newest_checkpoint(). Throws Error if `restore` leaves bytes unread.
void read_checkpoint(const std::filesystem::path& path,
                     const std::function<void(ByteSource&)>& restore);

}  // namespace mote
