// Memory of the GNU C library. Small allocations succeed, as they nearly always do when memory runs
// out. Some libraries that we use do not survive their failure: nlohmann json allocates in a
// destructor.
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "plan.h"

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static bool fails(size_t size) {
  constexpr size_t kSmall = 4096;  // bytes
  if (size < kSmall || faults::fault_of(faults::Call::malloc) == 0) return false;
  errno = ENOMEM;
  return true;
}

void* malloc(size_t size) {
  return fails(size) ? nullptr : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return fails(count * size) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  return fails(size) ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return fails(size) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (fails(size)) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}

}  // extern "C"
