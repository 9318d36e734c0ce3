// The points of datasets: reads the bytes as points3D.bin and points3D.txt of COLMAP, and as
// points.ply, whose points may have times.
#include <string>
#include <vector>

#include "core/error.h"
#include "io/datasets/colmap_points.h"
#include "io/datasets/point_ply.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  for (const auto read :
       {mote::read_colmap_points_bin, mote::read_colmap_points_txt, mote::read_point_ply}) {
    try {
      std::vector<std::string> warnings;
      const mote::PointCloud points = read(memory.path(), warnings);
      const std::size_t count = points.positions.size(), times = points.times_s.size();
      CHECK(points.colors.size() == count && (times == 0 || times == count));
    } catch (const mote::Error& error) {
      CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
    }
  }
  return 0;
}
