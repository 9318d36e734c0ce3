// Moving scenes in .4dgs files, read as a whole and, if they can be streamed, part by part. Files
// that claim many splats are left out, since they need the memory that they claim.
#include "core/error.h"
#include "io/fourdgs/file.h"
#include "io/fourdgs/states.h"
#include "io/splats/splat_stream.h"
#include "memory_file.h"

namespace {

/// Runs a reader, which may refuse the file with an Error only.
template <class Work>
void run(const Work& work) {
  try {
    work();
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
}

/// Whether the index is intact and no chunk claims many splats.
bool is_small(const mote::fourdgs::File& file) {
  constexpr std::uint32_t kMostSplats = 20000;
  for (const mote::fourdgs::Chunk& chunk : file.chunks()) {
    if (chunk.count > kMostSplats) return false;
  }
  return true;
}

void read_chunks(const mote::fourdgs::File& file) {
  mote::fourdgs::SplatReader reader(file);
  for (std::size_t i = 0; i < file.chunks().size(); ++i) {
    for (const mote::fourdgs::Splat& splat : reader.read(i).splats) CHECK(splat.sigma >= 0);
  }
}

/// Each part may be damaged alone, so that the others are still read.
void read_parts(const std::filesystem::path& path) {
  if (!mote::can_be_streamed(path)) return;
  const mote::SplatStream stream(path);
  std::size_t first = 0;
  for (std::size_t i = 0; i < stream.parts().size(); ++i) {
    const mote::SplatStream::Part& part = stream.parts()[i];
    CHECK(part.first == first);
    first += part.count;
    run([&] {
      const mote::SplatCloud cloud = stream.read(i);
      CHECK(cloud.count() == part.count && cloud.form() == stream.form());
    });
  }
  CHECK(first == stream.count());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  bool small = false;
  run([&] {
    const mote::InputFile input(memory.path());
    const mote::fourdgs::File file(input);
    small = is_small(file);
    if (small) read_chunks(file);
  });
  if (small) run([&] { read_parts(memory.path()); });
  return 0;
}
