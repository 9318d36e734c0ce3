#pragma once

// A block that the interpreter runs: its threads, and where they wait for each other.

#include <array>
#include <memory>
#include <vector>

#include "fiber.h"
#include "schedule.h"
#include "stuck_threads.h"

namespace cuda_host {

constexpr unsigned kMaxWarps = kMaxThreads / kWarp;

struct Block;

struct Thread {
  Thread(void (*body)(void*), Block& owner, unsigned thread_index)
      : block(owner), index(thread_index), fiber(body, this) {}

  Block& block;
  unsigned index;
  Fiber fiber;
  Waiting waiting;
  bool inside = false;       // in the kernel's code
  bool interrupted = false;  // at an access to memory
};

/// Lanes of a warp that wait for each other.
struct Meeting {
  unsigned mask = 0, arrived = 0;
  Combine combine = nullptr;
};

struct Warp {
  std::array<void*, kWarp> records;
  std::array<Meeting, kWarp> meetings;
  unsigned meeting_count = 0;
};

/// A place for a block in flight.
struct Block {
  unsigned place = 0;
  unsigned index = 0;
  unsigned long long serial = 0;
  bool running = false;
  std::vector<std::unique_ptr<Thread>> threads;  // reused by all blocks at this place
  ReadyThreads ready;
  unsigned returned = 0;
  unsigned at_barrier = 0;
  int barrier_count = 0;   // threads at the barrier with a true predicate
  int barrier_result = 0;  // result of the last barrier
  Site barrier_site;
  std::array<Warp, kMaxWarps> warps;

  /// Makes all threads ready for another block of the kernel.
  void start(unsigned new_index, unsigned long long new_serial, unsigned thread_count) {
    index = new_index;
    serial = new_serial;
    running = true;
    returned = at_barrier = 0;
    barrier_count = 0;
    for (Warp& warp : warps) warp.meeting_count = 0;
    ready.clear();
    for (unsigned k = thread_count; k > 0; --k) ready.add(k - 1);
  }
};

}  // namespace cuda_host
