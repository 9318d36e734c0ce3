#pragma once

// The lane type, and the macros that mark every lane function. The maths of Mote is written once,
// as templates over a lane type F:
//   float   one lane, for a CUDA thread
//   Pack    a SIMD vector of floats on the CPU (lanes/pack.h)
//   double  gradient tests
// F converts from float constants, has + - * / and comparisons, and the functions of
// lanes/scalar.h. A comparison yields a mask: bool, or a vector of bools.

#if defined(__CUDACC__)
#define MOTE_LANE __host__ __device__ __forceinline__
#else
#define MOTE_LANE inline __attribute__((always_inline))
#endif
/// Unrolls the following loop on the device, so that its array stays in registers. The host
/// compiler of nvcc does not know the pragma.
#if defined(__CUDA_ARCH__)
#define MOTE_UNROLL _Pragma("unroll")
#else
#define MOTE_UNROLL
#endif
