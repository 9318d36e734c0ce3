#pragma once

#include <cstddef>

namespace mote {

/// Restarts the measurement at the memory held now. Link with the code that counts allocations:
/// allocation_operators.cpp and -Wl,--wrap=aligned_alloc,--wrap=free, which count operator new and
/// std::aligned_alloc of this program and of the library; or, with a sanitizer,
/// allocation_hooks.cpp.
void reset_allocation_meter();

/// Peak of the memory allocated since the reset, in addition to the memory held then, bytes.
std::size_t peak_allocated_bytes();

/// Called by the counting code: allocated bytes, negative for freed ones. Thread safe.
void count_allocation(std::ptrdiff_t bytes);

}  // namespace mote
