#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/file.h"

namespace mote {

/// How long to search for repetitions: not for long in numbers whose last digits are random.
enum class GzipEffort { usual, least };

/// Compresses bytes into a file, with a gzip header and trailer (RFC 1952).
class GzipWriter {
 public:
  explicit GzipWriter(OutputFile& file, GzipEffort effort = GzipEffort::usual);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Writes the rest and the trailer. Nothing may be written afterwards.
  void finish();

 private:
  struct State;
  void run(std::span<const std::byte> bytes, int flush);

  OutputFile& file_;
  std::unique_ptr<State> state_;
};

}  // namespace mote
