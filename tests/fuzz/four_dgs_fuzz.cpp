// Moving splats: .4dgs.
#include "core/error.h"
#include "io/splats/moving/four_dgs.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  try {
    const mote::MovingSplatsFile file = mote::read_four_dgs(memory.path());
    const auto degree = static_cast<std::size_t>(file.sh_degree);
    CHECK(file.sh.size() == file.splats.size() * 3 * ((degree + 1) * (degree + 1) - 1));
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
