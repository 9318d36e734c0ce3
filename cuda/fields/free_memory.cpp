#include "cuda/fields/free_memory.h"

#include <fmt/format.h>

#include "core/machine.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

void check_free_memory(std::size_t needed, const std::string& purpose, const std::string& remedy) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "querying free memory");
  if (needed <= free) return;
  throw OutOfMemory(fmt::format("{} needs {} of device memory, but {} are free", purpose,
                                bytes_text(needed), bytes_text(free)),
                    device_label(), remedy);
}

std::string remedy_of_field() {
  return "use a smaller log2_hashmap_size in a --network file, end other programs on the device, "
         "or use --device cpu";
}

std::string remedy_of_step() {
  return "use a smaller --batch, end other programs on the device, or use --device cpu";
}

}  // namespace mote::cuda
