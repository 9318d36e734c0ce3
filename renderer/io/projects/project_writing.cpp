#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/cameras/camera_path_json.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json three_json(const glm::dvec3& v) {
  return {v.x, v.y, v.z};
}

/// In rows.
json rotation_json(const glm::dmat3& m) {
  json rows = json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({m[0][i], m[1][i], m[2][i]});
  return rows;
}

json oriented_box_json(const OrientedBox& box) {
  return {{"center", three_json(box.center)},
          {"half_size", three_json(box.half_size)},
          {"rotation", rotation_json(box.rotation)}};
}

json placement_json(const Similarity& placement) {
  return {{"scale", placement.scale},
          {"rotation", rotation_json(placement.rotation)},
          {"translation", three_json(placement.translation)}};
}

json colors_json(const ColorAdjustment& colors) {
  return {{"exposure", colors.exposure},
          {"tint", three_json(colors.tint)},
          {"saturation", colors.saturation},
          {"contrast", colors.contrast}};
}

std::string path_text(const fs::path& path, const fs::path& folder) {
  return path.lexically_proximate(folder).generic_string();
}

json scene_json(const ProjectScene& scene, const fs::path& folder) {
  json object{{"name", scene.name}, {"shown", scene.shown}};
  if (!scene.path.empty()) object["path"] = path_text(scene.path, folder);
  if (!scene.format.empty()) object["format"] = scene.format;
  if (scene.data) {
    object["data"] = {{"bytes", scene.data->bytes},
                      {"fingerprint", fmt::format("{:016x}", scene.data->fingerprint)}};
  }
  if (!is_identity(scene.placement)) object["placement"] = placement_json(scene.placement);
  if (scene.colors != ColorAdjustment()) object["colors"] = colors_json(scene.colors);
  for (const OrientedBox& box : scene.crops) object["crops"].push_back(oriented_box_json(box));
  if (!scene.edits.empty()) object["edits"] = path_text(scene.edits, folder);
  if (scene.frames_per_second > 0) object["fps"] = scene.frames_per_second;
  return object;
}

json camera_json(const ProjectCamera& camera) {
  const glm::dquat& q = camera.world_from_cam;
  const Camera& lens = camera.lens;
  return {{"position", three_json(camera.position_world)},
          {"rotation", {q.w, q.x, q.y, q.z}},
          {"focus_distance", camera.focus_distance},
          {"up", three_json(camera.up_world)},
          {"speed", camera.speed},
          {"orthographic", camera.orthographic},
          {"lens",
           {{"size", {lens.width, lens.height}},
            {"focal_px", {lens.focal_px.x, lens.focal_px.y}},
            {"center_px", {lens.center_px.x, lens.center_px.y}}}}};
}

json view_json(const ProjectView& view) {
  return {{"mode", view.mode},
          {"compare", view.compare},
          {"split", view.split},
          {"sh_degree", view.sh_degree},
          {"splat_scale", view.splat_scale},
          {"slice_axis", view.slice_axis},
          {"slice_place", view.slice_place},
          {"settings", view.settings}};
}

}  // namespace

std::string project_text(const Project& project, const fs::path& folder) {
  json scenes = json::array();
  for (const ProjectScene& scene : project.scenes) scenes.push_back(scene_json(scene, folder));
  json top{{"type", "mote project"},
           {"version", 1},
           {"scenes", std::move(scenes)},
           {"camera", camera_json(project.camera)},
           {"time",
            {{"time_s", project.time.time_s},
             {"speed", project.time.speed},
             {"loop", project.time.loop}}},
           {"view", view_json(project.view)}};
  if (project.active) top["active"] = *project.active;
  if (project.cameras) top["cameras"] = *project.cameras;
  if (project.path) top["path"] = camera_path_json(*project.path);
  if (!project.path_file.empty()) top["path_file"] = path_text(project.path_file, folder);
  if (project.box) {
    top["box"] = oriented_box_json(project.box->box);
    if (project.box->scene) top["box"]["scene"] = *project.box->scene;
  }
  if (project.photograph) {
    top["photograph"] = {{"scene", project.photograph->scene}, {"name", project.photograph->name}};
  }
  if (!project.run.empty()) top["run"] = path_text(project.run, folder);
  if (!project.saved_in.empty()) top["saved_in"] = path_text(project.saved_in, folder);
  return top.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace mote
