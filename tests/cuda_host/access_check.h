#pragma once

// Checks the memory accesses of kernels. Kernels are compiled with the thread sanitizer's
// instrumentation, which reports every access to access_callbacks.cpp. The sanitizer itself is not
// used, since it does not know blocks and warps.
//
// Accesses to device and shared memory go to the race check (race_check.h). A kernel may also
// access its own stack, its arguments, constants and pinned memory. All other memory belongs to the
// host and is out of reach for a device.

#include <cstddef>
#include <string>

namespace cuda_host {

enum class Access { read, write, atomic };

/// start_access_check() begins a run. end_access_check() ends it and returns the first access to
/// host memory or to a misaligned address, or the first read of memory
/// that nothing has written (defined_bytes.h); empty if there was none.
void start_access_check(const void* arguments, std::size_t argument_bytes, bool check);
std::string end_access_check();

/// Called by the running thread.
void note_access(const void* address, std::size_t bytes, Access access);
/// The same for one instruction that needs the alignment of its size on a device, such as the load
/// of a vector.
void note_aligned_access(const void* address, std::size_t bytes, Access access);

}  // namespace cuda_host
