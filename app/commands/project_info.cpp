// `mote info` of a project: its scenes, camera, path and run, and the files that it lacks.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "app/commands/info_facts.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "io/projects/edits_file.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json place_json(const glm::dvec3& v) {
  return {v.x, v.y, v.z};
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Whether the scene's file is another one than when the project was saved.
bool has_changed(const ProjectScene& scene) {
  std::error_code ignored;
  if (!scene.data || !fs::is_regular_file(scene.path, ignored)) return false;
  return file_facts(scene.path) != *scene.data;
}

EditsFacts edits_facts(const fs::path& file) {
  EditsFacts facts{.file = file};
  try {
    const SplatEdits edits = read_edits(file);
    facts.selected = edits.selected.count();
    facts.hidden = edits.hidden.count();
    facts.deleted = edits.deleted.count();
    facts.moved = edits.changed.count();
    facts.added = edits.added();
  } catch (const Error& error) {
    facts.fault = error.what();
  }
  return facts;
}

SceneFacts scene_facts(const ProjectScene& scene) {
  SceneFacts facts{.name = scene.name, .path = scene.path, .shown = scene.shown};
  facts.missing = !scene.path.empty() && !is_there(scene.path);
  facts.changed = !facts.missing && has_changed(scene);
  facts.is_transformed = !is_identity(scene.placement);
  facts.is_colored = scene.colors != ColorAdjustment{};
  facts.crops = scene.crops.size();
  if (!scene.edits.empty()) facts.edits = edits_facts(scene.edits);
  return facts;
}

json scene_json(const SceneFacts& scene) {
  json result{{"name", scene.name},
              {"path", scene.path.string()},
              {"shown", scene.shown},
              {"missing", scene.missing},
              {"changed", scene.changed},
              {"transformed", scene.is_transformed},
              {"colored", scene.is_colored},
              {"crops", scene.crops},
              {"edits", nullptr}};
  if (!scene.edits) return result;
  const EditsFacts& edits = *scene.edits;
  result["edits"] = {{"file", edits.file.string()}, {"fault", edits.fault}};
  if (!edits.fault.empty()) return result;
  result["edits"]["selected"] = edits.selected;
  result["edits"]["hidden"] = edits.hidden;
  result["edits"]["deleted"] = edits.deleted;
  result["edits"]["moved"] = edits.moved;
  result["edits"]["added"] = edits.added;
  return result;
}

/// Text such as "1,204 splats deleted, 12 moved".
std::string edits_text(const EditsFacts& edits) {
  std::string text;
  const std::pair<std::size_t, const char*> counts[] = {{edits.deleted, "deleted"},
                                                        {edits.moved, "moved"},
                                                        {edits.added, "added"},
                                                        {edits.hidden, "hidden"},
                                                        {edits.selected, "selected"}};
  for (const auto& [count, what] : counts) {
    if (count == 0) continue;
    text += text.empty() ? fmt::format("{} {}", number_of(count, "splat"), what)
                         : fmt::format(", {} {}", count, what);
  }
  return text.empty() ? "no edits" : text;
}

std::string scene_text(const SceneFacts& scene) {
  std::string text = scene.name;
  if (!scene.shown) text += ", not shown";
  if (scene.missing) text += ", missing";
  if (scene.changed) text += ", changed since the project was saved";
  if (scene.is_transformed) text += ", transformed";
  if (scene.is_colored) text += ", with other colours";
  if (scene.crops > 0) text += ", " + number_of(scene.crops, "crop");
  if (scene.edits && scene.edits->fault.empty()) text += ", " + edits_text(*scene.edits);
  text += fmt::format("\n             {}\n",
                      scene.path.empty() ? "all of it is in the project" : scene.path.string());
  return text;
}

std::string path_text(const KeyframePath& path) {
  const double seconds = CameraSpline(path).duration_s();
  return fmt::format("{}, {:.4g} s{}", number_of(path.keyframes.size(), "keyframe"), seconds,
                     path.loop ? ", closed" : "");
}

std::vector<std::string> warnings_of(const ProjectFacts& facts) {
  std::vector<std::string> warnings;
  for (const SceneFacts& scene : facts.scenes) {
    if (scene.edits && !scene.edits->fault.empty()) warnings.push_back(scene.edits->fault);
  }
  for (const fs::path& file : facts.missing) {
    warnings.push_back(
        fmt::format("{} is missing; put it back, or correct its path in the "
                    "project's file",
                    file.string()));
  }
  return warnings;
}

}  // namespace

ProjectFacts measure_project(const fs::path& file) {
  ProjectFacts facts{.file = file, .project = read_project(fs::absolute(file).lexically_normal())};
  const auto note_missing = [&](const fs::path& path) {
    if (!path.empty() && !is_there(path)) facts.missing.push_back(path);
  };
  for (const ProjectScene& scene : facts.project.scenes) {
    facts.scenes.push_back(scene_facts(scene));
    note_missing(scene.path);
    // A missing file of edits has a fault already.
  }
  note_missing(facts.project.run);
  note_missing(facts.project.path_file);
  return facts;
}

json project_info_json(const ProjectFacts& facts) {
  const Project& project = facts.project;
  json scenes = json::array(), missing = json::array();
  for (const SceneFacts& scene : facts.scenes) scenes.push_back(scene_json(scene));
  for (const fs::path& file : facts.missing) missing.push_back(file.string());
  const ProjectCamera& camera = project.camera;
  json result{{"file", facts.file.string()},
              {"format", "Mote project"},
              {"scenes", scenes},
              {"active", nullptr},
              {"camera",
               {{"position", place_json(camera.position_world)},
                {"up", place_json(camera.up_world)},
                {"focus_distance", camera.focus_distance},
                {"width", camera.lens.width},
                {"height", camera.lens.height},
                {"orthographic", camera.orthographic}}},
              {"path", nullptr},
              {"run", nullptr},
              {"photograph", nullptr},
              {"mode", project.view.mode},
              {"crop_box", project.box.has_value()},
              {"missing", missing},
              {"warnings", warnings_of(facts)}};
  if (project.active) result["active"] = facts.scenes[*project.active].name;
  if (project.path) {
    result["path"] = {{"keyframes", project.path->keyframes.size()},
                      {"seconds", CameraSpline(*project.path).duration_s()},
                      {"file", project.path_file.string()}};
  }
  if (!project.run.empty()) result["run"] = project.run.string();
  if (project.photograph) result["photograph"] = project.photograph->name;
  return result;
}

std::string project_info_text(const ProjectFacts& facts) {
  const Project& project = facts.project;
  std::string text = fmt::format("{}\n", facts.file.string());
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<10} {}\n", name, value);
  };
  add("format", "Mote project");
  add("scenes", facts.scenes.empty() ? "none" : std::to_string(facts.scenes.size()));
  for (const SceneFacts& scene : facts.scenes) text += "           - " + scene_text(scene);
  if (project.active) add("active", facts.scenes[*project.active].name);
  const ProjectCamera& camera = project.camera;
  add("camera", fmt::format("at {:.4g} {:.4g} {:.4g}, {}x{}{}", camera.position_world.x,
                            camera.position_world.y, camera.position_world.z, camera.lens.width,
                            camera.lens.height, camera.orthographic ? ", orthographic" : ""));
  add("path", project.path ? path_text(*project.path) : "none");
  if (!project.path_file.empty()) add("path file", project.path_file.string());
  add("run", project.run.empty() ? "none" : project.run.string());
  if (project.photograph) add("photograph", project.photograph->name);
  add("mode", project.view.mode);
  if (project.box) add("crop box", "yes");
  const std::vector<std::string> warnings = warnings_of(facts);
  if (!warnings.empty()) text += "\n";
  for (const std::string& warning : warnings) text += fmt::format("  warning: {}\n", warning);
  return text;
}

}  // namespace mote
