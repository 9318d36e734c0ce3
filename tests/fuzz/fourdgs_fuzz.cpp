// Moving scenes in .4dgs files. Files that claim many splats are left out, since they need the
// memory that they claim.
#include "core/error.h"
#include "io/fourdgs/file.h"
#include "io/fourdgs/states.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kMostSplats = 20000;
  try {
    const mote::MemoryFile memory(data, size);
    const mote::InputFile input(memory.path());
    const mote::fourdgs::File file(input);
    for (const mote::fourdgs::Chunk& chunk : file.chunks()) {
      if (chunk.count > kMostSplats) return 0;
    }
    mote::fourdgs::SplatReader reader(file);
    for (std::size_t i = 0; i < file.chunks().size(); ++i) {
      for (const mote::fourdgs::Splat& splat : reader.read(i).splats) CHECK(splat.sigma >= 0);
    }
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
