#pragma once

// The data of the CPU kernels of neural fields. Values of many positions are in planes, one for
// each coordinate or feature, so that a pack holds neighbouring positions. Planes are aligned to 64
// bytes, and whole packs of 16 are read and written.

#include <cstddef>
#include <cstdint>

#include "fields/encodings/grid_layout.h"

namespace mote {

/// Number of positions to allocate in each plane.
constexpr std::size_t field_plane_stride(std::size_t positions) {
  return (positions + 15) / 16 * 16;
}

/// A grid encoding at some positions.
struct GridParams {
  int dimensions, features;  // as in GridConfig
  Interpolation interpolation;
  const GridLevel* levels;
  const std::uint16_t* table;  // [entries of all levels][features], IEEE halves
  const float* positions;      // [dimensions][stride], from 0 to 1
  float* out;                  // [levels][features][stride]
  std::size_t stride;          // field_plane_stride() of the number of positions
};

struct GridBackwardParams {
  int dimensions, features;
  Interpolation interpolation;
  const GridLevel* levels;
  const float* positions;   // [dimensions][stride]
  const float* d_features;  // [levels][features][stride]: dL/dout
  std::size_t count, stride;
  float* d_table;  // [entries of all levels][features]; added to
};

}  // namespace mote
