#pragma once

// IEEE 754 binary16 ("half") from and to floats, exactly and without special instructions.

#include <bit>
#include <cstdint>

namespace mote {

inline constexpr float kLargestHalfFloat = 65504;

inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  constexpr std::uint32_t kBias = (127 - 15) << 23;
  if (magnitude < 0x400) {  // below the smallest normal half
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  // Infinity and NaN have the largest exponent in both formats.
  const std::uint32_t bias = magnitude < 0x7c00 ? kBias : 2 * kBias;
  return std::bit_cast<float>(sign | ((magnitude << 13) + bias));
}

/// The nearest half, ties to even: infinity from 65520 on.
inline std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000) {
    half = 0x7e00;  // NaN
  } else if (magnitude >= std::bit_cast<std::uint32_t>(65520.0f)) {
    half = 0x7c00;
  } else if (magnitude < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // The sum rounds to multiples of 2^-24, the unit of the smallest halves.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  } else {
    const std::uint32_t even = magnitude >> 13 & 1;
    half = (magnitude + 0xfff + even - ((127 - 15) << 23)) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

}  // namespace mote
