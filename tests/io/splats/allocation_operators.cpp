// Reports the calls of operator new, std::aligned_alloc and free() to the allocation meter.
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "allocation_meter.h"

namespace mote {
namespace {

void count(void* pointer, int sign) {
  count_allocation(sign * static_cast<std::ptrdiff_t>(malloc_usable_size(pointer)));
}

/// Blocks of aligned_alloc, so that free() can tell them from others.
struct AlignedBlocks {
  std::mutex mutex;
  std::vector<void*> pointers;
};

AlignedBlocks& aligned_blocks() {
  static AlignedBlocks* const blocks = new AlignedBlocks;  // must outlive every user
  return *blocks;
}

bool forget(void* pointer) {
  AlignedBlocks& blocks = aligned_blocks();
  const std::lock_guard lock(blocks.mutex);
  return std::erase(blocks.pointers, pointer) > 0;
}

}  // namespace

extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
extern "C" void __real_free(void* pointer);

extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  void* const pointer = __real_aligned_alloc(alignment, size);
  if (!pointer) return nullptr;
  count(pointer, 1);
  AlignedBlocks& blocks = aligned_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.pointers.push_back(pointer);
  return pointer;
}

extern "C" void __wrap_free(void* pointer) {
  if (pointer && forget(pointer)) count(pointer, -1);
  __real_free(pointer);
}

}  // namespace mote

void* operator new(std::size_t size) {
  void* const pointer = std::malloc(size == 0 ? 1 : size);
  if (!pointer) throw std::bad_alloc();
  mote::count(pointer, 1);
  return pointer;
}

void operator delete(void* pointer) noexcept {
  if (!pointer) return;
  mote::count(pointer, -1);
  mote::__real_free(pointer);
}

void operator delete(void* pointer, std::size_t) noexcept {
  operator delete(pointer);
}
