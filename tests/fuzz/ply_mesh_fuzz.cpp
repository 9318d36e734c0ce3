// Meshes in .ply files.
#include <algorithm>

#include "core/error.h"
#include "io/meshes/ply_mesh.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  try {
    const mote::TriangleMesh mesh = mote::read_ply_mesh(mote::InputFile(memory.path()));
    CHECK(!mesh.triangles.empty());
    for (const auto& triangle : mesh.triangles) {
      CHECK(std::ranges::max(triangle) < mesh.positions.size());
    }
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
