#include "block_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_host/shared_memory.h>

#include "defined_bytes.h"
#include "device_memory.h"
#include "interpreter.h"
#include "race_check.h"

namespace cuda_host {
namespace {

struct BlockMemory {
  std::size_t used_bytes = 0;  // of all kinds
  std::size_t static_bytes = 0;
  void* dynamic_address = nullptr;
  std::size_t dynamic_bytes = 0;
};

BlockMemory memories[kMaxBlocksInFlight];
std::size_t limit_bytes = 0;  // for a block

struct Storage {
  std::uintptr_t start;
  std::size_t bytes;

  bool has(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - start < bytes;
  }
};
std::vector<Storage> storages;  // of fixed size

}  // namespace

void start_block_memory(std::size_t dynamic, std::size_t limit) {
  BlockMemory& memory = memories[block_place];
  if (dynamic != memory.dynamic_bytes) {
    if (memory.dynamic_address != nullptr) unmap_guarded(memory.dynamic_address);
    memory.dynamic_address = dynamic == 0 ? nullptr : map_guarded(dynamic, kDeviceAlignment);
    memory.dynamic_bytes = dynamic;
  }
  if (dynamic != 0) {
    std::memset(memory.dynamic_address, 0xff, dynamic);
    forget_accesses(memory.dynamic_address, dynamic);
    set_undefined(memory.dynamic_address, dynamic);
  }
  memory.used_bytes = dynamic;
  memory.static_bytes = 0;
  limit_bytes = limit;
}

void* shared_storage(SharedSlot& slot, std::size_t bytes) {
  SharedSlot::Place& place = slot.places[block_place];
  if (place.block == block_serial) return place.address;
  BlockMemory& memory = memories[block_place];
  memory.static_bytes += bytes;
  memory.used_bytes += bytes;
  if (memory.static_bytes > kStaticShared_bytes || memory.used_bytes > limit_bytes) {
    fault("needs " + std::to_string(memory.static_bytes) +
          " bytes of shared memory of fixed size, " + std::to_string(memory.used_bytes) +
          " in all, where a block can have " + std::to_string(kStaticShared_bytes) + " and " +
          std::to_string(limit_bytes));
  }
  // Without padding: it ends exactly at the guard, and its size is a multiple of its alignment.
  if (place.address == nullptr) {
    place.address = map_guarded(bytes, 1);
    storages.push_back({reinterpret_cast<std::uintptr_t>(place.address), bytes});
  }
  std::memset(place.address, 0xff, bytes);
  forget_accesses(place.address, bytes);
  set_undefined(place.address, bytes);
  place.block = block_serial;
  return place.address;
}

bool is_shared_memory(const void* address) {
  const auto has = [&](const Storage& storage) { return storage.has(address); };
  if (std::any_of(storages.begin(), storages.end(), has)) return true;
  return std::any_of(std::begin(memories), std::end(memories), [&](const BlockMemory& memory) {
    return Storage{reinterpret_cast<std::uintptr_t>(memory.dynamic_address), memory.dynamic_bytes}
        .has(address);
  });
}

void* dynamic_shared() {
  void* const address = memories[block_place].dynamic_address;
  if (address == nullptr) fault("asks for dynamic shared memory, but the launch gave none");
  return address;
}

}  // namespace cuda_host
