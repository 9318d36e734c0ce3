#pragma once

// Volumes in .nvdb files: NanoVDB, of the layouts with the major version 32.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/file.h"
#include "volumes/density_volume.h"

namespace mote {

/// Whether the path is a file with the extension .nvdb.
bool is_volume_file(const std::filesystem::path& path);

struct VolumeFile {
  DensityVolume volume;
  std::vector<std::string> notes;  // each a phrase
};

/// Reads the grid called "density", or the first one with densities. Grids may be stored or
/// compressed with zlib. Throws Error for damaged files and files without a density.
VolumeFile read_volume(const std::filesystem::path& path,
                       const std::function<void(double)>& progress = {});

/// Upper bound on the bytes of a grid.
inline constexpr std::uint64_t kMostGridBytes = std::uint64_t{1} << 33;

/// Writes the volume as one grid of floats called "density", with its y axis up, see
/// read_nano_grid(). Throws Error if the file cannot be written.
void write_volume(const DensityVolume& volume, const std::filesystem::path& path,
                  Existing existing = Existing::replace);

}  // namespace mote
