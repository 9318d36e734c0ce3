#pragma once

// The functions of lanes/scalar.h for a second compilation of the kernels. A device approximates
// them; here, results deviate by up to two units in the last place. The deviation depends on the
// result alone, so that equal arguments give equal results.

#include <bit>
#include <cmath>
#include <cstdint>

namespace mote::scalar_functions {

template <class T>
T deviating(T exact) {
  return exact;
}
inline float deviating(float exact) {
  if (!std::isnormal(exact)) return exact;
  const auto bits = std::bit_cast<std::uint32_t>(exact);
  const std::uint32_t steps = (bits * 0x9e3779b1u >> 16) % 5;  // 0 to 4 stand for -2 to 2
  const auto result = std::bit_cast<float>(bits + steps - 2);
  return std::isnormal(result) ? result : exact;
}

template <class T>
T sqrt(T a) {
  return deviating(std::sqrt(a));
}
template <class T>
T exp(T a) {
  return deviating(std::exp(a));
}
template <class T>
T exp2(T a) {
  return deviating(std::exp2(a));
}
template <class T>
T sin(T a) {
  return deviating(std::sin(a));
}
template <class T>
T log2(T a) {
  return deviating(std::log2(a));
}

}  // namespace mote::scalar_functions
