#pragma once

#include <cstddef>

namespace mote {

/// Starts anew at the memory that is held now. Counts operator new and std::aligned_alloc of this
/// program and of the library; link with -Wl,--wrap=aligned_alloc,--wrap=free.
void reset_allocation_meter();

/// The most that was held at a time since then, beyond what was held then, bytes.
std::size_t peak_allocated_bytes();

}  // namespace mote
