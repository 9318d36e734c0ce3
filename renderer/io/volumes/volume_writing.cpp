#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/IO.h>

#include <sstream>
#include <string>

#include "core/file.h"
#include "io/volumes/volume_file.h"

namespace mote {

constexpr char kGridName[] = "density";

void write_volume(const DensityVolume& volume, const std::filesystem::path& path,
                  Existing existing) {
  nanovdb::GridBuilder<float> builder(0.0f, nanovdb::GridClass::FogVolume);
  auto accessor = builder.getAccessor();
  volume.for_voxels([&](const glm::ivec3& at, float value) {
    accessor.setValue(nanovdb::Coord(at.x, -1 - at.y, -1 - at.z), value);
  });
  const VoxelFrame& frame = volume.frame();
  const double side = frame.voxel_side;
  const auto handle = builder.getHandle<>(
      side, {frame.origin.x, side - frame.origin.y, side - frame.origin.z}, kGridName);
  // The library leaves out the head first, which a stream in memory only allows where it has bytes.
  constexpr std::size_t kHead =
      sizeof(nanovdb::io::Header) + sizeof(nanovdb::io::MetaData) + sizeof(kGridName);
  std::ostringstream stream;
  stream << std::string(kHead, '\0');
  stream.seekp(0);
  nanovdb::io::writeGrid(stream, handle);
  OutputFile file(path, existing);
  file.write(stream.view());
  file.commit();
}

}  // namespace mote
