#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace mote {

/// Takes bytes in order, such as for a file, a checksum or memory. Throws Error where it cannot.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(std::as_bytes(std::span(&value, 1)));
  }
  /// Writes the count as 64 bits, then the elements.
  template <class T>
  void put_all(std::span<const T> values) {
    put(static_cast<unsigned long long>(values.size()));
    write(std::as_bytes(values));
  }
};

/// Gives bytes in order. Throws Error where fewer are left than requested.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual void read(std::span<std::byte> out) = 0;
  /// Number of bytes left. Readers check counts against it.
  virtual std::size_t left() const = 0;

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    read(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
};

}  // namespace mote
