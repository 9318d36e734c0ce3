#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mote::fourdgs {

/// The content of a record that is being written.
class RecordBytes {
 public:
  template <class T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    bytes_.append(bytes, sizeof value);
  }
  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  void append(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Appends the stream of an attribute for `count` splats. `values`: [splat][channel]. `file`: for
/// the Error where a value needs more than 32 bits.
void put_stream(RecordBytes& record, std::uint8_t attribute, std::size_t channels,
                std::uint32_t count, const std::vector<std::int64_t>& values,
                const std::string& file);

}  // namespace mote::fourdgs
