#include "app/viewer/project/project_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <glm/gtc/quaternion.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "core/folders.h"
#include "io/projects/edits_file.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEditsExtension = ".edits";

/// The settings that belong to the view of a project, not to the user.
constexpr std::array<std::string_view, 14> kSettingsOfView{
    "background",   "run-background",  "antialiased", "field-step",   "frusta",
    "grid",         "exposure",        "tone",        "backdrop",     "backdrop-color",
    "error-metric", "difference-gain", "camera-path", "surface-color"};

ProjectScene scene_of(const Session& session, const Document& document) {
  ProjectScene scene{.name = document.name,
                     .path = document.source,
                     .data = document.data,
                     .shown = document.shown,
                     .placement = document.transform,
                     .colors = document.edit.colors};
  if (document.training) scene.path = whole_path(session.training.status.out);
  if (scene.path.empty()) scene.format = document.format;
  if (document.field) scene.crops = document.field->crops();
  if (document.stream) scene.crops = document.stream->edit().crops;
  if (document.movement) {
    scene.crops = document.movement->edits.now().crops;
    scene.frames_per_second = document.movement->scene->frames_per_second();
  }
  return scene;
}

std::optional<std::size_t> index_of(const Session& session, std::uint32_t id) {
  const std::vector<Document>& list = session.documents.list();
  const auto found = std::ranges::find(list, id, &Document::id);
  if (found == list.end()) return {};
  return static_cast<std::size_t>(found - list.begin());
}

ProjectCamera camera_now(const Navigator& navigator) {
  const Pose& pose = navigator.target();
  Camera lens = navigator.lens();
  lens.lens = nullptr;
  lens.motion = nullptr;
  return {.position_world = pose.eye_world,
          .world_from_cam = glm::normalize(pose.world_from_cam),
          .focus_distance = pose.focus_distance,
          .up_world = navigator.up_world(),
          .speed = navigator.speed(),
          .lens = lens,
          .orthographic = navigator.is_orthographic()};
}

ProjectView view_now(const Session& session) {
  const ViewOptions& view = session.view;
  ProjectView result{.mode = std::string(view.mode->name),
                     .compare = std::string(kCompareNames[static_cast<std::size_t>(view.compare)]),
                     .slice_axis = view.slice.axis,
                     .sh_degree = view.max_sh_degree,
                     .splat_scale = static_cast<double>(view.splat_scale),
                     .slice_place = view.slice.place,
                     .split = view.split};
  ViewerSettings settings = session.settings();
  OptionTable table;
  settings.describe(table);
  for (const std::string_view name : kSettingsOfView) {
    result.settings.emplace(name, option_text(*table.find(name)));
  }
  return result;
}

/// The parts that project_essence() covers, and the rest.
Project project_now(const Session& session) {
  Project project;
  for (const Document& document : session.documents.list()) {
    project.scenes.push_back(scene_of(session, document));
  }
  for (const ProjectScene& scene : session.project.missing) project.scenes.push_back(scene);
  if (const Document* active = session.documents.active()) {
    project.active = index_of(session, active->id);
  }
  project.cameras = index_of(session, session.chosen_cameras);
  project.camera = camera_now(session.navigator);
  if (!session.path.empty()) {
    project.path = session.path.path();
    if (!session.path.file().empty()) project.path_file = whole_path(session.path.file());
  }
  if (session.box) project.box = {*session.box, index_of(session, session.box_scene)};
  if (session.photograph) {
    const CameraSet* set = session.find_cameras(session.photograph->set);
    const auto scene = index_of(session, session.photograph->set);
    if (set != nullptr && scene) {
      project.photograph = {*scene, set->views[session.photograph->index].name};
    }
  }
  project.time = {.time_s = session.clock.time_s(),
                  .speed = session.clock.speed(),
                  .loop = session.clock.loop()};
  project.view = view_now(session);
  const fs::path& out = session.training.status.out;
  project.run = out.empty() ? session.project.run : whole_path(out);
  return project;
}

/// Writes the edits to a file whose name says what they are, if there is none yet.
fs::path write_edits_in(const fs::path& folder, const SplatEdits& edits) {
  const fs::path file = folder / fmt::format("{:016x}{}", fingerprint_of(edits), kEditsExtension);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    make_folders(folder);
    write_edits(edits, file);
  }
  return file;
}

/// Edits of a missing scene, which go with the project to its new folder. Unreadable ones stay
/// where they are: the message about the scene has named them.
fs::path moved_edits(const fs::path& file, const fs::path& folder) {
  SplatEdits edits;
  try {
    edits = read_edits(file);
  } catch (const Error&) {
    return file;
  }
  return write_edits_in(folder, edits);
}

/// Whether a name is one that write_edits_in() gives.
bool is_edits_name(const fs::path& file) {
  const std::string stem = file.stem().string();
  return file.extension() == kEditsExtension && stem.size() == 16 &&
         stem.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Removes the files of edits that are not in `kept`, and the folder if it is empty then.
void clear_edits(const fs::path& folder, const std::set<fs::path>& kept) {
  std::error_code ignored;
  for (const fs::path& file : folder_entries(folder)) {
    if (is_edits_name(file) && !kept.contains(file)) fs::remove(file, ignored);
  }
  const std::array<fs::path, 1> folders{folder};
  remove_empty_folders(folders);
}

}  // namespace

ProjectOrder project_order(const Session& session) {
  ProjectOrder order{.project = project_now(session),
                     .essence = project_essence(session),
                     .path_version = session.path.version()};
  const std::vector<Document>& list = session.documents.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Document& document = list[i];
    if (document.training) continue;
    order.states.emplace_back(document.id, SavedState{document.edit.content, document.transform});
    if (!document.scene) continue;
    order.sources.push_back({i, document.scene, document.source.empty()});
  }
  return order;
}

std::string project_essence(const Session& session) {
  Project project = project_now(session);
  const Project usual;
  project.active = project.cameras = {};
  project.camera = usual.camera;
  project.photograph.reset();
  project.time = usual.time;
  project.view = usual.view;
  project.run.clear();
  std::string essence = project_text(project, "/");
  for (const Document& document : session.documents.list()) {
    essence +=
        fmt::format("{} {}\n", document.training ? 0 : document.edit.content, document.edit.hidden);
  }
  return essence;
}

fs::path edits_folder(const fs::path& file) {
  return file.parent_path() / (file.stem().string() + "_edits");
}

void write_project(ProjectOrder order, const fs::path& file, Existing existing) {
  const fs::path folder = edits_folder(file);
  std::set<fs::path> kept;
  for (ProjectScene& scene : order.project.scenes) {
    if (scene.edits.empty()) continue;
    if (scene.edits.parent_path() != folder) scene.edits = moved_edits(scene.edits, folder);
    kept.insert(scene.edits);
  }
  for (const ProjectOrder::Source& source : order.sources) {
    ProjectScene& scene = order.project.scenes[source.scene];
    const SplatEdits edits = source.splats->look([&](const SplatEditor& editor) {
      scene.colors = editor.colors();
      return editor.edits(source.whole);
    });
    if (edits.empty() && !source.whole) continue;
    scene.edits = write_edits_in(folder, edits);
    kept.insert(scene.edits);
  }
  OutputFile out(file, existing);
  out.write(project_text(order.project, file.parent_path()));
  out.commit();
  clear_edits(folder, kept);
}

void remove_project(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
  clear_edits(edits_folder(file), {});
}

}  // namespace mote
