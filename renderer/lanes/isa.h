#pragma once

// The instruction sets that CPU kernels can be compiled for, and a test of whether this processor
// supports each. The build compiles each kernel file once for each name in MOTE_ISAS, with MOTE_ISA
// set to the name (renderer/CMakeLists.txt).

#if defined(__x86_64__)
#define MOTE_ISA_FAMILY "x86-64-"
#else
#define MOTE_ISA_FAMILY ""
#endif

namespace mote {

#if defined(__x86_64__)
namespace isa_probe {
/// Whether this processor and its system run x86-64-v2 / v3 / v4 code, including AES and carry-less
/// multiplication, which Highway requires.
inline bool v2() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("pclmul");
}
inline bool v3() {
  return v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
inline bool v4() {
  return v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
/// v4 with products of BF16.
inline bool v4bf16() {
  return v4() && __builtin_cpu_supports("avx512bf16");
}
/// v4bf16 with a matrix unit for BF16 (AMX). Linux gives the unit to processes that ask for it.
bool v4amx();
}  // namespace isa_probe
#else
namespace isa_probe {
inline bool baseline() {
  return true;
}
}  // namespace isa_probe
#endif

/// Whether kernels of an instruction set are faster than those of the one before it, on a processor
/// that runs both.
namespace isa_gain {
inline bool always() {
  return true;
}
#if defined(__x86_64__)
inline constexpr auto v2 = always, v3 = always, v4 = always, v4amx = always;
/// Vectors of Intel's processors multiply BF16 half as fast as floats.
inline bool v4bf16() {
  return !__builtin_cpu_is("intel");
}
#else
inline constexpr auto baseline = always;
#endif
}  // namespace isa_gain

}  // namespace mote
