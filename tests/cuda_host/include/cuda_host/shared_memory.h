#pragma once

// The memory that the threads of a block share.

#include <cstddef>
#include <type_traits>

namespace cuda_host {

/// The place of one type's shared memory, the same in every block.
struct SharedSlot {
  void* address = nullptr;
  unsigned long long block = 0;  // serial number of the block that it was last made ready for
};

template <class T>
inline SharedSlot shared_slot;

/// Counts the blocks of all launches, from one.
extern unsigned long long block_serial;

/// Gives the slot `bytes` of memory if it has none, which end at a page that cannot be touched, and
/// sets every bit, for the block that runs. A fault where the device has not so much for a block.
void prepare_shared(SharedSlot& slot, std::size_t bytes);

template <class T>
T& shared() {
  static_assert(std::is_trivially_default_constructible_v<T>, "shared memory is not initialised");
  static_assert(std::is_trivially_destructible_v<T>);
  SharedSlot& slot = shared_slot<T>;
  if (slot.block != block_serial) prepare_shared(slot, sizeof(T));
  return *static_cast<T*>(slot.address);
}

/// The dynamic shared memory of the launch, aligned to 16 bytes; its end is guarded as above.
void* dynamic_shared();

}  // namespace cuda_host
