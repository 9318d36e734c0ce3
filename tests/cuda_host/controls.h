#pragma once

// What tests can say of the device of the host run, and ask of it. One device machine a process.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace cuda_host {

struct Machine {
  int devices = 1;
  int driver_version = CUDART_VERSION;  // 0: no driver
  int major = 9, minor = 0;             // compute capability
  int multiprocessors = 4;
  unsigned char uuid[16] = {};                      // of device 0; that of device n ends with n
  std::size_t memory_bytes = std::size_t{8} << 30;  // of one device
  cudaError_t kernel_code = cudaSuccess;  // why it cannot run the kernels, as CUDA finds it

  /// In what order blocks, and the threads of a block between barriers, run: 0 upwards, otherwise
  /// shuffled by this seed, differently at each launch.
  std::uint64_t schedule_seed = 0;
  /// Whether kernels are checked for races (race_check.h) and for touching the host's memory
  /// (access_check.h), where accesses_can_be_checked().
  bool check_accesses = true;
  /// Whether streams put work off until somebody waits for it, which shows where nobody does.
  bool lazy_streams = false;
  /// Whether work_log() is kept.
  bool logs_work = false;

  /// After so many more calls that need the device, that one and all later ones return `failure`;
  /// negative: never.
  int calls_until_failure = -1;
  cudaError_t failure = cudaErrorECCUncorrectable;
};

/// The machine, to read and to change. Changed between tests by reset().
Machine& machine();

/// Whether kernels were compiled so that they tell of their accesses: not under a sanitizer.
bool accesses_can_be_checked();

/// Forgets faults, frees what memory is left, and makes the machine the default one. Streams,
/// events and graphs must have been destroyed, or their device lost.
void reset();

/// What the last fault was: kernel, block, threads, and what they did; empty if there was none. It
/// is also written to stderr when it happens.
const std::string& last_fault();

struct MemoryUse {
  std::size_t allocations = 0, bytes = 0;  // now
  std::size_t peak_bytes = 0;
  std::size_t pinned_allocations = 0;
  std::size_t taken = 0;  // allocations of both kinds since the last reset()
};
/// Of all devices.
MemoryUse memory_use();
/// Of one.
std::size_t used_bytes(int device);

/// Of graphs that can be launched.
struct GraphUse {
  std::size_t made = 0, launched = 0;  // since reset()
  std::size_t alive = 0;
};
GraphUse graph_use();

/// A piece of work, when it was given to its stream or when it was done.
struct WorkNote {
  enum class What { given, done };
  enum class Kind { launch, copy, set, wait };

  What what;
  Kind kind;
  cudaStream_t stream;
  std::size_t bytes;  // of a copy
  bool from_pinned;   // a copy from the host's memory that does not wait for the caller
};
/// Since reset(), as far as machine().logs_work was set.
std::vector<WorkNote> work_log();

}  // namespace cuda_host
