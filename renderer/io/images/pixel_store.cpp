#include "io/images/pixel_store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.h"
#include "core/fingerprint.h"
#include "core/system_fault.h"
#include "math/half.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "free space there, set TMPDIR to another folder, or raise --memory";

fs::path temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

/// A file without a name, which the system removes when it is closed.
FileDescriptor unnamed_file(const fs::path& folder) {
  std::string name = (folder / "mote-picture-XXXXXX").string();
  FileDescriptor file(::mkstemp(name.data()));
  if (file.get() < 0) throw SystemFault("no temporary file can be made", errno, folder, kRemedy);
  ::unlink(name.c_str());
  return file;
}

void write_all(int file, const std::byte* bytes, std::size_t count, std::uint64_t at,
               const fs::path& folder) {
  while (count > 0) {
    const ssize_t done = ::pwrite(file, bytes, count, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw SystemFault("cannot write a temporary file", errno, folder, kRemedy);
    bytes += done;
    count -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
}

void read_all(int file, std::byte* bytes, std::size_t count, std::uint64_t at,
              const fs::path& folder) {
  while (count > 0) {
    const ssize_t done = ::pread(file, bytes, count, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      throw SystemFault("cannot read the temporary file", errno, folder, "start again");
    }
    bytes += done;
    count -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
}

std::uint16_t stored_16(PictureDepth depth, float value) {
  if (depth == PictureDepth::half)
    return to_half(std::clamp(value, -kLargestHalfFloat, kLargestHalfFloat));
  return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535.0f));
}

float loaded_16(PictureDepth depth, std::uint16_t stored) {
  if (depth == PictureDepth::half) return from_half(stored);
  return static_cast<float>(stored) / 65535.0f;
}

}  // namespace

PixelStore::PixelStore(const fs::path& path, std::uint64_t memory_bytes,
                       const std::function<void(double fraction)>& progress)
    : path_(path) {
  Fingerprint fingerprint;
  read_picture(
      path, [&](const PictureFacts& facts) { begin(facts, memory_bytes); },
      [&](int y, const float* rgb) {
        fingerprint.add_bytes(std::as_bytes(std::span(rgb, 3 * static_cast<std::size_t>(width()))));
        take_row(y, rgb);
        if (progress && y % 256 == 0) progress(static_cast<double>(y) / height());
      });
  band_ = {};
  fingerprint_ = fingerprint.value();
}

void PixelStore::begin(const PictureFacts& facts, std::uint64_t memory_bytes) {
  facts_ = facts;
  const auto across = static_cast<std::size_t>(tiles_across());
  const std::size_t bytes = across * static_cast<std::size_t>(tiles_down()) * tile_bytes();
  band_.assign(across * tile_bytes(), std::byte{0});
  if (bytes <= memory_bytes) {
    held_.resize_discard(bytes);
    return;
  }
  folder_ = temporary_folder();
  file_ = unnamed_file(folder_);
}

void PixelStore::take_row(int y, const float* rgb) {
  const auto row = static_cast<std::size_t>(y % kTile_px);
  for (int x = 0; x < width(); ++x) {
    const std::size_t pixel = row * kTile_px + static_cast<std::size_t>(x % kTile_px);
    std::byte* to = band_.data() + static_cast<std::size_t>(x / kTile_px) * tile_bytes() +
                    3 * pixel * value_bytes();
    for (int c = 0; c < 3; ++c, to += value_bytes()) {
      if (facts_.depth == PictureDepth::bits8) {
        *to = static_cast<std::byte>(std::lround(std::clamp(rgb[3 * x + c], 0.0f, 1.0f) * 255.0f));
      } else {
        const std::uint16_t value = stored_16(facts_.depth, rgb[3 * x + c]);
        std::memcpy(to, &value, sizeof(value));
      }
    }
  }
  if (y % kTile_px == kTile_px - 1 || y == height() - 1) store_band(y / kTile_px);
}

void PixelStore::store_band(int band) {
  const std::uint64_t at = static_cast<std::uint64_t>(band) * band_.size();
  if (is_in_memory()) {
    std::copy(band_.begin(), band_.end(), held_.data() + at);
  } else {
    write_all(file_.get(), band_.data(), band_.size(), at, folder_);
  }
}

void PixelStore::TileReader::open(int tile_x, int tile_y) {
  const std::uint64_t tile =
      static_cast<std::uint64_t>(tile_y) * static_cast<std::uint64_t>(store_.tiles_across()) +
      static_cast<std::uint64_t>(tile_x);
  const std::uint64_t at = tile * store_.tile_bytes();
  if (store_.is_in_memory()) {
    pixels_ = store_.held_.data() + at;
    return;
  }
  read_.resize(store_.tile_bytes());
  read_all(store_.file_.get(), read_.data(), read_.size(), at, store_.folder_);
  pixels_ = read_.data();
}

void PixelStore::TileReader::color(int x, int y, float (&rgb)[3]) const {
  const std::size_t bytes = store_.value_bytes();
  const std::byte* from = pixels_ + 3 * static_cast<std::size_t>(y * kTile_px + x) * bytes;
  for (float& value : rgb) {
    if (bytes == 1) {
      value = static_cast<float>(std::to_integer<int>(*from)) / 255.0f;
    } else {
      std::uint16_t stored;
      std::memcpy(&stored, from, sizeof(stored));
      value = loaded_16(store_.facts_.depth, stored);
    }
    from += bytes;
  }
}

}  // namespace mote
