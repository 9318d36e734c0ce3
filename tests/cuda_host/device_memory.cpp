#include "device_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "defined_bytes.h"
#include "pages.h"
#include "sanitizer.h"

namespace cuda_host {
namespace {

struct Allocation {
  std::size_t bytes;
  std::uintptr_t pages;  // start of its pages
  std::size_t page_bytes;
};

struct Memory {
  std::map<std::uintptr_t, Allocation> live;  // by address
  std::size_t next = kPage;                   // start of the search for free pages
};

Memory& memory() {
  static Memory& memory = *new Memory;  // never destroyed: statics of others may free
  return memory;
}

std::uintptr_t reserve_addresses() {
  void* start = mmap(nullptr, kAddressSpace_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    std::perror("cuda_host: cannot reserve addresses for device memory");
    std::abort();
  }
  return reinterpret_cast<std::uintptr_t>(start);
}

/// Start of `bytes` in pages that no allocation uses, followed by an unused page; zero if there are
/// none. Addresses are reused only when all have been used, so that use after free is noticed.
std::uintptr_t free_pages(std::size_t bytes) {
  Memory& m = memory();
  for (int round = 0; round < 2; ++round) {
    std::uintptr_t start = device_addresses + m.next;
    const std::uintptr_t end = device_addresses + kAddressSpace_bytes;
    while (start + bytes + kPage <= end) {
      auto above = m.live.lower_bound(start);
      const bool overlaps = above != m.live.end() && above->second.pages < start + bytes + kPage;
      if (!overlaps) {
        m.next = start + bytes + kPage - device_addresses;
        return start;
      }
      start = above->second.pages + above->second.page_bytes + kPage;
    }
    m.next = kPage;
  }
  return 0;
}

}  // namespace

const std::uintptr_t device_addresses = reserve_addresses();

void* map_guarded(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  const std::size_t page_bytes = (rounded + kPage - 1) / kPage * kPage;
  if (bytes > kAddressSpace_bytes) return nullptr;
  const std::uintptr_t pages = free_pages(page_bytes);
  auto* start = reinterpret_cast<unsigned char*>(pages);
  if (pages == 0 || mprotect(start, page_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;

  unsigned char* address = start + page_bytes - rounded;
  memory().live[reinterpret_cast<std::uintptr_t>(address)] = {bytes, pages, page_bytes};
  std::memset(start, 0xff, page_bytes);
  set_undefined(start, page_bytes);
  poison(start, page_bytes - rounded);
  poison(address + bytes, rounded - bytes);
  return address;
}

bool unmap_guarded(void* address) {
  const auto found = memory().live.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == memory().live.end()) return false;
  void* start = reinterpret_cast<void*>(found->second.pages);
  const std::size_t bytes = found->second.page_bytes;
  unpoison(start, bytes);
  // This also unmaps memory that another API shares; its content belongs to the other side.
  mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  memory().live.erase(found);
  return true;
}

bool is_mapped(const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto above = memory().live.upper_bound(at);
  if (above == memory().live.begin()) return false;
  const auto& [start, allocation] = *--above;
  return at - start <= allocation.bytes && bytes <= allocation.bytes - (at - start);
}

void describe_address(const void* address, char* text, std::size_t capacity) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!is_device_address(address)) {
    std::snprintf(text, capacity, "an address that is not the device's");
    return;
  }
  auto above = memory().live.upper_bound(at);
  if (above != memory().live.begin()) {
    const auto& [start, allocation] = *std::prev(above);
    if (at < start + allocation.bytes) {
      std::snprintf(text, capacity, "byte %zu of an allocation of %zu bytes", at - start,
                    allocation.bytes);
      return;
    }
    if (at < allocation.pages + allocation.page_bytes + kPage) {
      std::snprintf(text, capacity, "%zu bytes past the end of an allocation of %zu bytes",
                    at - start - allocation.bytes, allocation.bytes);
      return;
    }
  }
  if (above != memory().live.end() && at + kPage >= above->second.pages) {
    std::snprintf(text, capacity, "%zu bytes before the start of an allocation of %zu bytes",
                  above->first - at, above->second.bytes);
    return;
  }
  std::snprintf(text, capacity, "device memory that is not allocated, or not any more");
}

}  // namespace cuda_host
