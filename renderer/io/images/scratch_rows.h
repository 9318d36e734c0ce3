#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/buffer.h"
#include "io/images/temporary_file.h"

namespace mote {

/// Rows of bytes that a decoder fills in several passes, 0 at first: in memory, or in a temporary
/// file where they exceed a budget.
class ScratchRows {
 public:
  /// Throws Error if a temporary file is needed but cannot be made.
  ScratchRows(std::size_t row_bytes, std::size_t rows, std::uint64_t memory_bytes);

  bool is_in_memory() const { return !file_; }

  /// `count` neighbouring rows, one behind the other, aligned to 64 bytes if a row has a multiple
  /// of that. Valid until the next call. Changes of the bytes are kept only if `changes`. Throws
  /// Error if the temporary file cannot be written or read.
  std::byte* open(std::size_t first, std::size_t count, bool changes);

 private:
  std::byte* open_in_memory(std::size_t first, std::size_t count);

  std::size_t row_bytes_, rows_;
  Buffer<std::byte> held_;             // all rows, or the open ones
  std::size_t cleared_ = 0;            // in memory: rows that have values
  std::optional<TemporaryFile> file_;  // all rows
  std::size_t first_ = 0, count_ = 0;  // the open rows of the file
  bool changed_ = false;
};

}  // namespace mote
