#pragma once

#include <cstddef>

namespace mote {

/// Starts anew at the memory that is held now. Link with what sees the allocations:
/// allocation_operators.cpp and -Wl,--wrap=aligned_alloc,--wrap=free, which see operator new and
/// std::aligned_alloc of this program and of the library, or, with a sanitizer,
/// allocation_hooks.cpp.
void reset_allocation_meter();

/// The most that was held at a time since then, beyond what was held then, bytes.
std::size_t peak_allocated_bytes();

/// For who sees the allocations: so many bytes more, or fewer. Thread safe.
void count_allocation(std::ptrdiff_t bytes);

}  // namespace mote
