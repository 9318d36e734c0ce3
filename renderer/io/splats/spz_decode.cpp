// Decodes the packed arrays of .spz into blocks of splats.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "io/splats/spz_layout.h"
#include "math/half.h"

namespace mote::spz {
namespace {

using Table = std::array<float, 256>;  // the value of each 8-bit code

template <class Function>
Table tabulated(Function value_of) {
  Table table{};
  for (std::size_t code = 0; code < table.size(); ++code) {
    table[code] = value_of(static_cast<float>(code));
  }
  return table;
}

/// The `packed` rows of one block, for decoders that fill lanes.
struct Lanes {
  const std::byte* rows;
  std::size_t stride, count;

  std::uint8_t byte(std::size_t lane, std::size_t offset) const {
    return static_cast<std::uint8_t>(rows[lane * stride + offset]);
  }
};

/// Decodes value v of each row to out[v]; `table_of(v)` gives its table.
template <class TableOf>
void decode_codes(const Lanes& lanes, TableOf table_of, float* out) {
  for (std::size_t v = 0; v < lanes.stride; ++v) {
    const Table& table = table_of(v);
    for (std::size_t i = 0; i < lanes.count; ++i) out[v * kBlockSize + i] = table[lanes.byte(i, v)];
  }
}

float half_coordinate(const Lanes& lanes, std::size_t lane, std::size_t axis) {
  return from_half(
      static_cast<std::uint16_t>(lanes.byte(lane, axis * 2) | lanes.byte(lane, axis * 2 + 1) << 8));
}

/// 24-bit two's complement.
float fixed_coordinate(const Lanes& lanes, std::size_t lane, std::size_t axis) {
  const std::uint32_t bits = static_cast<std::uint32_t>(lanes.byte(lane, axis * 3)) << 8 |
                             static_cast<std::uint32_t>(lanes.byte(lane, axis * 3 + 1)) << 16 |
                             static_cast<std::uint32_t>(lanes.byte(lane, axis * 3 + 2)) << 24;
  return static_cast<float>(static_cast<std::int32_t>(bits) >> 8);
}

void decode_positions(const Lanes& lanes, const Header& header, float* mean) {
  const bool half = header.version == 1;
  const float unit = half ? 1.0f : std::ldexp(1.0f, -header.fractional_bits);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float scale = unit * header.axes[axis];
    for (std::size_t i = 0; i < lanes.count; ++i) {
      mean[axis * kBlockSize + i] =
          scale * (half ? half_coordinate(lanes, i, axis) : fixed_coordinate(lanes, i, axis));
    }
  }
}

/// x, y, z, w: versions 1 and 2 store x, y, z in 8 bits each and omit w, which is not negative.
std::array<float, 4> first_three(const Lanes& lanes, std::size_t lane) {
  std::array<float, 4> q{};
  float sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    q[i] = static_cast<float>(lanes.byte(lane, i)) / 127.5f - 1;
    sum += q[i] * q[i];
  }
  q[3] = std::sqrt(std::max(0.0f, 1 - sum));
  return q;
}

/// x, y, z, w: later versions omit the largest, whose index is in the top two bits. The others
/// follow in order, each a sign and 9 bits over 1/sqrt(2).
std::array<float, 4> smallest_three(const Lanes& lanes, std::size_t lane) {
  std::uint32_t packed = 0;
  std::memcpy(&packed, lanes.rows + lane * lanes.stride, sizeof packed);
  constexpr float kUnit = 1 / (511 * std::numbers::sqrt2_v<float>);
  const std::size_t largest = packed >> 30;
  std::array<float, 4> q{};
  float sum = 0;
  for (std::size_t i = 4; i-- > 0;) {
    if (i == largest) continue;
    const float magnitude = static_cast<float>(packed & 511) * kUnit;
    q[i] = packed & 512 ? -magnitude : magnitude;
    sum += magnitude * magnitude;
    packed >>= 10;
  }
  q[largest] = std::sqrt(std::max(0.0f, 1 - sum));
  return q;
}

void decode_rotations(const Lanes& lanes, const Header& header, float* wxyz) {
  const AxisSigns& s = header.axes;
  const std::array<float, 3> signs = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  for (std::size_t i = 0; i < lanes.count; ++i) {
    const std::array<float, 4> q =
        header.version < 3 ? first_three(lanes, i) : smallest_three(lanes, i);
    wxyz[i] = q[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      wxyz[(axis + 1) * kBlockSize + i] = signs[axis] * q[axis];
    }
  }
}

void decode_block(Array array, const Header& header, const Lanes& lanes,
                  const std::array<float, 24>& signs, float* geometry, float* sh) {
  static const Table kLogits = tabulated([](float c) { return std::log(c / (255 - c)); });
  static const Table kColours = tabulated([](float c) { return (c / 255 - 0.5f) / kColourScale; });
  static const Table kLogScales = tabulated([](float c) { return c / 16 - 10; });
  static const Table kSh = tabulated([](float c) { return (c - 128) / 128; });
  static const Table kNegatedSh = tabulated([](float c) { return (128 - c) / 128; });
  const auto row = [&](Field f) { return geometry + static_cast<std::size_t>(f) * kBlockSize; };
  switch (array) {
    case Array::positions:
      return decode_positions(lanes, header, row(Field::mean_x));
    case Array::alphas:
      return decode_codes(
          lanes, [](std::size_t) -> const Table& { return kLogits; }, row(Field::logit_opacity));
    case Array::colours:
      return decode_codes(
          lanes, [](std::size_t) -> const Table& { return kColours; }, sh);
    case Array::log_scales:
      return decode_codes(
          lanes, [](std::size_t) -> const Table& { return kLogScales; }, row(Field::log_scale_x));
    case Array::rotations:
      return decode_rotations(lanes, header, row(Field::rotation_w));
    case Array::sh:
      return decode_codes(
          lanes, [&](std::size_t v) -> const Table& { return signs[v / 3] < 0 ? kNegatedSh : kSh; },
          sh + 3 * kBlockSize);
  }
}

}  // namespace

std::size_t bytes_per_splat(Array array, const Header& header) {
  switch (array) {
    case Array::positions:
      return header.version == 1 ? 6 : 9;
    case Array::alphas:
      return 1;
    case Array::colours:
    case Array::log_scales:
      return 3;
    case Array::rotations:
      return header.version < 3 ? 3 : 4;
    case Array::sh:
      return static_cast<std::size_t>(sh_coefficient_count(header.sh_degree) - 1) * 3;
  }
  return 0;
}

std::array<float, 24> sh_signs(const AxisSigns& axes) {
  // Bits x = 1, y = 2, z = 4: the axes in which the polynomial is odd, in the order m = -l..l of
  // each band. For the last one of degree 4, x^4 - 6 x^2 y^2 + y^4, which is even, the reference
  // library has y.
  constexpr std::array<unsigned, 24> kOdd = {2, 4, 1, 3, 6, 0, 5, 0, 2, 7, 2, 4,
                                             1, 4, 1, 3, 6, 3, 6, 0, 5, 0, 5, 0};
  std::array<float, 24> signs{};
  for (std::size_t k = 0; k < kOdd.size(); ++k) {
    signs[k] = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (kOdd[k] >> axis & 1) signs[k] *= axes[axis];
    }
  }
  return signs;
}

void decode(Array array, const Header& header, std::span<const std::byte> packed, std::size_t first,
            SplatCloud& cloud) {
  const std::size_t stride = bytes_per_splat(array, header), count = packed.size() / stride;
  const std::array<float, 24> signs = sh_signs(header.axes);
  for (std::size_t at = 0; at < count; at += kBlockSize) {
    const Lanes lanes{packed.data() + at * stride, stride, std::min(kBlockSize, count - at)};
    const std::size_t block = (first + at) / kBlockSize;
    decode_block(array, header, lanes, signs, cloud.geometry_block(block), cloud.sh_block(block));
  }
}

}  // namespace mote::spz
