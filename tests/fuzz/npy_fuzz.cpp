// Arrays of NumPy.
#include "core/error.h"
#include "io/npy.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  try {
    const mote::NpyArray array = mote::read_npy(memory.path());
    std::size_t count = 1;
    for (const std::size_t side : array.shape) count *= side;
    CHECK(count == array.values.size());
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
