#pragma once

// Random numbers without state. Each is a function of a seed and a number, so every
// device gives the same values in any order. SplitMix64 (Steele, Lea and Flood 2014, "Fast
// Splittable Pseudorandom Number Generators"), which allows random access to its sequence.

#include <cmath>
#include <cstdint>

#include "lanes/lane.h"

namespace mote {

/// Each bit of the input flips half of the output bits on average: Stafford's variant 13 of the
/// finaliser of MurmurHash3.
MOTE_LANE std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// 64 random bits: element `number` of the sequence of `seed`.
MOTE_LANE std::uint64_t random_bits(std::uint64_t seed, std::uint64_t number) {
  return mixed_bits(mixed_bits(seed) + (number + 1) * 0x9e3779b97f4a7c15u);
}

/// A random integer below `count`, which is not 0: floor(bits / 2^64 * count).
MOTE_LANE std::uint64_t random_below(std::uint64_t count, std::uint64_t bits) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits) * count >> 64);
}

/// A normal sample with mean 0 and standard deviation 1, at most 6.8 (Box and Muller 1958).
MOTE_LANE double random_normal(std::uint64_t bits) {
  const double radius = (static_cast<double>(bits >> 32) + 0.5) * 0x1p-32;
  const double turn = static_cast<double>(bits & 0xffffffffu) * 0x1p-32;
#if defined(__CUDA_ARCH__)
  // Unlike cos(), this needs no local memory for large arguments.
  const double across = cospi(2 * turn);
#else
  constexpr double kTwoPi = 6.283185307179586;
  const double across = std::cos(kTwoPi * turn);
#endif
  return std::sqrt(-2 * std::log(radius)) * across;
}

}  // namespace mote
