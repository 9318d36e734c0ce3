#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/file.h"

namespace mote {

/// The decompressed content of a part of a file, read in order through a small buffer.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// Fills `out`. Returns fewer bytes only at the end of the stream. Throws Error for a stream that
  /// is damaged or truncated.
  virtual std::size_t read_some(std::span<std::byte> out) = 0;

  /// Fills `out` or throws Error ("truncated").
  void read_exact(std::span<std::byte> out);
  /// Reads to the end and returns the number of bytes; stops after `limit` bytes.
  std::uint64_t count_rest(std::uint64_t limit);

 protected:
  Decompressor(const InputFile& file, std::uint64_t offset, std::uint64_t size);

  /// The input not yet consumed. It is refilled when empty, and empty at the end of the part.
  std::span<const std::byte> input();
  void consume(std::size_t bytes) { begin_ += bytes; }
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  const InputFile& file_;
  std::uint64_t offset_, left_;  // the unread rest of the part
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

/// Inflates the beginning of a gzip member or zlib stream as far as `in` and `out` allow. Returns
/// the number of bytes written, zero where it is neither.
std::size_t inflate_head(std::span<const std::byte> in, std::span<std::byte> out);

/// Decompresses one or more Zstandard frames in memory. Returns whether they are intact and fill
/// `out` exactly.
bool expand_zstd(std::span<const std::byte> in, std::span<std::byte> out);

/// Bytes that are not compressed.
std::unique_ptr<Decompressor> open_stored(const InputFile& file, std::uint64_t offset,
                                          std::uint64_t size);

/// A gzip member (RFC 1952) or a zlib stream (RFC 1950).
std::unique_ptr<Decompressor> open_gzip(const InputFile& file, std::uint64_t offset,
                                        std::uint64_t size);

/// Zstandard frames (RFC 8878) with `content_size` bytes of content, which limits the window.
std::unique_ptr<Decompressor> open_zstd(const InputFile& file, std::uint64_t offset,
                                        std::uint64_t size, std::uint64_t content_size);

}  // namespace mote
