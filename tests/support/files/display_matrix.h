#pragma once

// Videos that are turned or mirrored when they are shown.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"

namespace mote {

/// The part a, b, c, d of a display matrix: (p, q) is shown at (a p + c q, b p + d q).
using DisplayMatrix = std::array<double, 4>;

/// As phones write it that are held upright: turned clockwise by 90 degrees.
inline constexpr DisplayMatrix kUprightPhone{0, 1, -1, 0};

/// Changes the display matrix of the track of an MP4 (ISO 14496-12, section 8.3.2, version 0 of the
/// box).
inline void set_display_matrix(const std::filesystem::path& file, const DisplayMatrix& matrix) {
  constexpr std::size_t kFromName = 44;
  std::string bytes = text_of(file);
  const std::size_t box = bytes.find("tkhd");
  ASSERT_NE(box, std::string::npos);
  ASSERT_EQ(bytes[box + 4], '\0');
  const std::array<double, 9> rows{matrix[0], matrix[1], 0, matrix[2], matrix[3], 0, 0, 0, 0x1p14};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto fixed = static_cast<std::uint32_t>(static_cast<std::int32_t>(0x1p16 * rows[i]));
    for (std::size_t byte = 0; byte < 4; ++byte) {
      bytes[box + kFromName + 4 * i + byte] = static_cast<char>(fixed >> (24 - 8 * byte) & 0xff);
    }
  }
  write_bytes(file, bytes);
}

}  // namespace mote
