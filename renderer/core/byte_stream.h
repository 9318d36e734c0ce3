#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.h"

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

/// Reads the output of ByteSink::put_all(). Throws Error where the count exceeds the bytes left.
template <class T>
std::vector<T> get_all(ByteSource& source) {
  const auto count = source.get<unsigned long long>();
  if (count > source.left() / sizeof(T)) {
    throw Error("a list is longer than the state that holds it", "the saved training state",
                "use an earlier checkpoint");
  }
  std::vector<T> values(static_cast<std::size_t>(count));
  source.read(std::as_writable_bytes(std::span(values)));
  return values;
}

inline void put_text(ByteSink& sink, std::string_view text) {
  sink.put_all(std::span<const char>(text));
}

inline std::string get_text(ByteSource& source) {
  const std::vector<char> text = get_all<char>(source);
  return {text.begin(), text.end()};
}

}  // namespace mote
