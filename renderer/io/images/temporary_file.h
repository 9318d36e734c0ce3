#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "core/file_descriptor.h"

namespace mote {

/// Bytes that a picture needs while it is in use: a file without a name in TMPDIR or /tmp, which
/// the system removes when it is closed.
class TemporaryFile {
 public:
  /// All bytes are 0 and take no space. Throws Error if the file cannot be made.
  explicit TemporaryFile(std::uint64_t bytes);

  /// Throws Error, for example where the disk is full.
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  /// May be called by several threads at a time. Throws Error if the file cannot be read.
  void read(std::uint64_t at, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path folder_;
  FileDescriptor file_;
};

}  // namespace mote
