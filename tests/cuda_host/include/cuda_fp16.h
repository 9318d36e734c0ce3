#pragma once

// Replaces the CUDA toolkit's header in the host run: the functions of half precision that kernels
// use, rounded to nearest even as on a device.

#include <cuda_host/vectors.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

/// IEEE 754 binary16.
struct __half {
  std::uint16_t bits;
};

struct alignas(4) __half2 {
  __half x, y;
};

namespace cuda_host {

/// The nearest half. All sums and products of halves are exact in double precision, but for
/// addends more than 2^42 apart.
inline __half half_of(double value) {
  constexpr double kFirstInfinite = 65520;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const double size = std::fabs(value);
  unsigned bits = 0;
  if (std::isnan(size)) {
    bits = 0x7fff;
  } else if (size >= kFirstInfinite) {
    bits = 0x7c00;
  } else if (size > 0) {
    const int ulp = std::max(std::ilogb(size), -14) - 10;
    const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(size, -ulp)));
    // The first of the 11 bits of a normal number adds one to the exponent.
    bits = (static_cast<unsigned>(ulp + 24) << 10) + units;
  }
  return {static_cast<std::uint16_t>(sign | bits)};
}

inline float float_of(__half value) {
  const unsigned exponent = value.bits >> 10 & 31, mantissa = value.bits & 1023;
  float size = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                             : std::ldexp(static_cast<float>(1024 + mantissa),
                                          static_cast<int>(exponent) - 25);
  if (exponent == 31) size = mantissa == 0 ? HUGE_VALF : NAN;
  return (value.bits & 0x8000) != 0 ? -size : size;
}

/// Each half by the function of doubles.
template <class Function, class... Halves>
__half2 for_both(Function function, Halves... values) {
  return {half_of(function(static_cast<double>(float_of(values.x))...)),
          half_of(function(static_cast<double>(float_of(values.y))...))};
}

}  // namespace cuda_host

inline __half __float2half_rn(float value) {
  return cuda_host::half_of(static_cast<double>(value));
}
inline float __half2float(__half value) {
  return cuda_host::float_of(value);
}
inline __half __ushort_as_half(unsigned short bits) {
  return {bits};
}
inline unsigned short __half_as_ushort(__half value) {
  return value.bits;
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__float2half_rn(x), __float2half_rn(y)};
}
inline __half2 __float2half2_rn(float value) {
  return __floats2half2_rn(value, value);
}
inline float __low2float(__half2 values) {
  return __half2float(values.x);
}
inline float __high2float(__half2 values) {
  return __half2float(values.y);
}
inline float2 __half22float2(__half2 values) {
  return {__low2float(values), __high2float(values)};
}

inline __half2 __hmul2(__half2 a, __half2 b) {
  return cuda_host::for_both([](double x, double y) { return x * y; }, a, b);
}
inline __half2 __hsub2(__half2 a, __half2 b) {
  return cuda_host::for_both([](double x, double y) { return x - y; }, a, b);
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return cuda_host::for_both([](double x, double y, double z) { return x * y + z; }, a, b, c);
}
/// If one argument is NaN, the result is the other.
inline __half2 __hmin2(__half2 a, __half2 b) {
  return cuda_host::for_both([](double x, double y) { return std::fmin(x, y); }, a, b);
}
/// All bits of each half where a >= b; NaN compares false.
inline unsigned __hge2_mask(__half2 a, __half2 b) {
  const unsigned low = __low2float(a) >= __low2float(b) ? 0xffffu : 0u;
  return low | (__high2float(a) >= __high2float(b) ? 0xffff0000u : 0u);
}
/// All bits of each half where a > b; NaN compares false.
inline unsigned __hgt2_mask(__half2 a, __half2 b) {
  const unsigned low = __low2float(a) > __low2float(b) ? 0xffffu : 0u;
  return low | (__high2float(a) > __high2float(b) ? 0xffff0000u : 0u);
}
