// The callbacks of the thread sanitizer's instrumentation, in place of the sanitizer. Kernels are
// compiled with this instrumentation; see access_check.h.

#include <cstddef>
#include <cstring>

#include "access_check.h"
#include "shared_wavefronts.h"

using cuda_host::Access;
using cuda_host::note_access;
using cuda_host::note_aligned_access;
using cuda_host::note_shared_access;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// The address in the kernel's code is known here alone.
#define CUDA_HOST_CALLBACK(name, bytes, note, access)                \
  void name(void* address) {                                         \
    note_shared_access(address, bytes, __builtin_return_address(0)); \
    note(address, bytes, access);                                    \
  }

CUDA_HOST_CALLBACK(__tsan_read1, 1, note_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_read2, 2, note_aligned_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_read4, 4, note_aligned_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_read8, 8, note_aligned_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_read16, 16, note_aligned_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_write1, 1, note_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_write2, 2, note_aligned_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_write4, 4, note_aligned_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_write8, 8, note_aligned_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_write16, 16, note_aligned_access, Access::write)

CUDA_HOST_CALLBACK(__tsan_unaligned_read2, 2, note_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_unaligned_read4, 4, note_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_unaligned_read8, 8, note_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_unaligned_read16, 16, note_access, Access::read)
CUDA_HOST_CALLBACK(__tsan_unaligned_write2, 2, note_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_unaligned_write4, 4, note_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_unaligned_write8, 8, note_access, Access::write)
CUDA_HOST_CALLBACK(__tsan_unaligned_write16, 16, note_access, Access::write)

#undef CUDA_HOST_CALLBACK

void __tsan_read_range(void* address, std::size_t bytes) {
  note_access(address, bytes, Access::read);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  note_access(address, bytes, Access::write);
}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  note_access(from, bytes, Access::read);
  note_access(to, bytes, Access::write);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  note_access(from, bytes, Access::read);
  note_access(to, bytes, Access::write);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  note_access(to, bytes, Access::write);
  return std::memset(to, value, bytes);
}
}
