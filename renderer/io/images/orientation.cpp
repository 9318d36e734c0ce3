#include "io/images/orientation.h"

#include <turbojpeg.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/file.h"
#include "io/images/png_codec.h"

namespace mote {
namespace {

/// Fills `out` with the bytes at `offset`. Returns false where they do not exist.
using Read = std::function<bool(std::uint64_t offset, std::span<std::byte> out)>;

/// Reads numbers of a file in either byte order.
struct ExifNumbers {
  const Read& read;
  bool big_endian = true;

  std::optional<std::uint32_t> at(std::uint64_t offset, std::size_t bytes) const {
    std::array<std::byte, 4> raw{};
    if (!read(offset, std::span(raw).first(bytes))) return {};
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value = value << 8 | std::to_integer<std::uint32_t>(raw[big_endian ? i : bytes - 1 - i]);
    }
    return value;
  }
};

/// The tag in the first directory of a TIFF header at `start`.
std::optional<OrientationTag> find_in_tiff(const Read& read, std::uint64_t start) {
  constexpr std::uint32_t kLittle = 0x4949, kBig = 0x4d4d, kMagic = 42, kTag = 0x0112, kShort = 3;
  ExifNumbers numbers{read};
  const auto order = numbers.at(start, 2);
  if (order != kLittle && order != kBig) return {};
  numbers.big_endian = order == kBig;
  const auto directory = numbers.at(start + 4, 4);
  if (numbers.at(start + 2, 2) != kMagic || !directory) return {};
  const std::uint64_t first = start + *directory + 2;
  const auto entries = numbers.at(first - 2, 2);
  for (std::uint64_t i = 0; i < entries.value_or(0); ++i) {
    const std::uint64_t entry = first + 12 * i;
    if (numbers.at(entry, 2) != kTag || numbers.at(entry + 2, 2) != kShort) continue;
    const auto value = numbers.at(entry + 8, 2);
    if (!value || *value < 1 || *value > 8) return {};
    return OrientationTag{static_cast<Orientation>(*value), static_cast<std::size_t>(entry + 8),
                          numbers.big_endian};
  }
  return {};
}

bool has_text(const Read& read, std::uint64_t offset, std::string_view text) {
  std::array<char, 8> bytes{};
  const auto part = std::span(bytes).first(text.size());
  return read(offset, std::as_writable_bytes(part)) &&
         std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Walks the segments before the pixels.
std::optional<OrientationTag> find_in_jpeg(const Read& read) {
  constexpr std::uint32_t kApp1 = 0xffe1, kScan = 0xffda;
  constexpr std::string_view kExif("Exif\0\0", 6);
  const ExifNumbers numbers{read};
  for (std::uint64_t at = 2;;) {
    const auto marker = numbers.at(at, 2), size = numbers.at(at + 2, 2);
    if (!marker || !size || *marker < 0xff00 || *marker == kScan || *size < 2) return {};
    if (*marker == kApp1 && has_text(read, at + 4, kExif)) {
      return find_in_tiff(read, at + 4 + kExif.size());
    }
    at += 2 + *size;
  }
}

/// The offset of the chunk eXIf, which begins with its size.
std::optional<std::uint64_t> find_exif_chunk(const Read& read) {
  const ExifNumbers numbers{read};
  for (std::uint64_t at = 8;;) {
    const auto size = numbers.at(at, 4);
    if (!size || has_text(read, at + 4, "IEND")) return {};
    if (has_text(read, at + 4, "eXIf")) return at;
    at += 12 + std::uint64_t{*size};
  }
}

std::optional<OrientationTag> find_in_png(const Read& read) {
  const auto chunk = find_exif_chunk(read);
  return chunk ? find_in_tiff(read, *chunk + 8) : std::nullopt;
}

std::optional<OrientationTag> find_by(const Read& read) {
  if (has_text(read, 0, "\xff\xd8\xff")) return find_in_jpeg(read);
  if (has_text(read, 0, "\x89PNG\r\n\x1a\n")) return find_in_png(read);
  return {};
}

Read reader_of(std::span<const std::byte> file) {
  return [file](std::uint64_t offset, std::span<std::byte> out) {
    if (offset > file.size() || out.size() > file.size() - offset) return false;
    std::ranges::copy(file.subspan(offset, out.size()), out.begin());
    return true;
  };
}

/// Sets the tag, if there is one, to "upright as stored".
void mark_upright(std::string& file) {
  const auto tag = find_orientation(std::as_bytes(std::span(file)));
  if (!tag) return;
  file[tag->offset] = tag->big_endian ? '\0' : '\1';
  file[tag->offset + 1] = tag->big_endian ? '\1' : '\0';
}

/// Recomputes the checksum of the chunk eXIf. The file must be complete.
void renew_exif_checksum(std::string& png) {
  constexpr std::size_t kName = 4;
  const Read read = reader_of(std::as_bytes(std::span(png)));
  const auto chunk = find_exif_chunk(read);
  if (!chunk) return;
  const std::size_t counted = kName + ExifNumbers{read}.at(*chunk, 4).value_or(0);
  const std::size_t begin = static_cast<std::size_t>(*chunk) + 4;
  const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(png.data() + begin), counted);
  for (std::size_t i = 0; i < 4; ++i) {
    png[begin + counted + i] = static_cast<char>(checksum >> (24 - 8 * i) & 0xff);
  }
}

int transform_for(Orientation orientation) {
  constexpr std::array<int, 9> kTransforms{TJXOP_NONE,   TJXOP_NONE,       TJXOP_HFLIP,
                                           TJXOP_ROT180, TJXOP_VFLIP,      TJXOP_TRANSPOSE,
                                           TJXOP_ROT90,  TJXOP_TRANSVERSE, TJXOP_ROT270};
  return kTransforms[static_cast<std::size_t>(orientation)];
}

using JpegTransformer = std::unique_ptr<void, decltype([](tjhandle handle) { tjDestroy(handle); })>;
using JpegBytes =
    std::unique_ptr<unsigned char, decltype([](unsigned char* bytes) { tjFree(bytes); })>;

/// Empty where the transformation fails with that option.
std::string transformed(tjhandle handle, std::span<const std::byte> file, Orientation orientation,
                        int option) {
  tjtransform transform{};
  transform.op = transform_for(orientation);
  transform.options = option;
  unsigned char* out = nullptr;
  unsigned long size = 0;
  const int status = tjTransform(handle, reinterpret_cast<const unsigned char*>(file.data()),
                                 file.size(), 1, &out, &size, &transform, TJFLAG_LIMITSCANS);
  const JpegBytes owned(out);
  if (status != 0 && tjGetErrorCode(handle) != TJERR_WARNING) return {};
  return {reinterpret_cast<const char*>(out), size};
}

}  // namespace

std::optional<OrientationTag> find_orientation(std::span<const std::byte> file) {
  return find_by(reader_of(file));
}

Orientation read_orientation(const std::filesystem::path& path) {
  const InputFile file(path);
  const auto tag = find_by([&file](std::uint64_t offset, std::span<std::byte> out) {
    return file.read_some(offset, out) == out.size();
  });
  return tag ? tag->value : 1;
}

Image8 turned(const Image8& image, Orientation orientation) {
  const bool swaps = swaps_sides(orientation);
  const bool from_right = begins_at_right(orientation), from_bottom = begins_at_bottom(orientation);
  Image8 result;
  result.resize_discard(swaps ? image.height : image.width, swaps ? image.width : image.height,
                        image.channels);
  for (int y = 0; y < result.height; ++y) {
    std::uint8_t* out = result.row(y);
    for (int x = 0; x < result.width; ++x, out += image.channels) {
      const int column = swaps ? y : x, row = swaps ? x : y;
      const int from_x = from_right ? image.width - 1 - column : column;
      const int from_y = from_bottom ? image.height - 1 - row : row;
      std::copy_n(image.row(from_y) + from_x * image.channels, image.channels, out);
    }
  }
  return result;
}

Upright upright_jpeg(std::span<const std::byte> file, Orientation orientation,
                     const std::string& name) {
  const JpegTransformer handle(tjInitTransform());
  if (!handle) throw std::bad_alloc();
  Upright upright{.bytes = transformed(handle.get(), file, orientation, TJXOPT_PERFECT)};
  if (upright.bytes.empty()) {
    upright.trimmed = true;
    upright.bytes = transformed(handle.get(), file, orientation, TJXOPT_TRIM);
  }
  if (upright.bytes.empty()) {
    throw Error(std::string("cannot be turned upright: ") + tjGetErrorStr2(handle.get()), name,
                "turn it with another program, and save it without an EXIF orientation");
  }
  mark_upright(upright.bytes);
  return upright;
}

Upright upright_png(std::span<const std::byte> file, Orientation orientation,
                    const std::string& name) {
  Upright upright{.bytes = turned_png(file, orientation, name)};
  mark_upright(upright.bytes);
  renew_exif_checksum(upright.bytes);
  return upright;
}

}  // namespace mote
