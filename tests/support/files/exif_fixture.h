#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>

#include "file_bytes.h"

namespace mote {

inline std::string big_endian(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// A TIFF directory with the orientation and another tag, in either byte order.
inline std::string tiff_with_orientation(int orientation, bool big) {
  const auto number = [big](std::uint32_t value, int bytes) {
    const std::string text = big_endian(value, bytes);
    return big ? text : std::string(text.rbegin(), text.rend());
  };
  const auto entry = [&](std::uint32_t tag, std::uint32_t value) {
    return number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2);
  };
  return (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) + entry(0x0103, 6) +
         entry(0x0112, static_cast<std::uint32_t>(orientation)) + number(0, 4);
}

/// The JPEG with an EXIF orientation, as cameras write it.
inline std::string jpeg_with_orientation(const std::string& jpeg, int orientation,
                                         bool big = false) {
  const std::string exif = std::string("Exif\0\0", 6) + tiff_with_orientation(orientation, big);
  return jpeg.substr(0, 2) + "\xff\xe1" +
         big_endian(static_cast<std::uint32_t>(exif.size() + 2), 2) + exif + jpeg.substr(2);
}

/// The PNG with an EXIF chunk before its end.
inline std::string png_with_orientation(const std::string& png, int orientation, bool big = true) {
  constexpr std::size_t kEndBytes = 12;
  const std::string body = "eXIf" + tiff_with_orientation(orientation, big);
  const auto crc = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
  return png.substr(0, png.size() - kEndBytes) +
         big_endian(static_cast<std::uint32_t>(body.size() - 4), 4) + body + big_endian(crc, 4) +
         png.substr(png.size() - kEndBytes);
}

}  // namespace mote
