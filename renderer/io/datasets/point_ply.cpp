#include "io/datasets/point_ply.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "io/splats/ply_columns.h"

namespace mote {
namespace {

/// The place of times in a cloud, which has none of its own.
constexpr Field kTimeField = Field::logit_opacity;

struct PointColumns {
  std::vector<PlyColumn> columns;  // positions go to the mean, colours to SH degree 0
  bool has_color = false, has_time = false;
  double color_scale = 1;
};

PointColumns point_columns(const PlyElement& vertex, const std::string& name) {
  PointColumns result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const PlyProperty* found = vertex.find(std::string(1, static_cast<char>('x' + axis)));
    if (!found) throw Error("its vertices lack x, y or z", name, "export the points again");
    result.columns.push_back({found, false, axis});
  }
  if (const PlyProperty* time = vertex.find("time_s")) {
    result.has_time = true;
    result.columns.push_back({time, false, static_cast<std::size_t>(kTimeField)});
  }
  const std::array<const PlyProperty*, 3> color{vertex.find("red"), vertex.find("green"),
                                                vertex.find("blue")};
  result.has_color = std::ranges::none_of(color, [](const auto* p) { return p == nullptr; });
  if (!result.has_color) return result;
  for (std::size_t c = 0; c < 3; ++c) result.columns.push_back({color[c], true, c});
  const PlyType type = color[0]->type;
  if (type == PlyType::float32 || type == PlyType::float64) result.color_scale = 255;
  return result;
}

}  // namespace

PointCloud read_point_ply(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  const InputFile file(path);
  std::array<std::byte, 16> head;
  if (!starts_as_ply(std::span(head).first(file.read_some(0, head)))) {
    throw Error("is not a .ply file", file.name(), "export the points again");
  }
  const PlyHeader header = read_ply_header(file);
  const PlyElement* vertex = header.find("vertex");
  if (!vertex || vertex->has_list) {
    throw Error("has no element 'vertex' of plain numbers", file.name(), "export the points again");
  }
  if (vertex->count == 0) return {};
  const PointColumns wanted = point_columns(*vertex, file.name());
  const auto read = header.encoding == PlyEncoding::ascii ? read_ply_ascii : read_ply_binary;
  const SplatCloud rows = read(file, header, *vertex, wanted.columns,
                               {.kind = SplatKind::gaussian, .sh_degree = 0}, {});
  PointCloud points;
  std::size_t at_infinity = 0;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const glm::dvec3 position(rows.at(i, Field::mean_x), rows.at(i, Field::mean_y),
                              rows.at(i, Field::mean_z));
    const double time_s = wanted.has_time ? rows.at(i, kTimeField) : 0.0;
    if (!std::isfinite(position.x + position.y + position.z + time_s)) {
      ++at_infinity;
      continue;
    }
    std::array<std::uint8_t, 3> color{128, 128, 128};
    for (int c = 0; wanted.has_color && c < 3; ++c) {
      const double value = wanted.color_scale * static_cast<double>(rows.sh(i, 0, c));
      color[static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>(value > 0 ? std::min(value, 255.0) + 0.5 : 0.0);
    }
    points.positions.push_back(position);
    points.colors.push_back(color);
    if (wanted.has_time) points.times_s.push_back(time_s);
  }
  if (at_infinity > 0) {
    warnings.push_back(file.name() + ": " + std::to_string(at_infinity) +
                       " points are not finite and are left out");
  }
  return points;
}

void write_point_ply(const PointCloud& points, const std::filesystem::path& path) {
  const bool has_times = !points.times_s.empty();
  std::string text =
      "ply\nformat binary_little_endian 1.0\ncomment Software: Mote\nelement vertex " +
      std::to_string(points.positions.size()) + "\n";
  for (const char* name : {"x", "y", "z"}) text += std::string("property float ") + name + "\n";
  for (const char* name : {"red", "green", "blue"}) {
    text += std::string("property uchar ") + name + "\n";
  }
  if (has_times) text += "property float time_s\n";
  text += "end_header\n";
  const auto add = [&](double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    for (int shift = 0; shift < 32; shift += 8) {
      text.push_back(static_cast<char>((bits >> shift) & 0xffu));
    }
  };
  for (std::size_t i = 0; i < points.positions.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) add(points.positions[i][axis]);
    for (const std::uint8_t value : points.colors[i]) text.push_back(static_cast<char>(value));
    if (has_times) add(points.times_s[i]);
  }
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace mote
