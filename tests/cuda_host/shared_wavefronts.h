#pragma once

// Counts the wavefronts of accesses to shared memory. A warp's access takes as many as the bank
// with the most different words of four bytes; lanes that read the same word share it. Accesses of
// 8 and 16 bytes go by half warps and by quarters of a warp (CUDA C++ Best Practices Guide, "Shared
// Memory"). Atomic operations and copies of ranges (memcpy) are not counted.
//
// Lanes run one after the other here. So the n-th access of each lane by the same instruction
// counts as one access of the warp. For lanes that have parted and repeat an instruction different
// numbers of times, this may join accesses that a device makes one after the other.

#include <cstddef>
#include <string>

namespace cuda_host {

/// start_wavefronts() begins a run, end_wavefronts() ends it. Blocks must run one after the other.
void start_wavefronts(const std::string& kernel, bool count);
void end_wavefronts();
void start_wavefronts_of_block();
void end_wavefronts_of_block();
void forget_wavefronts();

/// Called by the running thread; `instruction`: an address in the code of its access.
void note_shared_access(const void* address, std::size_t bytes, const void* instruction);

}  // namespace cuda_host
