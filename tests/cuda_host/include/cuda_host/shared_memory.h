#pragma once

// Memory shared by the threads of a block.

#include <cstddef>
#include <type_traits>

namespace cuda_host {

inline constexpr unsigned kMaxBlocksInFlight = 4;

/// Storage for the shared memory of one type, for each place of a block in flight.
struct SharedSlot {
  struct Place {
    void* address = nullptr;
    unsigned long long block = 0;  // serial number of the last block that it was prepared for
  };
  Place places[kMaxBlocksInFlight];
};

template <class T>
inline SharedSlot shared_slot;

/// Of the running block: its place among those in flight, and its number among the blocks of all
/// launches, from one.
extern unsigned block_place;
extern unsigned long long block_serial;

/// The storage of the running block. For a new block, it sets every bit; on first use it allocates
/// `bytes` that end at an inaccessible page. A fault if the device has too little memory per block.
/// It is not part of a kernel's code, whose threads may be interrupted at accesses.
void* shared_storage(SharedSlot& slot, std::size_t bytes);

template <class T>
T& shared() {
  static_assert(std::is_trivially_default_constructible_v<T>, "shared memory is not initialised");
  static_assert(std::is_trivially_destructible_v<T>);
  return *static_cast<T*>(shared_storage(shared_slot<T>, sizeof(T)));
}

/// The dynamic shared memory of the launch, aligned to 16 bytes; its end is guarded in the same
/// way.
void* dynamic_shared();

}  // namespace cuda_host
