#pragma once

// What kernels do to memory. They tell of every access because they are compiled with the thread
// sanitizer's instrumentation, whose calls access_callbacks.cpp answers; the sanitizer itself knows
// nothing of blocks and warps.
//
// Device and shared memory goes to the check of races (race_check.h). Besides, a kernel may touch
// its own stack, its arguments, constants, and pinned memory: anything else is the host's, which a
// device cannot reach.

#include <cstddef>
#include <string>

namespace cuda_host {

enum class Access { read, write, atomic };

/// A run starts, and ends with the first access to memory of the host, empty if there was none.
void start_access_check(const void* arguments, std::size_t argument_bytes, bool check);
std::string end_access_check();

/// By the thread that runs.
void note_access(const void* address, std::size_t bytes, Access access);

}  // namespace cuda_host
