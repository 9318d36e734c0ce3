#include "io/cameras/camera_path_json.h"

#include <fmt/format.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/image.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr int kPathVersion = 1;

glm::dvec3 vector_from(const std::vector<double>& v) {
  return {v[0], v[1], v[2]};
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
  const glm::dvec3 target = vector_from(key.numbers("look_at", 3));
  if (target == position) {
    key.fail("look_at", "equals the position, expected a point in front of the camera");
  }
  Camera camera;
  look_at(camera, position, target, up);
  return glm::quat_cast(glm::transpose(camera.cam_from_world));
}

glm::dvec3 read_up(const JsonObject& object, const glm::dvec3& otherwise) {
  if (!object.has("up")) return otherwise;
  const glm::dvec3 up = vector_from(object.numbers("up", 3));
  if (up == glm::dvec3(0)) object.fail("up", "is zero, expected a direction");
  return up;
}

KeyframePath read_path(const JsonObject& top) {
  if (top.number("version", kPathVersion) != kPathVersion) {
    top.fail("version", fmt::format("is not supported, expected version {}", kPathVersion));
  }
  KeyframePath path;
  path.width = picture_side(top, "width");
  path.height = picture_side(top, "height");
  if ((path.width == 0) != (path.height == 0)) {
    top.fail(path.width == 0 ? "width" : "height", "is missing, but the other side is given");
  }
  path.frames_per_second = picture_rate(top, "fps");
  path.loop = top.flag("loop", false);
  path.closing_s = top.number("closing_s", 0);
  path.constant_speed = top.flag("constant_speed", false);
  const glm::dvec3 up = read_up(top, {0, -1, 0});
  for (const JsonObject& key : top.objects("keyframes", "keyframe")) {
    CameraKeyframe keyframe{.time_s = key.number("time_s"),
                            .position_world = vector_from(key.numbers("position", 3))};
    keyframe.world_from_cam = read_rotation(key, keyframe.position_world, read_up(key, up));
    keyframe.field_of_view = radians_at(key, "vertical_fov_deg");
    if (key.has("scene_time_s")) keyframe.scene_time_s = key.number("scene_time_s");
    path.keyframes.push_back(keyframe);
  }
  return path;
}

}  // namespace

int picture_side(const JsonObject& object, const char* key) {
  const double side = object.number(key, 0);
  if (side == 0 && !object.has(key)) return 0;
  if (!(side >= 1 && side <= kMaxImageSide && side == std::floor(side))) {
    object.fail(key, fmt::format("expected a whole number from 1 to {}", kMaxImageSide));
  }
  return static_cast<int>(side);
}

double picture_rate(const JsonObject& object, const char* key) {
  const double rate = object.number(key, 0);
  if (object.has(key) && !(rate > 0)) object.fail(key, "expected frames per second, above 0");
  return rate;
}

double radians_at(const JsonObject& object, const char* key) {
  const double angle = object.number(key);
  if (!(angle > 0 && angle < 180)) object.fail(key, "expected degrees between 0 and 180");
  return glm::radians(angle);
}

KeyframePath camera_path_of(const JsonObject& object, const std::string& where) {
  KeyframePath path = read_path(object);
  check_path(path, where);
  return path;
}

json camera_path_json(const KeyframePath& path) {
  json keyframes = json::array();
  for (const CameraKeyframe& key : path.keyframes) {
    const glm::dvec3& p = key.position_world;
    const glm::dquat q = glm::normalize(key.world_from_cam);
    keyframes.push_back({{"time_s", key.time_s},
                         {"position", {p.x, p.y, p.z}},
                         {"rotation", {q.w, q.x, q.y, q.z}},
                         {"vertical_fov_deg", glm::degrees(key.field_of_view)}});
    if (key.scene_time_s) keyframes.back()["scene_time_s"] = *key.scene_time_s;
  }
  json top{{"type", "mote camera path"},
           {"version", kPathVersion},
           {"loop", path.loop},
           {"constant_speed", path.constant_speed},
           {"keyframes", std::move(keyframes)}};
  if (path.loop && path.closing_s > 0) top["closing_s"] = path.closing_s;
  if (path.width > 0) top["width"] = path.width, top["height"] = path.height;
  if (path.frames_per_second > 0) top["fps"] = path.frames_per_second;
  return top;
}

}  // namespace mote
