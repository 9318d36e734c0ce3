#pragma once

// Finds races in kernels: two threads that touch the same bytes of device or shared memory, one of
// them writing, with nothing between that orders them.
//
// Two threads are ordered by:
// - of a block: __syncthreads(); of a warp: also a __syncwarp() of both. A shuffle does not: CUDA
//   gives it no meaning for memory.
// - of two blocks: __threadfence() and an atomic operation in the one, then an atomic operation and
//   __threadfence() in the other. An operation on any address will do here, so that a few races
//   between blocks can be missed.
// Atomic operations do not race with each other. Of each four bytes the last writer is remembered,
// and every reader that a write can race with.

#include <cstddef>
#include <string>

#include "access_check.h"

namespace cuda_host {

// Called by the interpreter. Accesses of a run are recorded from start to end if `check` is set.
void start_race_check(unsigned blocks, bool check);
/// Of the running block.
void start_race_check_of_block(unsigned threads);
void end_race_check_of_block();
void order_block();
void order_lanes(unsigned warp, unsigned mask);
void fence_thread();
/// The first race of the run, which completes "kernel ...: "; empty if there was none.
std::string end_race_check();

/// Checks an access of the running thread to device memory.
void check_race(const void* address, std::size_t bytes, Access access);

/// Forgets all accesses to the bytes.
void forget_accesses(const void* start, std::size_t bytes);

}  // namespace cuda_host
