#include "allocation_meter.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace mote {
namespace {

std::atomic<std::ptrdiff_t> held{0}, held_at_start{0}, peak{0};

void count(std::ptrdiff_t bytes) {
  const std::ptrdiff_t now = held += bytes;
  std::ptrdiff_t seen = peak;
  while (now > seen && !peak.compare_exchange_weak(seen, now)) {
  }
}

/// Blocks of aligned_alloc, by which free() tells them from those of others.
struct AlignedBlocks {
  std::mutex mutex;
  std::vector<void*> pointers;
};

AlignedBlocks& aligned_blocks() {
  static AlignedBlocks* const blocks = new AlignedBlocks;  // outlives every user
  return *blocks;
}

bool forget(void* pointer) {
  AlignedBlocks& blocks = aligned_blocks();
  const std::lock_guard lock(blocks.mutex);
  return std::erase(blocks.pointers, pointer) > 0;
}

}  // namespace

void reset_allocation_meter() {
  held_at_start = held.load();
  peak = held.load();
}

std::size_t peak_allocated_bytes() {
  return static_cast<std::size_t>(peak - held_at_start);
}

extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
extern "C" void __real_free(void* pointer);

extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  void* const pointer = __real_aligned_alloc(alignment, size);
  if (!pointer) return nullptr;
  count(static_cast<std::ptrdiff_t>(malloc_usable_size(pointer)));
  AlignedBlocks& blocks = aligned_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.pointers.push_back(pointer);
  return pointer;
}

extern "C" void __wrap_free(void* pointer) {
  if (pointer && forget(pointer)) count(-static_cast<std::ptrdiff_t>(malloc_usable_size(pointer)));
  __real_free(pointer);
}

}  // namespace mote

void* operator new(std::size_t size) {
  void* const pointer = std::malloc(size == 0 ? 1 : size);
  if (!pointer) throw std::bad_alloc();
  mote::count(static_cast<std::ptrdiff_t>(malloc_usable_size(pointer)));
  return pointer;
}

void operator delete(void* pointer) noexcept {
  if (!pointer) return;
  mote::count(-static_cast<std::ptrdiff_t>(malloc_usable_size(pointer)));
  mote::__real_free(pointer);
}

void operator delete(void* pointer, std::size_t) noexcept {
  operator delete(pointer);
}
