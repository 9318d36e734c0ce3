#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/splats/ply_header.h"
#include "io/splats/scene_format.h"

namespace mote {

/// Where a property of a PLY row goes in the blocks of a cloud.
struct PlyColumn {
  const PlyProperty* property;
  bool is_sh;        // into the SH block, or the geometry block
  std::size_t slot;  // row of 16 floats in that block

  float* in_block(SplatCloud& cloud, std::size_t block) const {
    return (is_sh ? cloud.sh_block(block) : cloud.geometry_block(block)) + slot * kBlockSize;
  }
};

/// Reads the rows of a binary `vertex`, which has no lists, into a new cloud of that degree; what
/// has no column is unspecified.
SplatCloud read_ply_binary(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                           const std::vector<PlyColumn>& columns, int sh_degree,
                           const ProgressCallback& progress);

/// Reads the ASCII rows of `vertex`, one a line, into a new cloud of that degree. Properties
/// without a column are skipped. Throws Error naming the byte of the line that is at fault.
SplatCloud read_ply_ascii(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                          const std::vector<PlyColumn>& columns, int sh_degree,
                          const ProgressCallback& progress);

}  // namespace mote
