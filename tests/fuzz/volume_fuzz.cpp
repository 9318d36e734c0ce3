// Volumes in .nvdb files. An input that does not begin with the name of the format is a list of
// changes to a valid grid instead, since a whole one is too large to fuzz.
#include <nanovdb/util/GridBuilder.h>

#include <cstring>

#include "core/buffer.h"
#include "core/error.h"
#include "io/volumes/nano_grid.h"
#include "io/volumes/volume_file.h"
#include "memory_file.h"

namespace {

mote::Buffer<std::byte> valid_grid() {
  nanovdb::GridBuilder<float> builder(0.0f, nanovdb::GridClass::FogVolume);
  auto accessor = builder.getAccessor();
  for (int i = 0; i < 40; ++i) accessor.setValue(nanovdb::Coord(i, i / 2, -i), 0.5f);
  const auto handle = builder.getHandle<>(1.0, {0.0, 0.0, 0.0}, "density");
  mote::Buffer<std::byte> bytes(handle.size());
  std::memcpy(bytes.data(), handle.data(), handle.size());
  return bytes;
}

/// A change of eight bytes: their place, and their new value.
struct Change {
  std::uint32_t place;
  std::uint64_t value;
};
constexpr std::size_t kChangeBytes = 12;

mote::DensityVolume changed_grid(const std::uint8_t* data, std::size_t size) {
  static const mote::Buffer<std::byte> valid = valid_grid();
  mote::Buffer<std::byte> grid(valid.size());
  std::memcpy(grid.data(), valid.data(), valid.size());
  for (std::size_t at = 0; at + kChangeBytes <= size; at += kChangeBytes) {
    Change change{};
    std::memcpy(&change.place, data + at, sizeof(change.place));
    std::memcpy(&change.value, data + at + sizeof(change.place), sizeof(change.value));
    const std::size_t place = change.place % (grid.size() - sizeof(change.value));
    std::memcpy(grid.data() + place, &change.value, sizeof(change.value));
  }
  return mote::read_nano_grid(grid.span(), "grid");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool is_file = size >= 7 && std::memcmp(data, "NanoVDB", 7) == 0;
  try {
    const mote::MemoryFile memory(data, size);
    const mote::DensityVolume volume =
        is_file ? mote::read_volume(memory.path()).volume : changed_grid(data, size);
    CHECK(volume.largest() > 0);
    CHECK(volume.density(glm::vec3(volume.last_voxel())) >= 0);
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
