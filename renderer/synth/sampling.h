#pragma once

// Sample points that depend only on the pixel's number and the seed, not on the thread: the first
// two dimensions of the Sobol sequence, scrambled and shuffled for every pixel and every pair of
// dimensions (B. Burley, "Practical Hash-based Owen Scrambling", JCGT 2020).

#include <cmath>
#include <cstdint>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace mote::synth {

using glm::vec2;
using glm::vec3;

inline constexpr float kPi = 3.14159265f;

inline std::uint32_t hash_bits(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

inline std::uint32_t hash_bits(std::uint32_t a, std::uint32_t b) {
  return hash_bits(a ^ (hash_bits(b) + 0x9e3779b9u + (a << 6) + (a >> 2)));
}

inline std::uint32_t reversed_bits(std::uint32_t x) {
  x = __builtin_bswap32(x);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
  x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
  return ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
}

/// Owen scrambling of a number with reversed bits.
inline std::uint32_t scrambled_reversed(std::uint32_t x, std::uint32_t seed) {
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  return x ^ (x * 0x8d22f6e6u);
}

inline float unit_float(std::uint32_t x) {
  return static_cast<float>(x >> 8) * 0x1p-24f;
}

/// The sample points of one pixel, vertex or other numbered item.
class SamplePoints {
 public:
  SamplePoints(std::uint32_t seed, std::uint32_t number) : seed_(hash_bits(seed, number)) {}

  /// Point `index` of the sequence `pair`, in [0, 1)^2. The first 2^k points of a sequence are
  /// stratified.
  vec2 at(std::uint32_t index, std::uint32_t pair) const {
    const std::uint32_t seed = hash_bits(seed_, pair);
    const std::uint32_t shuffled =
        reversed_bits(scrambled_reversed(reversed_bits(index), hash_bits(seed)));
    std::uint32_t second = 0;
    for (std::uint32_t rest = shuffled, column = 1u << 31; rest != 0; rest >>= 1) {
      if (rest & 1u) second ^= column;
      column ^= column >> 1;
    }
    const std::uint32_t x = reversed_bits(scrambled_reversed(shuffled, seed ^ 0xa511e9b3u));
    const std::uint32_t y =
        reversed_bits(scrambled_reversed(reversed_bits(second), seed ^ 0x63d83595u));
    return {unit_float(x), unit_float(y)};
  }

 private:
  std::uint32_t seed_;
};

/// The columns of a rotation that maps z to the unit vector `axis` (Duff et al., "Building an
/// Orthonormal Basis, Revisited", JCGT 2017).
struct Frame3 {
  vec3 x, y, z;
  explicit Frame3(vec3 axis) : z(axis) {
    const float sign = std::copysign(1.0f, axis.z);
    const float a = -1 / (sign + axis.z), b = axis.x * axis.y * a;
    x = {1 + sign * axis.x * axis.x * a, sign * b, -sign * axis.x};
    y = {b, sign + axis.y * axis.y * a, -axis.y};
  }
  vec3 operator()(vec3 local) const { return x * local.x + y * local.y + z * local.z; }
  vec3 inverse(vec3 v) const {
    return {x.x * v.x + x.y * v.y + x.z * v.z, y.x * v.x + y.y * v.y + y.z * v.z,
            z.x * v.x + z.y * v.y + z.z * v.z};
  }
};

/// A direction about z with a cosine-weighted density.
inline vec3 cosine_direction(vec2 u) {
  const float radius = std::sqrt(u.x), angle = 2 * kPi * u.y;
  return {radius * std::cos(angle), radius * std::sin(angle), std::sqrt(1 - u.x)};
}

}  // namespace mote::synth
