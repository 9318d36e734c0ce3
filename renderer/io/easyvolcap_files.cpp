#include "io/easyvolcap_files.h"

#include <fmt/format.h>

namespace mote {
namespace {

std::string yaml_names(const std::vector<EasyVolcapCamera>& cameras) {
  std::string text = "%YAML:1.0\n---\nnames:\n";
  for (const EasyVolcapCamera& one : cameras) text += fmt::format("  - \"{}\"\n", one.name);
  return text;
}

void add_matrix(std::string& text, const std::string& key, int rows, int columns,
                const std::vector<double>& row_major) {
  text += fmt::format("{}: !!opencv-matrix\n  rows: {}\n  cols: {}\n  dt: d\n  data: [{}]\n", key,
                      rows, columns, fmt::join(row_major, ", "));
}

std::vector<double> row_major(const glm::dmat3& matrix) {
  std::vector<double> values;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) values.push_back(matrix[column][row]);
  }
  return values;
}

}  // namespace

std::string easyvolcap_intrinsics(const std::vector<EasyVolcapCamera>& cameras,
                                  double frames_per_second) {
  std::string text = yaml_names(cameras);
  if (frames_per_second > 0) text += fmt::format("frames_per_second: {}\n", frames_per_second);
  for (const EasyVolcapCamera& one : cameras) {
    const Camera& camera = one.camera;
    const auto& k = one.lens.parameters;
    add_matrix(text, "K_" + one.name, 3, 3,
               {camera.focal_px.x, 0, camera.center_px.x, 0, camera.focal_px.y, camera.center_px.y,
                0, 0, 1});
    add_matrix(text, "D_" + one.name, 5, 1, {k[0], k[1], k[2], k[3], k[4]});
    text += fmt::format("H_{}: {}.\nW_{}: {}.\n", one.name, camera.height, one.name, camera.width);
    if (one.to_neutral_colors) {
      add_matrix(text, "ccm_" + one.name, 3, 3, row_major(*one.to_neutral_colors));
    }
  }
  return text;
}

std::string easyvolcap_extrinsics(const std::vector<EasyVolcapCamera>& cameras) {
  std::string text = yaml_names(cameras);
  for (const EasyVolcapCamera& one : cameras) {
    const glm::dvec3& move = one.camera.translation;
    add_matrix(text, "Rot_" + one.name, 3, 3, row_major(one.camera.cam_from_world));
    add_matrix(text, "T_" + one.name, 3, 1, {move.x, move.y, move.z});
  }
  return text;
}

}  // namespace mote
