#include "io/splats/ply_columns.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "io/splats/cloud_building.h"

namespace mote {

void PlyColumns::add(const std::string& property, bool is_sh, std::size_t slot) {
  if (const PlyProperty* found = vertex_.find(property)) {
    found_.push_back({found, is_sh, slot});
  } else {
    missing_ += (missing_.empty() ? "" : ", ") + property;
  }
}

void PlyColumns::add(Field field, const std::string& property) {
  add(property, false, static_cast<std::size_t>(info_.plane(field)));
}

void PlyColumns::add(Field first, int count, const std::string& name) {
  for (int k = 0; k < count; ++k) {
    add(static_cast<Field>(static_cast<int>(first) + k), name + std::to_string(k));
  }
}

void PlyColumns::add_gaussian() {
  add(Field::mean_x, "x");
  add(Field::mean_y, "y");
  add(Field::mean_z, "z");
  add(Field::log_scale_x, 3, "scale_");
  add(Field::rotation_w, 4, "rot_");
  add(Field::logit_opacity, "opacity");
}

void PlyColumns::add_coefficients(std::size_t slot, int count, const std::string& name) {
  for (int k = 0; k < count; ++k) {
    add(name + std::to_string(k), true, slot + static_cast<std::size_t>(k));
  }
}

void PlyColumns::add_harmonics() {
  for (std::size_t c = 0; c < 3; ++c) add(info_.sh_prefixes[0] + std::to_string(c), true, c);
  const std::size_t rest = static_cast<std::size_t>(sh_coefficient_count(sh_degree_) - 1) * 3;
  for (std::size_t i = 0; i < rest; ++i) {
    add(info_.sh_prefixes[1] + std::to_string(i), true, sh_slot_of_rest(i, sh_degree_));
  }
}

std::vector<PlyColumn> PlyColumns::take(const std::string& name, const std::string& remedy) {
  if (!missing_.empty()) {
    throw Error("its points lack these splat properties: " + missing_, name, remedy);
  }
  return std::move(found_);
}

const PlyElement& splat_vertices(const PlyHeader& header, const std::string& name) {
  const PlyElement* vertex = header.find("vertex");
  if (!vertex) {
    throw Error("has no element 'vertex'", name, "export it as a 3DGS .ply");
  }
  if (vertex->has_list) {
    throw Error("its element 'vertex' has a list property, which splats do not have", name,
                "export it as a 3DGS .ply");
  }
  return *vertex;
}

int ply_sh_degree(const PlyElement& vertex, const KindInfo& kind, const std::string& name) {
  const std::string prefix = kind.sh_prefixes[1];
  const auto rest = std::ranges::count_if(
      vertex.properties, [&](const PlyProperty& p) { return p.name.starts_with(prefix); });
  const int degree = sh_degree_of_rest(static_cast<std::size_t>(rest));
  if (degree < 0) {
    throw Error(
        "has " + std::to_string(rest) + " " + prefix + "* properties, expected 0, 9, 24, 45 or 72",
        name, "export it again with all coefficients of an SH degree from 0 to 4");
  }
  return degree;
}

SplatCloud read_ply_rows(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                         const std::vector<PlyColumn>& columns, const SplatForm& splats,
                         const ProgressCallback& progress) {
  const auto read = header.encoding == PlyEncoding::ascii ? read_ply_ascii : read_ply_binary;
  return read(file, header, vertex, columns, splats, progress);
}

}  // namespace mote
