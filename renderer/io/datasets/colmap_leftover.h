#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mote {

/// The remedy for a damaged file of a COLMAP model.
inline constexpr const char* kExportAgain = "export the model from COLMAP again";

/// Warns where bytes follow the last announced entry of a binary file of a COLMAP model: its count
/// is too low, or the file was not written completely.
inline void warn_of_leftover(const std::string& file, std::uint64_t promised, const char* entries,
                             std::uint64_t bytes_left, std::vector<std::string>& warnings) {
  if (bytes_left == 0) return;
  warnings.push_back(
      fmt::format("{}: announces {} {}, but {} more bytes follow, which are not read; export the "
                  "model from COLMAP again",
                  file, promised, entries, bytes_left));
}

}  // namespace mote
