// Meshes in .obj, .stl and .glb files, which the first byte of an input chooses.
#include <algorithm>
#include <array>

#include "core/error.h"
#include "io/meshes/mesh_file.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<const char*, 3> kExtensions{".obj", ".stl", ".glb"};
  if (size == 0) return 0;
  const mote::MemoryFile memory(data + 1, size - 1, kExtensions[data[0] % kExtensions.size()]);
  try {
    CHECK(mote::is_mesh_file(memory.path()));
    const mote::TriangleMesh mesh = mote::read_mesh(memory.path());
    CHECK(!mesh.triangles.empty());
    for (const auto& triangle : mesh.triangles) {
      CHECK(std::ranges::max(triangle) < mesh.positions.size());
    }
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
