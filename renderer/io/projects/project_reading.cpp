#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/image.h"
#include "core/json_text.h"
#include "core/spelling.h"
#include "io/cameras/camera_path_json.h"
#include "io/json_object.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMaxProjectBytes = std::uint64_t{64} << 20;
constexpr double kMostUnits = 1e12;  // world units

glm::dvec3 vector_at(const JsonObject& object, const char* key) {
  const std::vector<double> v = object.numbers(key, 3);
  for (const double value : v) {
    if (!(std::abs(value) <= kMostUnits)) {
      object.fail(key, fmt::format("expected numbers from {} to {}", -kMostUnits, kMostUnits));
    }
  }
  return {v[0], v[1], v[2]};
}

double number_within(const JsonObject& object, const char* key, double otherwise, double least,
                     double most) {
  const double value = object.number(key, otherwise);
  if (!(value >= least && value <= most)) {
    object.fail(key, fmt::format("expected a number from {} to {}", least, most));
  }
  return value;
}

std::uint64_t whole_at(const JsonObject& object, const char* key, std::uint64_t most) {
  const double value = object.number(key);
  if (!(value >= 0 && value <= static_cast<double>(most) && value == std::floor(value))) {
    object.fail(key, fmt::format("expected a whole number from 0 to {}", most));
  }
  return static_cast<std::uint64_t>(value);
}

/// The index of a scene; empty where the key is missing.
std::optional<std::size_t> scene_index(const JsonObject& object, const char* key,
                                       std::size_t scenes) {
  if (!object.has(key)) return {};
  if (scenes == 0) object.fail(key, "names a scene, but there are none");
  return static_cast<std::size_t>(whole_at(object, key, scenes - 1));
}

glm::dmat3 rotation_at(const JsonObject& object, const char* key) {
  constexpr double kLooseness = 1e-6;
  const std::vector<double> m = object.numbers(key, 9);
  const glm::dmat3 rotation(m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]);
  const glm::dmat3 gram = glm::transpose(rotation) * rotation;
  double off = std::abs(glm::determinant(rotation) - 1);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(gram[i][j] - (i == j ? 1 : 0)));
  }
  if (!(off < kLooseness)) object.fail(key, "is not a rotation: its columns are not orthonormal");
  return rotation;
}

OrientedBox oriented_box_of(const JsonObject& object) {
  OrientedBox box{.center = vector_at(object, "center"),
                  .half_size = vector_at(object, "half_size"),
                  .rotation = rotation_at(object, "rotation")};
  for (int i = 0; i < 3; ++i) {
    if (!(box.half_size[i] >= 0)) object.fail("half_size", "expected lengths of at least 0");
  }
  return box;
}

Similarity placement_of(const JsonObject& object) {
  constexpr double kLeast = 1e-9, kMost = 1e9;
  return {.scale = number_within(object, "scale", 1, kLeast, kMost),
          .rotation = rotation_at(object, "rotation"),
          .translation = vector_at(object, "translation")};
}

ColorAdjustment colors_of(const JsonObject& object) {
  ColorAdjustment colors{.exposure = number_within(object, "exposure", 0, -10, 10),
                         .tint = vector_at(object, "tint"),
                         .saturation = number_within(object, "saturation", 1, 0, 4),
                         .contrast = number_within(object, "contrast", 1, 0, 4)};
  for (int i = 0; i < 3; ++i) {
    if (!(colors.tint[i] >= 0 && colors.tint[i] <= 4)) {
      object.fail("tint", "expected numbers from 0 to 4");
    }
  }
  return colors;
}

FileFacts file_facts_of(const JsonObject& object) {
  FileFacts facts{.bytes = whole_at(object, "bytes", std::uint64_t{1} << 53)};
  const std::string text = object.text("fingerprint", "");
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), facts.fingerprint, 16);
  if (fault != std::errc() || end != text.data() + text.size()) {
    object.fail("fingerprint", "expected a hexadecimal number, found " + quoted(json(text)));
  }
  return facts;
}

/// The path at the key, absolute; empty where the key is missing.
fs::path path_at(const JsonObject& object, const char* key, const fs::path& folder) {
  if (!object.has(key)) return {};
  const std::string text = object.text(key, "");
  if (text.empty()) object.fail(key, "is empty, expected a path");
  if (text.find('\0') != std::string::npos) object.fail(key, "is not a path: it has a zero byte");
  const fs::path whole = (folder / text).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

ProjectScene scene_of(const JsonObject& object, const fs::path& folder) {
  ProjectScene scene{.name = object.text("name", ""),
                     .path = path_at(object, "path", folder),
                     .format = object.text("format", ""),
                     .shown = object.flag("shown", true),
                     .edits = path_at(object, "edits", folder),
                     .frames_per_second = number_within(object, "fps", 0, 0, 1000)};
  if (scene.path.empty() && scene.edits.empty()) {
    object.fail("path", "is missing; a scene has a path, edits with all of its splats, or both");
  }
  if (scene.name.empty()) scene.name = scene.path.filename().string();
  if (scene.name.empty()) scene.name = "scene";
  if (object.has("data")) scene.data = file_facts_of(object.object("data"));
  if (object.has("placement")) scene.placement = placement_of(object.object("placement"));
  if (object.has("colors")) scene.colors = colors_of(object.object("colors"));
  if (object.has("crops")) {
    for (const JsonObject& box : object.objects("crops", "crop")) {
      scene.crops.push_back(oriented_box_of(box));
    }
  }
  return scene;
}

Camera lens_of(const JsonObject& object) {
  const std::vector<double> size = object.numbers("size", 2), focal = object.numbers("focal_px", 2),
                            center = object.numbers("center_px", 2);
  Camera lens;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (!(size[i] >= 1 && size[i] <= kMaxImageSide && size[i] == std::floor(size[i]))) {
      object.fail("size", fmt::format("expected whole numbers from 1 to {}", kMaxImageSide));
    }
    if (!(focal[i] >= 1e-3 && focal[i] <= 1e9)) {
      object.fail("focal_px", "expected numbers from 0.001 to 1e9");
    }
    if (!(std::abs(center[i]) <= 1e9)) {
      object.fail("center_px", "expected numbers from -1e9 to 1e9");
    }
  }
  lens.width = static_cast<int>(size[0]);
  lens.height = static_cast<int>(size[1]);
  lens.focal_px = {focal[0], focal[1]};
  lens.center_px = {center[0], center[1]};
  return lens;
}

ProjectCamera project_camera_of(const JsonObject& object) {
  constexpr double kLeast = 1e-12;
  ProjectCamera camera{
      .position_world = vector_at(object, "position"),
      .focus_distance = number_within(object, "focus_distance", 1, kLeast, kMostUnits),
      .up_world = vector_at(object, "up"),
      .speed = number_within(object, "speed", 1, kLeast, kMostUnits),
      .lens = lens_of(object.object("lens")),
      .orthographic = object.flag("orthographic", false)};
  if (!(glm::length(camera.up_world) > kLeast)) object.fail("up", "is zero, expected a direction");
  const std::vector<double> q = object.numbers("rotation", 4);
  const glm::dquat rotation(q[0], q[1], q[2], q[3]);
  if (!(std::abs(glm::length(rotation) - 1) < 1e-6)) {
    object.fail("rotation", "expected a quaternion of length 1: w, x, y, z");
  }
  camera.world_from_cam = rotation;
  return camera;
}

ProjectView project_view_of(const JsonObject& object, const json& raw) {
  const ProjectView usual;
  ProjectView view{.mode = object.text("mode", usual.mode),
                   .compare = object.text("compare", usual.compare),
                   .slice_axis = object.text("slice_axis", usual.slice_axis),
                   .sh_degree = usual.sh_degree,
                   .splat_scale = number_within(object, "splat_scale", usual.splat_scale, 0.05, 4),
                   .slice_place = number_within(object, "slice_place", usual.slice_place, -2, 2),
                   .split = number_within(object, "split", usual.split, 0, 1)};
  if (object.has("sh_degree")) {
    view.sh_degree = static_cast<int>(whole_at(object, "sh_degree", kMaxShDegree));
  }
  if (!object.has("settings")) return view;
  const JsonObject settings = object.object("settings");
  for (const auto& item : raw.at("settings").items()) {
    view.settings[item.key()] = settings.text(item.key().c_str(), "");
  }
  return view;
}

void read_parts(const JsonObject& top, const json& raw, const fs::path& file, Project& project) {
  const fs::path folder = file.parent_path();
  const std::size_t scenes = project.scenes.size();
  project.active = scene_index(top, "active", scenes);
  project.cameras = scene_index(top, "cameras", scenes);
  project.camera = project_camera_of(top.object("camera"));
  if (top.has("path")) {
    project.path = camera_path_of(top.object("path"), file.string() + ", path");
  }
  project.path_file = path_at(top, "path_file", folder);
  if (top.has("box")) {
    const JsonObject box = top.object("box");
    project.box = {oriented_box_of(box), scene_index(box, "scene", scenes)};
  }
  if (top.has("photograph")) {
    const JsonObject photograph = top.object("photograph");
    const auto scene = scene_index(photograph, "scene", scenes);
    if (!scene) photograph.fail("scene", "is missing");
    project.photograph = {*scene, photograph.text("name", "")};
  }
  if (top.has("time")) {
    const JsonObject time = top.object("time");
    project.time = {.time_s = number_within(time, "time_s", 0, 0, kMostUnits),
                    .speed = number_within(time, "speed", 1, 0.05, 16),
                    .loop = time.flag("loop", true)};
  }
  if (top.has("view")) project.view = project_view_of(top.object("view"), raw.at("view"));
  project.run = path_at(top, "run", folder);
  project.saved_in = path_at(top, "saved_in", folder);
}

}  // namespace

Project parse_project(std::string_view text, const fs::path& file) {
  constexpr std::size_t kMostScenes = 10000;
  const json raw = parsed_json(text, file.string(), "correct the file, or save the project again");
  const JsonObject top(raw, file.string());
  if (!raw.is_object() || top.text("type", "") != "mote project") {
    throw Error("is not a project of Mote: its `type` is not \"mote project\"", file.string(),
                "open a file that was saved with: Save project");
  }
  if (top.number("version") != 1) {
    top.fail("version", "is not supported, expected version 1; open it with a newer Mote");
  }
  Project project;
  const bool any = top.has("scenes") && !(raw["scenes"].is_array() && raw["scenes"].empty());
  if (any) {
    const std::vector<JsonObject> scenes = top.objects("scenes", "scene");
    if (scenes.size() > kMostScenes) {
      top.fail("scenes", fmt::format("has {}, expected at most {}", scenes.size(), kMostScenes));
    }
    for (const JsonObject& scene : scenes) {
      project.scenes.push_back(scene_of(scene, file.parent_path()));
    }
  }
  read_parts(top, raw, file, project);
  return project;
}

Project read_project(const fs::path& file) {
  return parse_project(read_text_file(file, kMaxProjectBytes), file);
}

bool is_project_path(const fs::path& path) {
  return lower_extension(path) == kProjectExtension;
}

}  // namespace mote
