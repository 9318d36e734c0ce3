// Reads a scene of a project and applies its edits, on the loader's thread.
#include "app/viewer/project/project_scene.h"

#include <fmt/format.h>

#include <limits>

#include <memory>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/spelling.h"
#include "io/projects/edits_file.h"
#include "io/projects/project_file.h"
#include "splats/extent.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Throws Error where the path cannot be a scene: it is missing, or a pipe, which would never end.
void check_path(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) {
    throw Error("is missing, so that its scene is not opened", path.string(),
                "put it back and open the project again; the project keeps the scene's edits");
  }
  if ((!fs::is_regular_file(status) && !fs::is_directory(status)) || is_project_path(path)) {
    throw Error("is not a scene", path.string(), "correct its path in the project's file");
  }
}

SplatEdits edits_of(const ProjectScene& scene) {
  check_path(scene.edits);
  return read_edits(scene.edits);
}

/// Why the edits do not fit the splats; empty if they do.
std::string misfit(const ProjectScene& scene, const SplatEdits& edits, const Opened& opened) {
  if (!opened.model.splats) return "it has no splats";
  if (scene.data && opened.data && *scene.data != *opened.data) {
    return "the file has changed since the project was saved";
  }
  return opened.model.splats->look([&](const SplatEditor& editor) -> std::string {
    if (editor.cloud().count() != edits.in_file()) {
      return fmt::format("they are for {}, and it has {}", number_of(edits.in_file(), "splat"),
                         editor.cloud().count());
    }
    if (editor.cloud().motion() != edits.values.motion()) {
      return fmt::format("they are for the motion {}, and its splats have the motion {}",
                         edits.values.info().motion_name, editor.cloud().info().motion_name);
    }
    if (editor.cloud().kind() != edits.values.kind()) {
      return fmt::format("they are for the kind {}, and its splats are of the kind {}",
                         edits.values.info().name, editor.cloud().info().name);
    }
    return {};
  });
}

/// A scene that no file holds but that of the edits.
Opened scene_of_edits(const ProjectScene& scene) {
  const SplatEdits edits = edits_of(scene);
  if (edits.in_file() > 0) {
    throw Error("holds changes of another file, not a whole scene", scene.edits.string(),
                "correct the project's file: the scene needs its `path`");
  }
  SplatCloud none(0, edits.values);
  Opened opened{.path = {}, .name = scene.name, .format = scene.format};
  opened.extent = scene_extent(edits.values);
  opened.model.splats = std::make_shared<EditableScene>(std::move(none));
  opened.model.splats->change([&](SplatEditor& editor) { editor.restore(edits, scene.colors); });
  return opened;
}

void apply_edits(const ProjectScene& scene, Opened& opened) {
  constexpr const char* kKept = "the project's file keeps them until it is saved again";
  if (scene.edits.empty()) return;
  SplatEdits edits;
  try {
    edits = edits_of(scene);
  } catch (const Error& error) {
    opened.warnings.push_back(fmt::format("its edits are left out: {}", error.what()));
    return;
  }
  const std::string fault = misfit(scene, edits, opened);
  if (!fault.empty()) {
    opened.warnings.push_back(fmt::format("its edits are left out: {}; {}", fault, kKept));
    return;
  }
  opened.model.splats->change([&](SplatEditor& editor) { editor.restore(edits, scene.colors); });
}

void apply_crops(const ProjectScene& scene, Opened& opened) {
  for (const OrientedBox& box : scene.crops) {
    // A scene that was streamed when the project was saved may fit into memory now.
    if (opened.model.splats) {
      opened.model.splats->change([&](SplatEditor& editor) { editor.crop(box); });
    }
    if (!opened.model.field) continue;
    try {
      opened.model.field->crop(box);
    } catch (const Error& error) {
      opened.warnings.push_back(fmt::format("a crop is left out: {}", error.what()));
    }
  }
}

}  // namespace

Opened open_project_scene(const ProjectScene& scene, double splat_memory_gb,
                          const ProgressCallback& progress) {
  if (scene.path.empty()) return scene_of_edits(scene);
  check_path(scene.path);
  // Edits need all splats in memory.
  if (!scene.edits.empty()) splat_memory_gb = std::numeric_limits<double>::infinity();
  Opened opened = open_path(scene.path, {}, progress, splat_memory_gb);
  opened.name = scene.name;
  const bool changed = scene.data && opened.data && *scene.data != *opened.data;
  if (changed && scene.edits.empty()) {
    opened.warnings.emplace_back("the file has changed since the project was saved");
  }
  apply_edits(scene, opened);
  // Colours need no file of edits.
  if (opened.model.splats && opened.model.splats->state().colors != scene.colors) {
    opened.model.splats->change([&](SplatEditor& editor) { editor.set_colors(scene.colors); });
  }
  apply_crops(scene, opened);
  return opened;
}

}  // namespace mote
