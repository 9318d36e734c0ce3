#pragma once

// The language of kernels: CUDA C++, with the few macros and functions below for the differences of
// the host run (tests/cuda_host/, a thread interpreter with its own <cuda_runtime.h>). Kernel files
// include nothing else of CUDA. Blocks and grids are one-dimensional, and the block size is a
// multiple of the warp size.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/runtime/spread_sums.h"

namespace mote::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffu;

/// The compute capability of this compilation, times ten; 0 on the host.
#if defined(__CUDA_ARCH__)
inline constexpr int kArchitecture = __CUDA_ARCH__ / 10;
#else
inline constexpr int kArchitecture = 0;
#endif

}  // namespace mote::cuda

#if defined(__CUDACC__)

/// MOTE_KERNEL(threads) or MOTE_KERNEL(threads, blocks): declares a kernel. `threads`: maximum
/// threads per block. `blocks`: number of blocks per multiprocessor that registers must allow.
#define MOTE_KERNEL(...) static __global__ void __launch_bounds__(__VA_ARGS__)
/// Declares a function for kernels.
#define MOTE_DEVICE static __device__ __forceinline__
/// Declares a member function for kernels.
#define MOTE_MEMBER __device__ __forceinline__

namespace mote::cuda {

/// An uninitialised T in the block's shared memory; one per type and kernel.
template <class T>
__device__ __forceinline__ T& block_shared() {
  __shared__ T value;
  return value;
}

/// The dynamic shared memory of the launch, uninitialised, aligned to 16 bytes.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  static_assert(alignof(T) <= 16);
  extern __shared__ __align__(16) unsigned char mote_dynamic_shared[];
  return reinterpret_cast<T*>(mote_dynamic_shared);
}

/// A clock of the multiprocessor, which wraps around.
__device__ __forceinline__ unsigned clock_ticks() {
  return static_cast<unsigned>(clock());
}

/// Sums each of the values over the lanes of the warp. Returns the sum with index sum_place(N,
/// lane); undefined in lanes without one. All lanes must call.
template <int N>
__device__ __forceinline__ float warp_sums(const float (&values)[N]) {
  return spread_sums(values, threadIdx.x % kWarp, [](float value, unsigned apart) {
    return __shfl_xor_sync(kWholeWarp, value, static_cast<int>(apart));
  });
}

}  // namespace mote::cuda

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
// Before compute capability 8.0, integer warp reductions use shuffles.

template <class Combine>
MOTE_DEVICE unsigned mote_reduce_lanes(unsigned mask, unsigned value, Combine combine) {
  if (mask == mote::cuda::kWholeWarp) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      value = combine(value, __shfl_xor_sync(mask, value, apart));
    }
    return value;
  }
  unsigned result = __shfl_sync(mask, value, __ffs(static_cast<int>(mask)) - 1);
  for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    result = combine(result, __shfl_sync(mask, value, __ffs(static_cast<int>(rest)) - 1));
  }
  return result;
}

MOTE_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return mote_reduce_lanes(mask, value, [](unsigned a, unsigned b) { return a + b; });
}
MOTE_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return mote_reduce_lanes(mask, value, [](unsigned a, unsigned b) { return b < a ? b : a; });
}
MOTE_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return mote_reduce_lanes(mask, value, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
MOTE_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return mote_reduce_lanes(mask, value, [](unsigned a, unsigned b) { return a & b; });
}
MOTE_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return mote_reduce_lanes(mask, value, [](unsigned a, unsigned b) { return a | b; });
}

#endif

#else

#define MOTE_KERNEL(...) static void
#define MOTE_DEVICE static inline
#define MOTE_MEMBER inline

namespace mote::cuda {

template <class T>
T& block_shared() {
  return ::cuda_host::shared<T>();
}

template <class T>
T* dynamic_shared() {
  static_assert(alignof(T) <= 16);
  return static_cast<T*>(::cuda_host::dynamic_shared());
}

inline unsigned clock_ticks() {
  return ::cuda_host::clock_ticks();
}

template <int N>
float warp_sums(const float (&values)[N], ::cuda_host::Site site = ::cuda_host::Site::here()) {
  if (::cuda_host::sums_by_shuffles()) {
    return spread_sums(values, threadIdx.x % kWarp, [](float value, unsigned apart) {
      return __shfl_xor_sync(kWholeWarp, value, static_cast<int>(apart));
    });
  }
  float sums[N];
  for (int k = 0; k < N; ++k) sums[k] = values[k];
  ::cuda_host::warp_sums(sums, N, site);
  const int place = sum_place(N, threadIdx.x % kWarp);
  return place < 0 ? 0.0f : sums[place];
}

}  // namespace mote::cuda

#endif
