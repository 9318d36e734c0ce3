#pragma once

// Lists and strings in a saved state. Counts are checked before memory is allocated.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_stream.h"
#include "core/error.h"

namespace mote {

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
