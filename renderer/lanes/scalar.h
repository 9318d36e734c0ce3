#pragma once

// The lane functions for one float or double. All are forced inline: a file compiled for a newer
// instruction set must not leave a copy that an older processor could call.

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "lanes/lane.h"

// Tests replace these functions by ones that deviate as those of a device may.
#if defined(MOTE_SCALAR_FUNCTIONS)
#include MOTE_SCALAR_FUNCTIONS
#else
namespace mote {
namespace scalar_functions = std;
}
#endif

namespace mote {

template <std::floating_point T>
MOTE_LANE T select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
#if defined(__CUDA_ARCH__)
// One instruction each on a device. If one argument is NaN, the result is the other.
template <std::floating_point T>
MOTE_LANE T min(T a, T b) {
  return std::fmin(a, b);
}
template <std::floating_point T>
MOTE_LANE T max(T a, T b) {
  return std::fmax(a, b);
}
#else
template <std::floating_point T>
MOTE_LANE T min(T a, T b) {
  return a < b ? a : b;
}
template <std::floating_point T>
MOTE_LANE T max(T a, T b) {
  return a > b ? a : b;
}
#endif
/// a * b + c. On a device it rounds once in every kernel; on the host as the compiler's flags say.
template <std::floating_point T>
MOTE_LANE T fma(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::same_as<T, float>) return __fmaf_rn(a, b, c);
  if constexpr (std::same_as<T, double>) return __fma_rn(a, b, c);
#else
  return a * b + c;
#endif
}
/// c - a * b, rounded like fma().
template <std::floating_point T>
MOTE_LANE T fnma(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  return fma(-a, b, c);
#else
  return c - a * b;
#endif
}
template <std::floating_point T>
MOTE_LANE T sqrt(T a) {
  return scalar_functions::sqrt(a);
}
template <std::floating_point T>
MOTE_LANE T abs(T a) {
  return std::fabs(a);
}
template <std::floating_point T>
MOTE_LANE T exp(T a) {
  return scalar_functions::exp(a);
}
template <std::floating_point T>
MOTE_LANE T log2(T a) {
  return scalar_functions::log2(a);
}
/// 2^a for a in [-126, 126].
template <std::floating_point T>
MOTE_LANE T exp2_bounded(T a) {
  return scalar_functions::exp2(a);
}
/// 2^a for a <= 0; zero where that is below the smallest normal float, and for NaN.
template <std::floating_point T>
MOTE_LANE T exp2_or_zero(T a) {
  return a >= T(-126) ? scalar_functions::exp2(a) : T(0);
}
/// 1 / a, where both are normal numbers; relative error below 1e-6 in packs.
template <std::floating_point T>
MOTE_LANE T reciprocal(T a) {
  return T(1) / a;
}
/// `a` where the mask holds, else zero.
template <std::floating_point T>
MOTE_LANE T keep(bool mask, T a) {
  return mask ? a : T(0);
}
/// Whether the mask holds and a >= b.
template <std::floating_point T>
MOTE_LANE bool at_least(bool mask, T a, T b) {
  return mask & (a >= b);
}
MOTE_LANE bool any(bool mask) {
  return mask;
}
/// The largest whole number that is not above `a`.
template <std::floating_point T>
MOTE_LANE T floor(T a) {
  return std::floor(a);
}
/// sin(pi a) for |a| up to 2^22. Exact at the zeros.
template <std::floating_point T>
MOTE_LANE T sin_pi(T a) {
#if defined(__CUDA_ARCH__)
  // sin() of a device takes local memory for large arguments.
  if constexpr (std::same_as<T, float>) return sinpif(a);
#endif
  const T turn = a - T(2) * std::floor(a * T(0.5) + T(0.5));  // -1 to 1
  return scalar_functions::sin(T(3.14159265358979323846) * turn);
}

/// The type of one 32-bit word per lane of F.
template <class F>
struct LaneWords {
  using Type = std::uint32_t;
};
template <int BITS>
constexpr MOTE_LANE std::uint32_t shift_right(std::uint32_t a) {
  return a >> BITS;
}
template <int BITS>
constexpr MOTE_LANE std::uint32_t shift_left(std::uint32_t a) {
  return a << BITS;
}
MOTE_LANE float float_of(std::uint32_t a) {
  return static_cast<float>(a);
}
/// The word of a whole number from 0 to 2^31 - 1.
template <std::floating_point T>
MOTE_LANE std::uint32_t word_of(T a) {
  return static_cast<std::uint32_t>(a);
}
MOTE_LANE std::uint32_t word_min(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}
MOTE_LANE std::uint32_t select(bool mask, std::uint32_t yes, std::uint32_t no) {
  return mask ? yes : no;
}
MOTE_LANE bool is_zero(std::uint32_t a) {
  return a == 0;
}
/// Shifts by `bits`, from 0 to 31.
MOTE_LANE std::uint32_t shift_right_by(std::uint32_t a, std::uint32_t bits) {
  return a >> bits;
}
/// The bits of a float, and the float of these bits.
MOTE_LANE std::uint32_t bits_of(float a) {
  return std::bit_cast<std::uint32_t>(a);
}
MOTE_LANE float float_of_bits(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
/// The words, or bytes, at base[index].
MOTE_LANE std::uint32_t gather_bytes(const std::uint8_t* base, std::uint32_t index) {
  return base[index];
}
MOTE_LANE std::uint32_t gather_words(const std::uint32_t* base, std::uint32_t index) {
  return base[index];
}
MOTE_LANE std::uint32_t word_remainder(std::uint32_t a, std::uint32_t divisor) {
  return a % divisor;
}

}  // namespace mote
