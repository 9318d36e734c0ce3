#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "core/error.h"

namespace mote {

/// Reads little-endian values from a span. A read beyond the end throws an Error that names the
/// file, the offset and the number of missing bytes. `name`: the file's name, for messages. `base`:
/// the offset of the span in that file.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string name, std::uint64_t base = 0)
      : bytes_(bytes), name_(std::move(name)), base_(base) {}

  template <class T>
  T read() {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> take(std::size_t count) {
    if (count > remaining()) {
      throw Error("truncated: expected " + std::to_string(count) + " more bytes, found " +
                      std::to_string(remaining()),
                  where(), "copy or download the file again");
    }
    const auto part = bytes_.subspan(position_, count);
    position_ += count;
    return part;
  }

  void skip(std::size_t count) { take(count); }
  std::size_t remaining() const { return bytes_.size() - position_; }
  std::uint64_t offset() const { return base_ + position_; }
  std::string where() const { return name_ + ", byte " + std::to_string(offset()); }

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
  std::uint64_t base_;
  std::size_t position_ = 0;
};

}  // namespace mote
