#pragma once

// CUDA's functions of a single thread: bit operations, and float operations beyond the C library.

#include <bit>
#include <cmath>

inline int __popc(unsigned bits) {
  return std::popcount(bits);
}
inline int __popcll(unsigned long long bits) {
  return std::popcount(bits);
}
inline int __clz(int bits) {
  return std::countl_zero(static_cast<unsigned>(bits));
}
inline int __clzll(long long bits) {
  return std::countl_zero(static_cast<unsigned long long>(bits));
}
/// One more than the index of the lowest set bit; 0 if there is none.
inline int __ffs(int bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1;
}
inline int __ffsll(long long bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(bits)) + 1;
}

inline unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline int __float_as_int(float value) {
  return std::bit_cast<int>(value);
}
inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}

inline long long __double_as_longlong(double value) {
  return std::bit_cast<long long>(value);
}

/// The nearest whole number, in the middle an even one; unspecified if that has more than 63 bits.
inline long long __float2ll_rn(float value) {
  return std::llrint(value);
}

/// Never fused with later operations: this file is compiled for processors without FMA
/// instructions.
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float rsqrtf(float value) {
  return 1.0f / std::sqrt(value);
}

inline int min(int a, int b) {
  return b < a ? b : a;
}
inline unsigned min(unsigned a, unsigned b) {
  return b < a ? b : a;
}
inline unsigned long long min(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
inline float min(float a, float b) {
  return std::fmin(a, b);
}
inline int max(int a, int b) {
  return a < b ? b : a;
}
inline unsigned max(unsigned a, unsigned b) {
  return a < b ? b : a;
}
inline unsigned long long max(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
inline float max(float a, float b) {
  return std::fmax(a, b);
}

template <class T>
T __ldg(const T* address) {
  return *address;
}
