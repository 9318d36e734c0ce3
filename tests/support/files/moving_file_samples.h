#pragma once

// Small files of moving splats of other programs, for tests.

#include <cstdint>
#include <string>

#include "support/files/file_bytes.h"

namespace mote {

/// A .splatv of one splat at (1, 2, 3), and one without opacity.
inline std::string splatv_sample() {
  const std::string list = R"([{"type":"splat","size":128,"texwidth":4,"texheight":2}])";
  std::string bytes = packed(std::uint32_t{0x674b}, static_cast<std::uint32_t>(list.size())) + list;
  // Halves: 0x3c00 is 1, 0x3800 0.5, 0x4000 2.
  bytes += packed(1.0f, 2.0f, 3.0f, std::uint32_t{0x00003c00}, std::uint32_t{0},
                  std::uint32_t{0x40003800}, std::uint32_t{0x3c00}, std::uint32_t{0x80ff00ff},
                  std::uint32_t{0x38003c00}, std::uint32_t{0x4000}, std::uint32_t{0},
                  std::uint32_t{0}, std::uint32_t{0x3c00}, std::uint32_t{0x3800},
                  std::uint32_t{0x40000000}, std::uint32_t{0x3c003800});
  return bytes + std::string(64, '\0');
}

/// A .ply of Spacetime Gaussians with one splat, whose properties have the values 0.1, 0.2, ...
inline std::string stg_sample(bool full = false) {
  std::string text = "ply\nformat binary_little_endian 1.0\nelement vertex 1\n", row;
  int number = 0;
  const auto add = [&](const std::string& name) {
    text += "property float " + name + "\n";
    row += packed(0.1f * static_cast<float>(++number));
  };
  for (const char* name : {"x", "y", "z", "trbf_center", "trbf_scale", "nx", "ny", "nz"}) add(name);
  for (int i = 0; i < 9; ++i) add("motion_" + std::to_string(i));
  for (int i = 0; i < 3; ++i) add("f_dc_" + std::to_string(i));
  add("opacity");
  for (int i = 0; i < 3; ++i) add("scale_" + std::to_string(i));
  for (int i = 0; i < 4; ++i) add("rot_" + std::to_string(i));
  for (int i = 0; i < 4; ++i) add("omega_" + std::to_string(i));
  if (full) add("f_t_0");
  return text + "end_header\n" + row;
}

}  // namespace mote
