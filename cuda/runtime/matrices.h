#pragma once

// Products of small matrices by a warp's tensor cores, and loads of their operands. A part of the
// language of kernels (dialect.h): the host run emulates the instructions.
//
// Each lane has some elements of a matrix, its fragment (PTX ISA, "Matrix Fragments for
// mma.m16n8k16 with floating point type" and "ldmatrix"). With g = lane / 4 and t = lane % 4, and
// two numbers of 16 bits in a word, the lower column or row in the lower half:
//   a 16x16   x: (g, 2t), y: (g + 8, 2t), z: (g, 2t + 8), w: (g + 8, 2t + 8), each with the next
//   column b 16x8    x: (2t, g), y: (2t + 8, g), each with the next row c 16x8    x: (g, 2t), y:
//   (g, 2t + 1), z: (g + 8, 2t), w: (g + 8, 2t + 1)
// So the fragments c of two neighbouring products, rounded to 16 bits, are a fragment a. All lanes
// of a warp must call.

#include "cuda/runtime/dialect.h"

namespace mote::cuda {

#if defined(__CUDACC__)

/// a b + c for IEEE halves, with products and sums as floats. The order of the sums is the
/// device's.
MOTE_DEVICE float4 multiply_halves(uint4 a, uint2 b, float4 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
#else
  // Compute capability 7.5 multiplies eight columns of a at once.
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
      : "r"(a.x), "r"(a.y), "r"(b.x));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
      : "r"(a.z), "r"(a.w), "r"(b.y));
#endif
  return c;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/// The same for BF16. Needs compute capability 8.0.
MOTE_DEVICE float4 multiply_bfloats(uint4 a, uint2 b, float4 c) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
  return c;
}
#endif

/// Loads four matrices of 8x8 numbers of 16 bits from shared memory. Lanes 8i to 8i + 7 pass the
/// addresses of the rows of matrix i, of 16 bytes and aligned to that. Word i of the result is
/// (g, 2t) and (g, 2t + 1) of matrix i.
MOTE_DEVICE uint4 load_matrices(const void* row) {
  uint4 words;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return words;
}

/// The same of the transposed matrices: (2t, g) and (2t + 1, g) of what is stored.
MOTE_DEVICE uint4 load_transposed_matrices(const void* row) {
  uint4 words;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return words;
}

/// A load of 16 bytes at once.
MOTE_DEVICE uint4 load_whole(const uint4* address) {
  return *address;
}

#else

inline float4 multiply_halves(uint4 a, uint2 b, float4 c,
                              ::cuda_host::Site site = ::cuda_host::Site::here()) {
  return ::cuda_host::multiply_matrices(::cuda_host::MatrixNumber::half, a, b, c, site);
}
inline float4 multiply_bfloats(uint4 a, uint2 b, float4 c,
                               ::cuda_host::Site site = ::cuda_host::Site::here()) {
  return ::cuda_host::multiply_matrices(::cuda_host::MatrixNumber::bfloat, a, b, c, site);
}
inline uint4 load_matrices(const void* row, ::cuda_host::Site site = ::cuda_host::Site::here()) {
  return ::cuda_host::load_matrices(row, false, site);
}
inline uint4 load_transposed_matrices(const void* row,
                                      ::cuda_host::Site site = ::cuda_host::Site::here()) {
  return ::cuda_host::load_matrices(row, true, site);
}
// A host compiler may divide a load, so that its wavefronts would be counted as those of four.
inline uint4 load_whole(const uint4* address) {
  return ::cuda_host::load_whole(address);
}

#endif

}  // namespace mote::cuda
