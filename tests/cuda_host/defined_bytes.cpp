#include "defined_bytes.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device_memory.h"

namespace cuda_host {
namespace {

bool unreported_writes = false;

/// One byte for each byte of the device's addresses: 1 where it is defined.
unsigned char* flags() {
  static unsigned char* const start = [] {
    void* map = mmap(nullptr, kAddressSpace_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
      std::perror("cuda_host: no addresses for the check of defined memory");
      std::abort();
    }
    return static_cast<unsigned char*>(map);
  }();
  return start;
}

unsigned char* flag(const void* address) {
  return flags() + (reinterpret_cast<std::uintptr_t>(address) - device_addresses);
}

}  // namespace

void set_undefined(const void* start, std::size_t bytes) {
  std::memset(flag(start), 0, bytes);
}

void set_defined(const void* start, std::size_t bytes) {
  std::memset(flag(start), 1, bytes);
}

void copy_definedness(const void* to, const void* from, std::size_t bytes) {
  std::memmove(flag(to), flag(from), bytes);
}

const void* first_undefined(const void* start, std::size_t bytes) {
  if (unreported_writes) return nullptr;
  const unsigned char* const first = flag(start);
  const void* found = std::memchr(first, 0, bytes);
  if (found == nullptr) return nullptr;
  return static_cast<const char*>(start) + (static_cast<const unsigned char*>(found) - first);
}

void note_unreported_writes() {
  unreported_writes = true;
}

void forget_unreported_writes() {
  unreported_writes = false;
}

}  // namespace cuda_host
