#pragma once

// Memory shared by the threads of a block.

#include <cstddef>
#include <type_traits>

namespace cuda_host {

/// Storage for the shared memory of one type, at the same address in every block.
struct SharedSlot {
  void* address = nullptr;
  unsigned long long block = 0;  // serial number of the last block that it was prepared for
};

template <class T>
inline SharedSlot shared_slot;

/// Number of blocks started in all launches, from one.
extern unsigned long long block_serial;

/// Prepares the slot for the running block and sets every bit. On first use it allocates `bytes`
/// that end at an inaccessible page. A fault if the device has too little memory per block.
void prepare_shared(SharedSlot& slot, std::size_t bytes);

template <class T>
T& shared() {
  static_assert(std::is_trivially_default_constructible_v<T>, "shared memory is not initialised");
  static_assert(std::is_trivially_destructible_v<T>);
  SharedSlot& slot = shared_slot<T>;
  if (slot.block != block_serial) prepare_shared(slot, sizeof(T));
  return *static_cast<T*>(slot.address);
}

/// The dynamic shared memory of the launch, aligned to 16 bytes; its end is guarded in the same
/// way.
void* dynamic_shared();

}  // namespace cuda_host
