#pragma once

// The large arrays of a snapshot: where they are, and reading them in the order of the file.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "io/decompression.h"
#include "io/message_pack.h"

namespace mote {

/// The byte of a list, or 0 behind its end.
inline unsigned byte_at(std::span<const std::byte> bytes, std::size_t i) {
  return i < bytes.size() ? std::to_integer<unsigned>(bytes[i]) : 0u;
}

/// Whether the bytes begin as those of gzip (RFC 1952) or zlib (RFC 1950).
bool is_compressed(std::span<const std::byte> head);

/// A snapshot's content, which may be compressed. `file` must outlive it.
class SnapshotContent {
 public:
  explicit SnapshotContent(const InputFile& file);

  std::string name() const { return file_.name() + (compressed_ ? ", decompressed" : ""); }
  std::unique_ptr<Decompressor> open() const {
    return compressed_ ? open_gzip(file_, 0, file_.size()) : open_stored(file_, 0, file_.size());
  }

 private:
  const InputFile& file_;
  bool compressed_ = false;
};

/// The place of snapshot/KEY, which must have `bytes` bytes. `key`: of objects in the snapshot too,
/// such as "optimizer/param_steps_binary". Throws Error, which names `name` and the key.
PackedBinary binary_of(const MessagePack& pack, const std::string& key, std::uint64_t bytes,
                       const std::string& name);

/// Zeros. Throws Error, which names `name`, if this machine has too little memory. `T`: float or
/// std::uint32_t.
template <class T = float>
std::vector<T> allocated_values(std::size_t count, const std::string& name);

/// Upper bound on the bytes behind a snapshot that are read for its checksum.
inline constexpr std::uint64_t kMostRest = std::uint64_t{1} << 40;

/// Arrays of a snapshot, read in the order of the file.
class SnapshotArrays {
 public:
  /// `size`: of the content, bytes. `progress` gets values from 0.5 to 1, and may be empty.
  SnapshotArrays(const SnapshotContent& content, std::uint64_t size,
                 const std::function<void(double)>& progress);

  /// Fills `out` with the values at `place`, which lies behind all places read before.
  void read(const PackedBinary& place, bool half, std::span<float> out);
  /// The same for bytes as they are.
  void read(const PackedBinary& place, std::span<std::byte> out);

 private:
  void skip_to(const PackedBinary& place);
  std::span<const std::byte> take(std::uint64_t most);

  std::unique_ptr<Decompressor> content_;
  std::uint64_t offset_ = 0, size_;
  const std::function<void(double)>& progress_;
  std::vector<std::byte> piece_;
};

/// Throws Error: `count` of the `total` values at snapshot/KEY are not finite.
[[noreturn]] void refuse_numbers(std::ptrdiff_t count, std::size_t total, const std::string& name,
                                 const std::string& key);

/// Throws Error, which names snapshot/KEY, if a value is not finite.
void check_finite(std::span<const float> values, const std::string& name, const std::string& key);

}  // namespace mote
