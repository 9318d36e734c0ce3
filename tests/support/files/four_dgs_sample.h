#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/files/file_bytes.h"

namespace mote {

/// Writes .4dgs files as its specification says, for tests.
struct FourDgsSample {
  std::string model = "gaussian-birth", scheme = "uniform-v1", chunk_codec = {};
  double duration_s = 4, cutoff = 0.05;
  int sh_degree = 1;
  std::uint64_t announced = 2;
  std::int32_t window = 1;
  std::uint8_t stream_codec = 0;
  bool extra_records = true;
  std::uint32_t checksum_change = 0;

  static std::string text(const std::string& value) {
    return packed(static_cast<std::uint32_t>(value.size())) + value;
  }
  static std::string record(std::uint8_t opcode, const std::string& content) {
    return packed(opcode, static_cast<std::uint64_t>(content.size())) + content;
  }
  static std::string deflated(const std::string& bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
    out.resize(size);
    return out;
  }
  /// A Zstandard frame of one block that is not compressed (RFC 8878).
  static std::string in_zstd_frame(const std::string& bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const std::uint32_t block = size << 3 | 1;  // the last block, raw
    return std::string("\x28\xb5\x2f\xfd\xa0", 5) + packed(size) + packed(block).substr(0, 3) +
           bytes;
  }
  /// Mode 0: as they are, 1: as differences, 2: constant.
  std::string stream(int attribute, int width, int mode, int channels,
                     const std::vector<std::int32_t>& values, std::uint32_t count) const {
    std::vector<std::uint32_t> folded;
    const auto step = static_cast<std::size_t>(channels);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int32_t before = mode == 1 && i >= step ? values[i - step] : 0;
      const std::int32_t value = values[i] - before;
      folded.push_back(static_cast<std::uint32_t>(value < 0 ? -2 * value - 1 : 2 * value));
    }
    std::string planes;
    for (int plane = 0; plane < width; ++plane) {
      for (const std::uint32_t symbol : folded) {
        planes += static_cast<char>((symbol >> (8 * plane)) & 0xffu);
      }
    }
    const std::string payload = deflated(planes);
    return packed(static_cast<std::uint8_t>(attribute), static_cast<std::uint8_t>(width),
                  static_cast<std::uint8_t>(mode), stream_codec,
                  static_cast<std::uint8_t>(channels), count,
                  static_cast<std::uint64_t>(payload.size())) +
           payload;
  }

  /// Two splats: one that never fades and lives in the window 1 to 3 s, and one with a sigma of 1
  /// s.
  std::string streams() const {
    std::string all = stream(0, 2, 1, 3, {100, -200, 300, 110, -210, 330}, 2);
    all += stream(1, 1, 0, 3, {0, -10, 10, 0, 0, 0}, 2);
    all += stream(2, 1, 0, 1, {3, 0}, 2);
    all += stream(3, 1, 0, 3, {0, 0, 0, 60, 0, 0}, 2);
    all += stream(4, 1, 0, 3, {50, 10, -20, 0, 100, 100}, 2);
    all += stream(5, 1, 2, 1, {80}, 2);
    all += stream(6, 1, 0, 3, {10, 0, -10, 4, 0, 0}, 2);
    all += stream(7, 1, 0, 1, {20, 30}, 2);
    all += stream(8, 1, 0, 1, {0, 0}, 2);
    all += stream(9, 1, 0, 1, {1, 0}, 2);
    all += stream(10, 1, 0, 1, {window, 0}, 2);
    all += stream(70, 1, 2, 2, {5, 6}, 2);  // of an application
    return all;
  }

  std::string file() const {
    std::string bytes("\x89\x34\x44\x47\x53\x31\x0d\x0a", 8);
    std::string header =
        text("capture") + text("test") + packed(duration_s, announced, cutoff) + text(model);
    for (int i = 0; i < 6; ++i) header += packed(0.0);
    header += packed(static_cast<std::uint8_t>(sh_degree), std::uint8_t{2}, std::uint32_t{0});
    bytes += record(0x01, header);
    // Origin; then steps of position, scale, rotation, colour, opacity, motion, time and sigma.
    bytes += record(0x03, text(scheme) + packed(1.0, 2.0, 3.0, 0.01, 0.1, 0.01, 0.01, 0.01, 0.02,
                                                0.1, 0.1, std::uint8_t{0}, std::uint32_t{0}));
    bytes += record(0x04, packed(std::uint32_t{2}, 0.0, 4.0, 1.0, 3.0));
    if (extra_records) bytes += record(0x0b, text("note") + packed(std::uint32_t{0}));
    if (extra_records) bytes += record(0x90, "private");
    const std::string block = streams();
    const std::string stored = chunk_codec == "deflate" ? deflated(block)
                               : chunk_codec == "zstd"  ? in_zstd_frame(block)
                                                        : block;
    bytes += record(0x05, packed(0.0, 4.0, std::uint32_t{0}, std::uint32_t{2}) + text(chunk_codec) +
                              packed(static_cast<std::uint64_t>(block.size()),
                                     static_cast<std::uint64_t>(stored.size())) +
                              stored);
    if (sh_degree > 0) {
      std::vector<std::int32_t> band;
      for (int i = 0; i < 18; ++i) band.push_back(10 * i);
      bytes += record(0x07, packed(std::uint8_t{1}) + stream(7, 2, 0, 9, band, 2));
    }
    const auto summary = static_cast<std::uint64_t>(bytes.size());
    const std::string index = record(0x0c, packed(std::uint64_t{2}));
    const auto checksum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(index.data()), index.size()));
    bytes += index;
    bytes += record(0x02, packed(summary, std::uint64_t{0}, checksum + checksum_change));
    return bytes + std::string("\x89\x34\x44\x47\x53\x31\x0d\x0a", 8);
  }
};

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
