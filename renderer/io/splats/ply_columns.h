#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/splats/ply_header.h"
#include "io/splats/scene_format.h"

namespace mote {

/// The place of a PLY property in the blocks of a cloud.
struct PlyColumn {
  const PlyProperty* property;
  bool is_sh;        // in the SH block; otherwise in the geometry block
  std::size_t slot;  // row of 16 floats in that block

  float* in_block(SplatCloud& cloud, std::size_t block) const {
    return (is_sh ? cloud.sh_block(block) : cloud.geometry_block(block)) + slot * kBlockSize;
  }
};

/// Reads the rows of a binary `vertex` without lists into a new cloud. Fields without a column are
/// unspecified.
SplatCloud read_ply_binary(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                           const std::vector<PlyColumn>& columns, const SplatForm& splats,
                           const ProgressCallback& progress);

/// Reads the ASCII rows of `vertex`, one per line, into a new cloud. Properties without a column
/// are skipped. Throws Error, which names the byte offset of the faulty line.
SplatCloud read_ply_ascii(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                          const std::vector<PlyColumn>& columns, const SplatForm& splats,
                          const ProgressCallback& progress);

}  // namespace mote
