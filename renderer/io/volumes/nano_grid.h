#pragma once

// The tree of a NanoVDB grid in memory. Each offset is checked before it is followed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "volumes/density_volume.h"

namespace mote {

/// Whether grids of this type hold densities: float, double, and the quantised floats.
bool is_density_type(std::uint32_t grid_type);
/// Text such as "Vec3f".
std::string grid_type_name(std::uint32_t grid_type);

/// Alignment of a grid's bytes.
inline constexpr std::size_t kGridAlignment = 32;

/// Copies the active voxels of a grid; others have the density 0. Its y axis points up, so that the
/// volume has the grid's (x, -y, -z) as coordinates of the world. `name`: place in messages. Throws
/// Error if the grid is damaged, has no densities or has a value that is none.
DensityVolume read_nano_grid(std::span<const std::byte> grid, const std::string& name,
                             const std::function<void(double)>& progress = {});

}  // namespace mote
