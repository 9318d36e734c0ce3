#include "io/images/pixel_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/fingerprint.h"
#include "core/release.h"
#include "math/half.h"

namespace mote {
namespace {

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

PixelStore::PixelStore(const std::filesystem::path& path, std::uint64_t memory_bytes,
                       const std::function<void(double fraction)>& progress) {
  Fingerprint fingerprint;
  const auto report = [&](double fraction) {
    if (progress) progress(fraction);
  };
  read_picture(path,
               {.begin = [&](const PictureFacts& facts) { return begin(facts, memory_bytes); },
                .wait = [&] { report(0); },
                .take =
                    [&](int y, const float* rgb) {
                      fingerprint.add_bytes(
                          std::as_bytes(std::span(rgb, 3 * static_cast<std::size_t>(width()))));
                      take_row(y, rgb);
                      if (y % 256 == 0) report(static_cast<double>(y) / height());
                    }});
  release(band_);
  fingerprint_ = fingerprint.value();
}

/// Returns the memory that is left for decoding.
std::uint64_t PixelStore::begin(const PictureFacts& facts, std::uint64_t memory_bytes) {
  facts_ = facts;
  const auto across = static_cast<std::size_t>(tiles_across());
  const std::size_t bytes = across * static_cast<std::size_t>(tiles_down()) * tile_bytes();
  band_.assign(across * tile_bytes(), std::byte{0});
  if (bytes <= memory_bytes) {
    held_.resize_discard(bytes);
    return memory_bytes - bytes;
  }
  file_.emplace(bytes);
  return memory_bytes;
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
    file_->write(at, band_);
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
  store_.file_->read(at, read_);
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
