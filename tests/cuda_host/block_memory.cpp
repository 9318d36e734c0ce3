#include "block_memory.h"

#include <cstring>
#include <string>

#include <cuda_host/shared_memory.h>

#include "device_memory.h"
#include "interpreter.h"
#include "race_check.h"

namespace cuda_host {
namespace {

std::size_t used_bytes = 0;   // used by the block, of all kinds
std::size_t limit_bytes = 0;  // limit for the block
std::size_t static_bytes = 0;

void* dynamic_address = nullptr;
std::size_t dynamic_bytes = 0;

}  // namespace

void start_block_memory(std::size_t dynamic, std::size_t limit) {
  if (dynamic != dynamic_bytes) {
    if (dynamic_address != nullptr) unmap_guarded(dynamic_address);
    dynamic_address = dynamic == 0 ? nullptr : map_guarded(dynamic, kDeviceAlignment);
    dynamic_bytes = dynamic;
  }
  if (dynamic != 0) {
    std::memset(dynamic_address, 0xff, dynamic);
    forget_accesses(dynamic_address, dynamic);
  }
  used_bytes = dynamic;
  static_bytes = 0;
  limit_bytes = limit;
}

void prepare_shared(SharedSlot& slot, std::size_t bytes) {
  static_bytes += bytes;
  used_bytes += bytes;
  if (static_bytes > kStaticShared_bytes || used_bytes > limit_bytes) {
    fault("needs " + std::to_string(static_bytes) + " bytes of shared memory of fixed size, " +
          std::to_string(used_bytes) + " in all, where a block can have " +
          std::to_string(kStaticShared_bytes) + " and " + std::to_string(limit_bytes));
  }
  // Without padding: it ends exactly at the guard, and its size is a multiple of its alignment.
  if (slot.address == nullptr) slot.address = map_guarded(bytes, 1);
  std::memset(slot.address, 0xff, bytes);
  forget_accesses(slot.address, bytes);
  slot.block = block_serial;
}

void* dynamic_shared() {
  if (dynamic_address == nullptr) fault("asks for dynamic shared memory, but the launch gave none");
  return dynamic_address;
}

}  // namespace cuda_host
