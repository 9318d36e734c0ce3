#pragma once

// Device memory: a range of addresses of its own, in which every allocation ends at a page that
// cannot be touched and starts with every bit set. Freed pages cannot be touched either.

#include <cstddef>
#include <cstdint>

namespace cuda_host {

inline constexpr std::size_t kDeviceAlignment = 16;  // of the end, and so of the start

/// All device and shared memory lies in these addresses.
inline constexpr std::size_t kAddressSpace_bytes = std::size_t{16} << 30;
extern const std::uintptr_t device_addresses;

inline bool is_device_address(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - device_addresses < kAddressSpace_bytes;
}

/// Memory of `bytes` with guards; null where addresses have run out. The size is rounded up to a
/// multiple of `alignment`, a power of two, and the end of the rounded size is the guard.
void* map_guarded(std::size_t bytes, std::size_t alignment);
/// False if `address` is not the start of what map_guarded() gave, or not any more.
bool unmap_guarded(void* address);

/// Whether the bytes lie in one allocation that is not freed.
bool is_mapped(const void* address, std::size_t bytes);

/// An account of the nearest allocation, for the report of a fault: "4 bytes past the end of ...".
/// Takes no locks and allocates nothing.
void describe_address(const void* address, char* text, std::size_t capacity);

}  // namespace cuda_host
