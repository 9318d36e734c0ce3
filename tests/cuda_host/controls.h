#pragma once

// Settings of the simulated device, for tests. There is one machine per process.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace cuda_host {

struct Machine {
  int devices = 1;
  int driver_version = CUDART_VERSION;  // 0: no driver
  int major = 9, minor = 0;             // compute capability
  int multiprocessors = 4;
  unsigned char uuid[16] = {};                      // of device 0; the uuid of device n ends with n
  std::size_t memory_bytes = std::size_t{8} << 30;  // per device
  cudaError_t kernel_code = cudaSuccess;            // reason why it cannot run the kernels

  /// Order of blocks, and of the threads of a block between barriers: 0 is ascending, otherwise
  /// shuffled with this seed, differently for each launch.
  std::uint64_t schedule_seed = 0;
  /// Number of blocks that run at once, up to 4. With more than one and a seed, threads are also
  /// interrupted where they access memory, if kernels report their accesses.
  unsigned blocks_in_flight = 1;
  /// Whether kernels are checked for races (race_check.h) and for accesses to host memory
  /// (access_check.h), if accesses_can_be_checked().
  bool check_accesses = true;
  /// Whether shared_wavefronts() is counted, while one block runs at once.
  bool counts_wavefronts = false;
  /// Whether kernels flush denormal numbers to zero.
  bool flush_to_zero = false;
  /// Whether warp_sums() exchanges values by shuffles, as on a device, and not in one operation.
  bool sums_by_shuffles = false;
  /// Whether tensor cores round their sums towards zero, as measured devices do (M. Fasi et al.,
  /// "Numerical behavior of NVIDIA tensor cores", 2021), and not to the nearest float.
  bool truncates_matrix_sums = false;
  /// Whether streams delay work until a caller waits for it. This reveals missing waits.
  bool lazy_streams = false;
  /// Whether a kernel is loaded at its first launch, which then fails inside a capture. Loaded
  /// kernels stay loaded after reset().
  bool lazy_kernels = false;
  /// Whether work_log() is recorded.
  bool logs_work = false;

  /// After this number of further calls that need the device, all later calls return `failure`.
  /// Negative: never.
  int calls_until_failure = -1;
  cudaError_t failure = cudaErrorECCUncorrectable;
};

/// The machine's settings, which tests may change; reset() restores the defaults.
Machine& machine();

/// Whether kernels are compiled to report their accesses: not under a sanitizer.
bool accesses_can_be_checked();

/// Makes `false` the default of Machine::check_accesses in this process.
void leave_accesses_unchecked();

/// Clears faults, frees remaining memory and restores the default settings. Streams, events and
/// graphs must be destroyed before, or their device lost.
void reset();

/// The last fault: kernel, block, threads and their action; empty if there was none. It is also
/// written to stderr when it happens.
const std::string& last_fault();

/// Wavefronts of a kernel's accesses to shared memory (shared_wavefronts.h), and those that they
/// would take without conflicts of banks.
struct SharedWavefronts {
  std::uint64_t wavefronts = 0, without_conflicts = 0;
};
/// By the kernel's type, since reset(), while machine().counts_wavefronts is set.
std::map<std::string, SharedWavefronts> shared_wavefronts();

/// Products of matrices by tensor cores (mma.sync), one for each warp, since reset().
std::uint64_t matrix_products();

struct MemoryUse {
  std::size_t allocations = 0, bytes = 0;  // now
  std::size_t peak_bytes = 0;
  std::size_t pinned_allocations = 0;
  std::size_t taken = 0;  // allocations of both kinds since the last reset()
};
/// Sum over all devices.
MemoryUse memory_use();
/// Counts of one device.
std::size_t used_bytes(int device);

/// Counts of executable graphs.
struct GraphUse {
  std::size_t made = 0, launched = 0;  // since reset()
  std::size_t alive = 0;
};
GraphUse graph_use();

/// A piece of work, when it was submitted to its stream or when it was done.
struct WorkNote {
  enum class What { given, done };
  enum class Kind { launch, copy, set, wait };

  What what;
  Kind kind;
  cudaStream_t stream;
  std::size_t bytes;  // of a copy
  bool from_pinned;   // a copy from host memory that returns before it is done
};
/// The work since reset(), recorded while machine().logs_work is set.
std::vector<WorkNote> work_log();

}  // namespace cuda_host
