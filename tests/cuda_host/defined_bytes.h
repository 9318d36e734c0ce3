#pragma once

// Finds reads of device and shared memory that nothing has written. For each byte, the check knows
// whether a kernel, a copy, a fill or a library wrote it since it was allocated; shared memory
// starts anew with each block. A copy within the device copies this knowledge with the bytes. All
// memory that is given to a library to write counts as written.

#include <cstddef>

namespace cuda_host {

void set_undefined(const void* start, std::size_t bytes);
void set_defined(const void* start, std::size_t bytes);
void copy_definedness(const void* to, const void* from, std::size_t bytes);
/// The first byte that nothing has written; null if there is none.
const void* first_undefined(const void* start, std::size_t bytes);

/// Kernels whose writes are not reported may have written anything. Nothing is undefined from then
/// until the next call of forget_unreported_writes().
void note_unreported_writes();
void forget_unreported_writes();

}  // namespace cuda_host
