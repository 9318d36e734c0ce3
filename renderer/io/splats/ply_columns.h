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

/// Finds the properties of the values of a cloud, by name.
class PlyColumns {
 public:
  PlyColumns(const PlyElement& vertex, const SplatForm& form)
      : vertex_(vertex), info_(kind_info(form.kind, form.motion)), sh_degree_(form.sh_degree) {}

  void add(Field field, const std::string& property);
  /// The fields from `first` on have the properties NAME0, NAME1, ...
  void add(Field first, int count, const std::string& name);
  /// The place, the scales, the rotation and the opacity of a Gaussian, under their usual names.
  void add_gaussian();
  /// The values of the SH block from `slot` on have the properties NAME0, NAME1, ...
  void add_coefficients(std::size_t slot, int count, const std::string& name);
  /// All harmonics, under the names of the kind.
  void add_harmonics();
  /// The columns. Throws Error, with the file's `name`, for those that were not found.
  std::vector<PlyColumn> take(const std::string& name, const std::string& remedy);

 private:
  void add(const std::string& property, bool is_sh, std::size_t slot);

  const PlyElement& vertex_;
  const KindInfo& info_;
  int sh_degree_;
  std::vector<PlyColumn> found_;
  std::string missing_;
};

/// The vertices of a file of splats. Throws Error if there are none, or if they have lists.
const PlyElement& splat_vertices(const PlyHeader& header, const std::string& name);

/// The degree of the harmonics of the vertices, under the names of the kind. Throws Error where
/// their number fits no degree.
int ply_sh_degree(const PlyElement& vertex, const KindInfo& kind, const std::string& name);

/// The slot of the harmonic `index` above degree 0, counted channel by channel, in an SH block.
constexpr std::size_t sh_slot_of_rest(std::size_t index, int sh_degree) {
  const std::size_t above_dc = static_cast<std::size_t>(sh_coefficient_count(sh_degree)) - 1;
  return (1 + index % above_dc) * 3 + index / above_dc;
}

/// Reads the rows of `vertex`, which has no lists, into a new cloud. Fields without a column are
/// unspecified. Throws Error, which names the byte offset of a faulty line of text.
SplatCloud read_ply_rows(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                         const std::vector<PlyColumn>& columns, const SplatForm& splats,
                         const ProgressCallback& progress);

/// The same for binary rows.
SplatCloud read_ply_binary(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                           const std::vector<PlyColumn>& columns, const SplatForm& splats,
                           const ProgressCallback& progress);

/// The same for text, a row a line. Properties without a column are skipped.
SplatCloud read_ply_ascii(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                          const std::vector<PlyColumn>& columns, const SplatForm& splats,
                          const ProgressCallback& progress);

}  // namespace mote
