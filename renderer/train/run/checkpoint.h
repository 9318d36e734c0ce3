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
/// a checksum. Of the older checkpoints only the newest one is kept. Throws Error where it cannot
/// be written; the existing files then stay unchanged.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder,
                                       const CheckpointTag& tag,
                                       const std::function<void(ByteSink&)>& save);

/// The checkpoints of a folder by name, damaged ones included, newest first.
std::vector<std::filesystem::path> listed_checkpoints(const std::filesystem::path& folder);

/// A checkpoint whose bytes were all checked.
struct GoodCheckpoint {
  std::filesystem::path path;
  std::uint64_t step = 0;
  std::vector<std::string> passed_over;  // damaged newer ones, with the reason; one phrase each
};

/// The newest undamaged checkpoint of the folder; empty where the folder has none. Throws Error
/// where all are damaged, and where the newest undamaged one has another format version, layout,
/// dataset or pixels than `expected`. The step of `expected` is ignored.
std::optional<GoodCheckpoint> newest_checkpoint(const std::filesystem::path& folder,
                                                const CheckpointTag& expected);

/// Passes the bytes of write_checkpoint()'s `save` to `restore`. For checkpoints of
/// newest_checkpoint(). Throws Error where `restore` leaves bytes unread.
void read_checkpoint(const std::filesystem::path& path,
                     const std::function<void(ByteSource&)>& restore);

}  // namespace mote
