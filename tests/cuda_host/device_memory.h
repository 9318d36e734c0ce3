#pragma once

// Device memory in an address range of its own. Every allocation ends at an inaccessible page and
// starts with every bit set. Freed pages are inaccessible, too.

#include <cstddef>
#include <cstdint>

namespace cuda_host {

inline constexpr std::size_t kDeviceAlignment = 16;  // of the end, and therefore of the start

/// All device and shared memory is in this address range.
inline constexpr std::size_t kAddressSpace_bytes = std::size_t{16} << 30;
extern const std::uintptr_t device_addresses;

inline bool is_device_address(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - device_addresses < kAddressSpace_bytes;
}

/// Allocates guarded memory; null if no addresses are left. Rounds `bytes` up to a multiple of
/// `alignment`, a power of two; the guard follows directly.
void* map_guarded(std::size_t bytes, std::size_t alignment);
/// False if `address` is not the start of a current allocation of map_guarded().
bool unmap_guarded(void* address);

/// Whether the bytes are inside one live allocation.
bool is_mapped(const void* address, std::size_t bytes);

/// Describes the nearest allocation for the report of a fault, such as "4 bytes past the end of
/// ...". Takes no locks and allocates nothing.
void describe_address(const void* address, char* text, std::size_t capacity);

}  // namespace cuda_host
