#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mote {

/// A hash of bytes: FNV-1a of Fowler, Noll and Vo. Not safe against adversaries.
class Fingerprint {
 public:
  void add_bytes(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    }
  }
  /// `value` must have no padding.
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes(std::as_bytes(std::span(&value, 1)));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace mote
