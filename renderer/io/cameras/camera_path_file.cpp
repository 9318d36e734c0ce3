#include "io/cameras/camera_path_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/file.h"
#include "core/natural_order.h"
#include "io/cameras/camera_path_json.h"
#include "io/datasets/camera_source.h"
#include "io/json_object.h"

// Source of nerfstudio's keys: nerfstudio/cameras/camera_paths.py and viewer/render_panel.py. Its
// viewer writes the files and `ns-render camera-path` reads them.

namespace mote {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxPathBytes = 1ull << 30;

/// Reads a camera-to-world matrix in rows, with OpenGL axes (y up, z backwards).
void read_gl_pose(const JsonObject& frame, CameraKeyframe& keyframe) {
  constexpr double kLooseness = 1e-3;
  const auto m = frame.numbers("camera_to_world", 16);
  // To OpenCV axes: y down, z forward.
  const glm::dmat3 axes(m[0], m[4], m[8], -m[1], -m[5], -m[9], -m[2], -m[6], -m[10]);
  const glm::dmat3 gram = glm::transpose(axes) * axes;
  double off = std::abs(glm::determinant(axes) - 1);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(gram[i][j] - (i == j ? 1 : 0)));
  }
  if (!(off < kLooseness)) {
    frame.fail("camera_to_world", "is not a rotation: its first three columns are not orthonormal");
  }
  keyframe.position_world = {m[3], m[7], m[11]};
  keyframe.world_from_cam = glm::quat_cast(axes);
}

KeyframePath read_nerfstudio(const JsonObject& top) {
  const std::string type = top.text("camera_type", "perspective");
  if (type != "perspective") {
    top.fail("camera_type", fmt::format("'{}' is not supported, only perspective", type));
  }
  KeyframePath path;
  path.width = picture_side(top, "render_width");
  path.height = picture_side(top, "render_height");
  if (path.width == 0 || path.height == 0) {
    top.fail(path.width == 0 ? "render_width" : "render_height", "is missing");
  }
  path.frames_per_second = picture_rate(top, "fps");
  const double interval_s = 1 / (path.frames_per_second > 0 ? path.frames_per_second : 30);
  path.loop = top.flag("is_cycle", false);
  path.closing_s = interval_s;
  for (const JsonObject& frame : top.objects("camera_path", "frame")) {
    CameraKeyframe keyframe{.time_s = static_cast<double>(path.keyframes.size()) * interval_s};
    read_gl_pose(frame, keyframe);
    keyframe.field_of_view = radians_at(frame, "fov");
    path.keyframes.push_back(keyframe);
  }
  return path;
}

KeyframePath from_cameras(const std::filesystem::path& file, int width, int height) {
  ViewSet set = load_views(file, ImageSize{width, height});
  // Files list training views before test views, or have no order. Names follow the order in which
  // the photographs were taken.
  std::ranges::stable_sort(
      set.views, [](const View& a, const View& b) { return naturally_before(a.name, b.name); });
  KeyframePath path{.constant_speed = true};
  path.width = set.views.front().camera.width;
  path.height = set.views.front().camera.height;
  for (const View& view : set.views) {
    path.keyframes.push_back(keyframe_of(view.camera, static_cast<double>(path.keyframes.size())));
  }
  return path;
}

/// The file as JSON if it is JSON and has one of the two lists, otherwise null.
json path_json(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return {};
  if (InputFile(file).size() > kMaxPathBytes) return {};
  json top = json::parse(read_text_file(file, kMaxPathBytes), nullptr, false);
  const bool is_path =
      top.is_object() && (top.contains("keyframes") || top.contains("camera_path"));
  return is_path ? std::move(top) : json();
}

}  // namespace

KeyframePath load_camera_path(const std::filesystem::path& path, int width, int height) {
  const json top = path_json(path);
  const JsonObject object(top, path.string());
  KeyframePath result = top.is_null()                 ? from_cameras(path, width, height)
                        : top.contains("camera_path") ? read_nerfstudio(object)
                                                      : camera_path_of(object, path.string());
  check_path(result, path.string());
  return result;
}

void write_camera_path(const KeyframePath& path, const std::filesystem::path& file,
                       Existing existing) {
  OutputFile out(file, existing);
  out.write(camera_path_json(path).dump(1) + "\n");
  out.commit();
}

}  // namespace mote
