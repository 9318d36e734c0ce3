#include "access_check.h"

#include <cstdint>
#include <cstdio>

#include <cuda_host/block_words.h>

#include "defined_bytes.h"
#include "device_memory.h"
#include "fiber.h"
#include "interpreter.h"
#include "memory_api.h"
#include "race_check.h"

// The linker defines these: start and end of the program's code and static data.
extern "C" const char __executable_start, end;

namespace cuda_host {
namespace {

struct Range {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;

  bool has(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - start < bytes;
  }
};

Range range_between(const void* start, const void* stop) {
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  return {first, reinterpret_cast<std::uintptr_t>(stop) - first};
}

bool active = false;
Range arguments;
std::string fault_text;

bool may_touch(const void* address, std::size_t bytes) {
  static const Range program = range_between(&__executable_start, &end);
  return program.has(address) || is_fiber_stack(address) || arguments.has(address) ||
         is_pinned(address, bytes);
}

void check_defined(const void* address, std::size_t bytes, Access access) {
  const void* const undefined = access == Access::write ? nullptr : first_undefined(address, bytes);
  if (access != Access::read) set_defined(address, bytes);
  if (undefined == nullptr || !fault_text.empty()) return;
  char what[256], text[400];
  describe_address(undefined, what, sizeof what);
  std::snprintf(text, sizeof text, "block %u, thread %u reads %s, which nothing has written",
                ::blockIdx.x, ::threadIdx.x, what);
  fault_text = text;
}

/// Of an access while the check is active.
void check_place(const void* address, std::size_t bytes, Access access) {
  if (is_device_address(address)) {
    check_race(address, bytes, access);
    check_defined(address, bytes, access);
  } else if (!may_touch(address, bytes) && fault_text.empty()) {
    char text[160];
    std::snprintf(text, sizeof text, "block %u, thread %u touches memory of the host at %p",
                  ::blockIdx.x, ::threadIdx.x, address);
    fault_text = text;
  }
}

}  // namespace

void start_access_check(const void* argument_memory, std::size_t argument_bytes, bool check) {
  active = check;
  arguments = {reinterpret_cast<std::uintptr_t>(argument_memory), argument_bytes};
  fault_text.clear();
}

std::string end_access_check() {
  active = false;
  return fault_text;
}

void note_aligned_access(const void* address, std::size_t bytes, Access access) {
  let_others_run();
  if (!active) return;
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0 && fault_text.empty()) {
    char text[160];
    std::snprintf(text, sizeof text, "block %u, thread %u accesses %zu bytes at %p, not aligned",
                  ::blockIdx.x, ::threadIdx.x, bytes, address);
    fault_text = text;
  }
  check_place(address, bytes, access);
}

void note_access(const void* address, std::size_t bytes, Access access) {
  let_others_run();
  if (active) check_place(address, bytes, access);
}

}  // namespace cuda_host
