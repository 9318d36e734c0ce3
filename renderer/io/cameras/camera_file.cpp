#include "io/cameras/camera_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/file.h"

namespace mote {
namespace {

using nlohmann::json;

/// Camera to world with the camera's y and z axes negated, in rows.
json gl_matrix(const Camera& camera) {
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  const glm::dvec3 columns[] = {world_from_cam[0], -world_from_cam[1], -world_from_cam[2],
                                camera.position_world()};
  json rows = json::array();
  for (int row = 0; row < 3; ++row) {
    rows.push_back({columns[0][row], columns[1][row], columns[2][row], columns[3][row]});
  }
  rows.push_back({0, 0, 0, 1});
  return rows;
}

}  // namespace

void write_camera_file(std::span<const SplitView> views, const std::filesystem::path& path) {
  const bool has_times =
      std::ranges::any_of(views, [](const SplitView& one) { return one.view.time_s != 0; });
  json frames = json::array();
  for (const SplitView& one : views) {
    const Camera& camera = one.view.camera;
    frames.push_back({{"file_path", one.view.name + ".png"},
                      {"split", one.split},
                      {"w", camera.width},
                      {"h", camera.height},
                      {"fl_x", camera.focal_px.x},
                      {"fl_y", camera.focal_px.y},
                      {"cx", camera.center_px.x},
                      {"cy", camera.center_px.y},
                      {"transform_matrix", gl_matrix(camera)}});
    if (has_times) frames.back()["time"] = one.view.time_s;
  }
  json file{{"camera_model", "PINHOLE"}, {"frames", std::move(frames)}};
  if (has_times) file["time_unit"] = "s";
  OutputFile out(path);
  out.write(file.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  out.commit();
}

}  // namespace mote
