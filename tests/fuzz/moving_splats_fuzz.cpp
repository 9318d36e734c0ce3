// Moving splats: .splatv, and the .ply of Spacetime Gaussians.
#include <cmath>

#include "core/error.h"
#include "io/splats/moving/splatv.h"
#include "io/splats/moving/stg_ply.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  for (const auto read : {mote::read_splatv, mote::read_stg_ply}) {
    try {
      const mote::MovingSplatsFile file = read(memory.path());
      for (const mote::MovingSplat& splat : file.splats) CHECK(std::isfinite(splat.position[0]));
    } catch (const mote::Error& error) {
      CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
    }
  }
  return 0;
}
