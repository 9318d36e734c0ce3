#pragma once

// The planes of a HexPlane encoding and their places in the table of parameters (Cao and Johnson
// 2023, "HexPlane"; with the levels of Fridovich-Keil et al. 2023, "K-Planes", and the sizes of Wu
// et al. 2024, "4D Gaussian Splatting for Real-Time Dynamic Scene Rendering").

#include <array>
#include <cstddef>
#include <vector>

#include "lanes/lane.h"

namespace mote {

/// Axes of a position in space and time: x, y, z, time.
inline constexpr int kHexAxes = 4;
/// One plane for each two axes.
inline constexpr int kHexPlanes = 6;
/// Values of a node are in whole packs and cache lines.
inline constexpr int kHexFeatureUnit = 16;

/// The two axes of a plane, the one whose neighbours are adjacent in memory first.
struct HexAxes {
  int u, v;
};
/// Planes in the order xy, xz, yz, xt, yt, zt. Digits of a number, the first plane last: a device
/// would keep an array of them in local memory.
MOTE_LANE constexpr HexAxes hex_axes(int plane) {
  constexpr int kU = 0x210100, kV = 0x333221;
  return {kU >> 4 * plane & 3, kV >> 4 * plane & 3};
}
/// Whether time is an axis of the plane.
MOTE_LANE constexpr bool has_time(int plane) {
  return hex_axes(plane).v == kHexAxes - 1;
}

struct HexPlaneConfig {
  int features = 16;    // of a level: a multiple of kHexFeatureUnit
  int levels = 2;       // each has twice the nodes of the one before along x, y and z
  int resolution = 64;  // nodes along x, y and z in the first level, at least 2
  int moments = 25;     // nodes along time in all levels, at least 2

  bool operator==(const HexPlaneConfig&) const = default;
};

struct HexLevel {
  int nodes[kHexAxes];
  /// The first parameter of each plane, [nodes of v][nodes of u][features].
  std::size_t first[kHexPlanes];

  MOTE_LANE std::size_t nodes_of(int plane) const {
    const HexAxes axes = hex_axes(plane);
    return static_cast<std::size_t>(nodes[axes.u]) * static_cast<std::size_t>(nodes[axes.v]);
  }
};

/// The levels, coarsest first. Throws Error if a number is outside of its range, or for more than
/// 2^28 parameters.
std::vector<HexLevel> hex_levels(const HexPlaneConfig& config);

/// Number of parameters of all levels.
std::size_t hex_parameters(const HexPlaneConfig& config);

/// Number of features of a position: those of all levels.
constexpr int hex_features(const HexPlaneConfig& config) {
  return config.features * config.levels;
}

}  // namespace mote
