#pragma once

// Indices of the running thread, and operations of all threads of a block.

#include <cuda_host/site.h>
#include <cuda_host/vectors.h>

// Values of the running thread; they change with every switch.
extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace cuda_host {

/// Holds the thread until every thread of the block reaches the same place, and returns the number
/// of threads for which `predicate` holds. A fault if a thread returned or waits elsewhere.
int block_barrier(bool predicate, Site site);

/// Orders the thread's writes before its later accesses, for the race check.
void thread_fence();

[[noreturn]] void trap(Site site);

}  // namespace cuda_host

inline void __syncthreads(cuda_host::Site site = cuda_host::Site::here()) {
  cuda_host::block_barrier(false, site);
}
inline int __syncthreads_count(int predicate, cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::block_barrier(predicate != 0, site);
}
inline int __syncthreads_or(int predicate, cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::block_barrier(predicate != 0, site) > 0;
}
inline int __syncthreads_and(int predicate, cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::block_barrier(predicate == 0, site) == 0;
}
inline void __threadfence() {
  cuda_host::thread_fence();
}
inline void __threadfence_block() {
  cuda_host::thread_fence();
}
[[noreturn]] inline void __trap(cuda_host::Site site = cuda_host::Site::here()) {
  cuda_host::trap(site);
}
