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
/// Stands before a loop over an array that must stay in registers.
#define MOTE_UNROLL _Pragma("unroll")
#else
#define MOTE_LANE inline __attribute__((always_inline))
#define MOTE_UNROLL
#endif
