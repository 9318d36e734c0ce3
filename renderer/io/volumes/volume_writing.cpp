#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/IO.h>

#include <sstream>

#include "core/file.h"
#include "io/volumes/volume_file.h"

namespace mote {

void write_volume(const DensityVolume& volume, const std::filesystem::path& path) {
  nanovdb::GridBuilder<float> builder(0.0f, nanovdb::GridClass::FogVolume);
  auto accessor = builder.getAccessor();
  volume.for_voxels([&](const glm::ivec3& at, float value) {
    accessor.setValue(nanovdb::Coord(at.x, -1 - at.y, -1 - at.z), value);
  });
  const VoxelFrame& frame = volume.frame();
  const double side = frame.voxel_side;
  const auto handle = builder.getHandle<>(
      side, {frame.origin.x, side - frame.origin.y, side - frame.origin.z}, "density");
  std::ostringstream stream;
  nanovdb::io::writeGrid(stream, handle);
  OutputFile file(path);
  file.write(stream.view());
  file.commit();
}

}  // namespace mote
