// Writes .spz version 3, which every reader of the format supports, with the quantisation of the
// reference library. Positions have steps of 1/4096, finer for small splats and coarser for scenes
// larger than 2048 (spz_fit.cpp). Opacity and colour have steps of 1/255, log scales of 1/16 from
// -10 to 5.94, quaternions of 1/722. SH have 5 bits (degree 1) or 4 bits (above) over ±1. Splats
// without a rotation or with a value that is not finite, for which spz has no code, become fully
// transparent; SH that are not finite become zero.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "core/error.h"
#include "io/gzip_writer.h"
#include "io/splats/cloud_building.h"
#include "io/splats/spz_layout.h"

namespace mote::spz {
namespace {

constexpr std::size_t kWrittenChunkSplats = 16384;
constexpr int kSh1Bucket = 1 << (8 - 5), kShRestBucket = 1 << (8 - 4);

/// The nearest code from 0 to 255; 0 for NaN.
std::byte code(float value) {
  return static_cast<std::byte>(value > 0 ? std::min(std::lround(std::min(value, 255.0f)), 255L)
                                          : 0);
}

void encode_position(const SplatCloud& cloud, std::size_t i, const Header& header, std::byte* out) {
  const bool storable = is_storable(cloud, i);
  for (int axis = 0; axis < 3; ++axis) {
    const float value =
        header.axes[static_cast<std::size_t>(axis)] *
        std::ldexp(cloud.at(i, offset_by(Field::mean_x, axis)), header.fractional_bits);
    const auto fixed = static_cast<std::uint32_t>(storable ? std::lround(value) : 0);
    for (unsigned b = 0; b < 3; ++b) *out++ = static_cast<std::byte>(fixed >> 8 * b & 255);
  }
}

void encode_rotation(const SplatCloud& cloud, std::size_t i, const Header& header, std::byte* out) {
  const AxisSigns& s = header.axes;
  const std::array<float, 4> q = {
      cloud.at(i, Field::rotation_x) * s[1] * s[2], cloud.at(i, Field::rotation_y) * s[0] * s[2],
      cloud.at(i, Field::rotation_z) * s[0] * s[1], cloud.at(i, Field::rotation_w)};
  double squares = 0;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    squares += static_cast<double>(q[k]) * static_cast<double>(q[k]);
    if (std::abs(q[k]) > std::abs(q[largest])) largest = k;
  }
  const double unit = 511 * std::numbers::sqrt2 / std::sqrt(squares);
  auto packed = static_cast<std::uint32_t>(largest);
  for (std::size_t k = 0; k < 4; ++k) {
    if (k == largest) continue;
    const bool negative = (q[k] < 0) != (q[largest] < 0);
    const double magnitude = std::abs(static_cast<double>(q[k])) * unit;
    packed = packed << 10 | static_cast<std::uint32_t>(negative) << 9 |
             (magnitude < 511 ? static_cast<std::uint32_t>(std::lround(magnitude)) : 511u);
  }
  // A splat that cannot be stored is transparent and gets the identity rotation.
  if (!(squares > 0 && std::isfinite(squares))) packed = 3u << 30;
  std::memcpy(out, &packed, sizeof packed);
}

void encode_sh(const SplatCloud& cloud, std::size_t i, const std::array<float, 24>& signs,
               std::byte* out) {
  for (int k = 1; k < cloud.sh_coefficients(); ++k) {
    const int bucket = k < 4 ? kSh1Bucket : kShRestBucket;
    for (int c = 0; c < 3; ++c) {
      const float value = cloud.sh(i, k, c) * signs[static_cast<std::size_t>(k - 1)];
      const float shifted = std::isfinite(value) ? value * 128 + 128 : 128.0f;
      const int nearest = std::to_integer<int>(code(shifted));
      *out++ = static_cast<std::byte>(std::min((nearest + bucket / 2) / bucket * bucket, 255));
    }
  }
}

void encode(Array array, const SplatCloud& cloud, std::size_t i, const Header& header,
            const std::array<float, 24>& signs, std::byte* out) {
  switch (array) {
    case Array::positions:
      return encode_position(cloud, i, header, out);
    case Array::alphas: {
      const float opacity = 1 / (1 + std::exp(-cloud.at(i, Field::logit_opacity)));
      *out = is_storable(cloud, i) ? code(opacity * 255) : std::byte{0};
      return;
    }
    case Array::colours:
      for (int c = 0; c < 3; ++c) {
        const float dc = cloud.sh(i, 0, c);
        out[c] = code(((std::isfinite(dc) ? dc : 0) * kColourScale + 0.5f) * 255);
      }
      return;
    case Array::log_scales:
      for (int axis = 0; axis < 3; ++axis) {
        const float above = cloud.at(i, offset_by(Field::log_scale_x, axis)) - kSmallestLogScale;
        out[axis] = code(above / kLogScaleStep);
      }
      return;
    case Array::rotations:
      return encode_rotation(cloud, i, header, out);
    case Array::sh:
      return encode_sh(cloud, i, signs, out);
  }
}

std::array<std::byte, kGzipHeaderBytes> packed_header(const Header& header) {
  std::array<std::byte, kGzipHeaderBytes> bytes{};
  std::memcpy(bytes.data(), &kMagic, 4);
  std::memcpy(bytes.data() + 4, &header.version, 4);
  std::memcpy(bytes.data() + 8, &header.count, 4);
  bytes[12] = static_cast<std::byte>(header.sh_degree);
  bytes[13] = static_cast<std::byte>(header.fractional_bits);
  bytes[14] = static_cast<std::byte>(header.flags);
  return bytes;
}

}  // namespace

std::vector<std::string> write(const SplatCloud& cloud, OutputFile& file,
                               const ProgressCallback& progress) {
  Fit fitted = fit(cloud, file.name());
  Header header;
  header.version = 3;
  header.count = static_cast<std::uint32_t>(cloud.count());
  header.sh_degree = cloud.sh_degree();
  header.fractional_bits = fitted.fractional_bits;
  header.flags = cloud.antialiased ? kAntialiasedFlag : 0;
  const std::array<float, 24> signs = sh_signs(header.axes);
  GzipWriter gzip(file);
  gzip.write(packed_header(header));
  std::size_t done = 0;
  for (const Array array : kArrays) {
    const std::size_t stride = bytes_per_splat(array, header);
    Buffer<std::byte> packed(kWrittenChunkSplats * stride);
    for (std::size_t first = 0; stride > 0 && first < cloud.count(); first += kWrittenChunkSplats) {
      const std::size_t count = std::min(kWrittenChunkSplats, cloud.count() - first);
      for (std::size_t i = 0; i < count; ++i) {
        encode(array, cloud, first + i, header, signs, packed.data() + i * stride);
      }
      gzip.write(packed.span().first(count * stride));
      const double share = static_cast<double>(first + count) / static_cast<double>(cloud.count());
      report(progress, (static_cast<double>(done) + share) / kArrays.size());
    }
    ++done;
  }
  gzip.finish();
  report(progress, 1.0);
  return std::move(fitted.warnings);
}

}  // namespace mote::spz
