#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace mote {

/// The content of a file; empty if there is none.
inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The bytes of the values in sequence, little-endian.
template <class... T>
std::string packed(T... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  return bytes;
}

}  // namespace mote
