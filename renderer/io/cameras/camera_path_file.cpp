#include "io/cameras/camera_path_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "core/file.h"
#include "core/image.h"
#include "core/natural_order.h"
#include "io/datasets/camera_source.h"
#include "io/json_object.h"

// Source of nerfstudio's keys: nerfstudio/cameras/camera_paths.py and viewer/render_panel.py. Its
// viewer writes the files and `ns-render camera-path` reads them.

namespace mote {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxPathBytes = 1ull << 30;
constexpr int kVersion = 1;

glm::dvec3 vector_of(const std::vector<double>& v) {
  return {v[0], v[1], v[2]};
}

/// Width or height of the pictures; 0 where the key is missing.
int read_side(const JsonObject& object, const char* key) {
  const double side = object.number(key, 0);
  if (side == 0 && !object.has(key)) return 0;
  if (!(side >= 1 && side <= kMaxImageSide && side == std::floor(side))) {
    object.fail(key, fmt::format("expected a whole number from 1 to {}", kMaxImageSide));
  }
  return static_cast<int>(side);
}

double read_rate(const JsonObject& object, const char* key) {
  const double rate = object.number(key, 0);
  if (object.has(key) && !(rate > 0)) object.fail(key, "expected frames per second, above 0");
  return rate;
}

double radians_of(const JsonObject& object, const char* key) {
  const double angle = object.number(key);
  if (!(angle > 0 && angle < 180)) object.fail(key, "expected degrees between 0 and 180");
  return glm::radians(angle);
}

/// The orientation of a keyframe, from a quaternion or a point to look at.
glm::dquat read_rotation(const JsonObject& key, const glm::dvec3& position, const glm::dvec3& up) {
  if (key.has("rotation") == key.has("look_at")) {
    key.fail("rotation", "expected either `rotation` (w, x, y, z) or `look_at` (a point)");
  }
  if (key.has("rotation")) {
    const auto q = key.numbers("rotation", 4);
    return {q[0], q[1], q[2], q[3]};
  }
  const glm::dvec3 target = vector_of(key.numbers("look_at", 3));
  if (target == position) {
    key.fail("look_at", "equals the position, expected a point in front of the camera");
  }
  Camera camera;
  look_at(camera, position, target, up);
  return glm::quat_cast(glm::transpose(camera.cam_from_world));
}

glm::dvec3 read_up(const JsonObject& object, const glm::dvec3& otherwise) {
  if (!object.has("up")) return otherwise;
  const glm::dvec3 up = vector_of(object.numbers("up", 3));
  if (up == glm::dvec3(0)) object.fail("up", "is zero, expected a direction");
  return up;
}

KeyframePath read_own(const JsonObject& top) {
  if (top.number("version", kVersion) != kVersion) {
    top.fail("version", fmt::format("is not supported, expected version {}", kVersion));
  }
  KeyframePath path;
  path.width = read_side(top, "width");
  path.height = read_side(top, "height");
  if ((path.width == 0) != (path.height == 0)) {
    top.fail(path.width == 0 ? "width" : "height", "is missing, but the other side is given");
  }
  path.frames_per_second = read_rate(top, "fps");
  path.loop = top.flag("loop", false);
  path.closing_s = top.number("closing_s", 0);
  path.constant_speed = top.flag("constant_speed", false);
  const glm::dvec3 up = read_up(top, {0, -1, 0});
  for (const JsonObject& key : top.objects("keyframes", "keyframe")) {
    CameraKeyframe keyframe{.time_s = key.number("time_s"),
                            .position_world = vector_of(key.numbers("position", 3))};
    keyframe.world_from_cam = read_rotation(key, keyframe.position_world, read_up(key, up));
    keyframe.field_of_view = radians_of(key, "vertical_fov_deg");
    path.keyframes.push_back(keyframe);
  }
  return path;
}

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
  path.width = read_side(top, "render_width");
  path.height = read_side(top, "render_height");
  if (path.width == 0 || path.height == 0) {
    top.fail(path.width == 0 ? "render_width" : "render_height", "is missing");
  }
  path.frames_per_second = read_rate(top, "fps");
  const double interval_s = 1 / (path.frames_per_second > 0 ? path.frames_per_second : 30);
  path.loop = top.flag("is_cycle", false);
  path.closing_s = interval_s;
  for (const JsonObject& frame : top.objects("camera_path", "frame")) {
    CameraKeyframe keyframe{.time_s = static_cast<double>(path.keyframes.size()) * interval_s};
    read_gl_pose(frame, keyframe);
    keyframe.field_of_view = radians_of(frame, "fov");
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
                                                      : read_own(object);
  check_path(result, path.string());
  return result;
}

void write_camera_path(const KeyframePath& path, const std::filesystem::path& file,
                       Existing existing) {
  json keyframes = json::array();
  for (const CameraKeyframe& key : path.keyframes) {
    const glm::dvec3& p = key.position_world;
    const glm::dquat q = glm::normalize(key.world_from_cam);
    keyframes.push_back({{"time_s", key.time_s},
                         {"position", {p.x, p.y, p.z}},
                         {"rotation", {q.w, q.x, q.y, q.z}},
                         {"vertical_fov_deg", glm::degrees(key.field_of_view)}});
  }
  json top{{"type", "mote camera path"},
           {"version", kVersion},
           {"loop", path.loop},
           {"constant_speed", path.constant_speed},
           {"keyframes", std::move(keyframes)}};
  if (path.loop && path.closing_s > 0) top["closing_s"] = path.closing_s;
  if (path.width > 0) top["width"] = path.width, top["height"] = path.height;
  if (path.frames_per_second > 0) top["fps"] = path.frames_per_second;
  OutputFile out(file, existing);
  out.write(top.dump(1) + "\n");
  out.commit();
}

}  // namespace mote
