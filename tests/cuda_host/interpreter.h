#pragma once

// Runs a kernel on the calling thread, with a fiber per CUDA thread. Blocks run one after another,
// and a fiber runs until it reaches a barrier or a warp operation that other threads must reach,
// too. Or several blocks are in flight, and a fiber may also be interrupted where it accesses
// memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cuda_host {

struct KernelRun {
  std::string name;
  unsigned blocks = 1, threads = 32;
  std::size_t dynamic_bytes = 0;
  std::uint64_t seed = 0;              // for the order of blocks and threads; 0: ascending
  std::size_t shared_limit_bytes = 0;  // per block
  unsigned blocks_in_flight = 1;       // up to kMaxBlocksInFlight; more than one need a seed
  bool flush_to_zero = false;
  bool counts_wavefronts = false;
  bool check_accesses = false;  // for races and for accesses to host memory
  // Each thread calls `thread` with `call`, of `call_bytes`, which it may read.
  std::shared_ptr<const void> call;
  std::size_t call_bytes = 0;
  void (*thread)(const void* call) = nullptr;
};

/// Returns a description of the kernel's fault with its name, block and threads; empty if there was
/// none. Only one run at a time.
std::string run_kernel(const KernelRun& run);

/// Called before an access to memory: with several blocks in flight, other threads may run first.
void let_others_run();

/// Ends the running kernel on one of its threads. `what` completes "block 3, thread 17 ...".
[[noreturn]] void fault(const std::string& what);

/// Text "kernel NAME, block 3 of 10, thread 17" for the running thread; empty outside of kernels.
/// Allocates nothing.
void describe_running(char* text, std::size_t capacity);

}  // namespace cuda_host
