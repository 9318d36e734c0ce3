// The points of COLMAP models: reads the bytes as points3D.bin and as points3D.txt.
#include <string>
#include <vector>

#include "core/error.h"
#include "io/datasets/colmap_points.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  for (const auto read : {mote::read_colmap_points_bin, mote::read_colmap_points_txt}) {
    try {
      std::vector<std::string> warnings;
      const mote::PointCloud points = read(memory.path(), warnings);
      CHECK(points.positions.size() == points.colors.size());
    } catch (const mote::Error& error) {
      CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
    }
  }
  return 0;
}
