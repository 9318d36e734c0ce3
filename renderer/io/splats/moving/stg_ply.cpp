// Spacetime Gaussians: f_dc of the lite model is plain RGB; the weight is exp(-(d /
// e^trbf_scale)^2).
#include "io/splats/moving/stg_ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/file.h"

namespace mote {
namespace {

constexpr const char* kExportStg = "export the model again with the code of Spacetime Gaussians";

/// Reads single values of binary rows.
class StgRows {
 public:
  StgRows(const InputFile& file, const PlyHeader& header, const PlyElement& vertex)
      : vertex_(vertex), name_(file.name()) {
    const std::uint64_t offset = locate_ply_element(header, vertex, file);
    bytes_.resize(vertex.count * vertex.row_size);
    file.read_exact(offset, bytes_);
  }

  /// A column; the properties NAME or NAME_0, NAME_1, ...
  const PlyProperty* column(const std::string& name) const {
    const PlyProperty* found = vertex_.find(name);
    if (!found) throw Error("its vertices lack " + name, name_, kExportStg);
    if (found->type != PlyType::float32) {
      throw Error("its property " + name + " is no float", name_, kExportStg);
    }
    return found;
  }
  float at(std::size_t row, const PlyProperty* column) const {
    float value = 0;
    std::memcpy(&value, bytes_.data() + row * vertex_.row_size + column->offset, sizeof value);
    return value;
  }

 private:
  const PlyElement& vertex_;
  std::string name_;
  std::vector<std::byte> bytes_;
};

struct StgColumns {
  std::vector<const PlyProperty*> position, time, motion, color, opacity, scale, rotation, spin;

  explicit StgColumns(const StgRows& rows) {
    const auto numbered = [&](const char* name, int count) {
      std::vector<const PlyProperty*> columns;
      for (int i = 0; i < count; ++i) columns.push_back(rows.column(fmt::format("{}_{}", name, i)));
      return columns;
    };
    position = {rows.column("x"), rows.column("y"), rows.column("z")};
    time = {rows.column("trbf_center"), rows.column("trbf_scale")};
    motion = numbered("motion", 9);
    color = numbered("f_dc", 3);
    opacity = {rows.column("opacity")};
    scale = numbered("scale", 3);
    rotation = numbered("rot", 4);
    spin = numbered("omega", 4);
  }
};

}  // namespace

bool is_stg_ply(const PlyHeader& header) {
  const PlyElement* vertex = header.find("vertex");
  return vertex != nullptr && vertex->find("trbf_center") != nullptr;
}

MovingSplatsFile read_stg_ply(const std::filesystem::path& path) {
  const InputFile file(path);
  const PlyHeader header = read_ply_header(file);
  const PlyElement* vertex = header.find("vertex");
  if (!is_stg_ply(header) || vertex->has_list) {
    throw Error("is no .ply of Spacetime Gaussians", file.name(), kExportStg);
  }
  if (header.encoding != PlyEncoding::little_endian) {
    throw Error("is not stored as little-endian binary", file.name(), kExportStg);
  }
  if (vertex->find("f_t_0") != nullptr) {
    throw Error("is a full model, whose colours need the network of its .pt file", file.name(),
                "train and export the lite model");
  }
  const StgRows rows(file, header, *vertex);
  const StgColumns columns(rows);
  MovingSplatsFile result{.format = "Spacetime Gaussians"};
  std::size_t unusable = 0;
  for (std::size_t row = 0; row < vertex->count; ++row) {
    MovingSplat splat;
    float sum = 0;
    const auto take = [&](auto& values, const std::vector<const PlyProperty*>& from,
                          const auto& activate) {
      for (std::size_t k = 0; k < from.size(); ++k) {
        values[k] = activate(rows.at(row, from[k]));
        sum += values[k];
      }
    };
    const auto plain = [](float value) { return value; };
    const auto exponential = [](float value) { return std::exp(value); };
    take(splat.position, columns.position, plain);
    take(splat.motion, columns.motion, plain);
    take(splat.color, columns.color, plain);
    take(splat.scale, columns.scale, exponential);
    take(splat.rotation, columns.rotation, plain);
    take(splat.spin, columns.spin, plain);
    splat.opacity = 1 / (1 + std::exp(-rows.at(row, columns.opacity[0])));
    splat.time_s = rows.at(row, columns.time[0]);
    splat.sigma_s = std::exp(rows.at(row, columns.time[1])) / std::sqrt(2.0f);
    float length2 = 0;
    for (const float value : splat.rotation) length2 += value * value;
    if (std::isfinite(sum + splat.opacity + splat.time_s) && length2 > 0 && splat.sigma_s > 0) {
      result.splats.push_back(splat);
    } else {
      ++unusable;
    }
  }
  if (unusable > 0) {
    result.warnings.push_back(
        fmt::format("{}: {} splats have unusable values and are left out", file.name(), unusable));
  }
  return result;
}

}  // namespace mote
