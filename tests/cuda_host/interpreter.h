#pragma once

// Runs a kernel on the thread that calls: its blocks one after another, each CUDA thread a fiber.
// A fiber runs until it comes to a barrier or to a warp operation that others must come to as well.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cuda_host {

struct KernelRun {
  std::string name;
  unsigned blocks = 1, threads = 32;
  std::size_t dynamic_bytes = 0;
  std::uint64_t seed = 0;              // of the order of blocks and threads; 0: upwards
  std::size_t shared_limit_bytes = 0;  // of a block
  bool check_accesses = false;         // for races and for memory of the host
  // What each thread does with `call`, of `call_bytes`, which it may read.
  std::shared_ptr<const void> call;
  std::size_t call_bytes = 0;
  void (*thread)(const void* call) = nullptr;
};

/// Returns what went wrong in the kernel, with its name, the block and the threads; empty if
/// nothing did. One run at a time.
std::string run_kernel(const KernelRun& run);

/// Ends the kernel that runs, on one of its threads. `what` completes "block 3, thread 17 ...".
[[noreturn]] void fault(const std::string& what);

/// "kernel NAME, block 3 of 10, thread 17" for what runs now, empty outside of kernels. Allocates
/// nothing.
void describe_running(char* text, std::size_t capacity);

}  // namespace cuda_host
