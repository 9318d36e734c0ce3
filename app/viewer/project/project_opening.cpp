#include "app/viewer/project/project_opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/viewer/movement/moving.h"
#include "app/viewer/project/project_scene.h"
#include "app/viewer/project/project_snapshot.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/close_document.h"
#include "app/viewer/session/run_curves.h"
#include "app/viewer/session/settled_scene.h"
#include "app/viewer/view/photograph_view.h"

namespace mote {
namespace {

void restore_edits(const ProjectScene& given, MovingEdits& edits) {
  for (const OrientedBox& box : given.crops) edits.crop(box);
  edits.set_colors(given.colors);
}

void close_everything(Session& session) {
  if (session.project.opening) session.loader.cancel();
  std::vector<std::uint32_t> ids;
  for (const Document& document : session.documents.list()) ids.push_back(document.id);
  for (const std::uint32_t id : ids) close_document(session, id);
  session.box.reset();
  session.path.stop();
  if (!session.path.empty()) session.path.clear();
  session.view.compare = Compare::off;
}

void apply_view_settings(Session& session, const Project& project) {
  const ViewerSettings before = session.settings();
  OptionTable table;
  session.file.settings.describe(table);
  for (const auto& [name, value] : project.view.settings) {
    const Option* option = table.find(name);
    const ViewerSettings kept = session.settings();
    try {
      if (option == nullptr) throw UsageError("is not a setting of this version", name, "");
      set_option(*option, value);
    } catch (const UsageError& error) {
      session.file.settings = kept;  // the value was set before it was refused
      session.notices.add(
          NoticeKind::warning,
          fmt::format("the project's setting {}: {}; it is left out", name, error.problem()));
    }
  }
  apply_changed_settings(session, before);
  ViewOptions& view = session.view;
  view.max_sh_degree = project.view.sh_degree;
  view.splat_scale = static_cast<float>(project.view.splat_scale);
  view.split = project.view.split;
  if (std::ranges::find(kSliceAxes, project.view.slice_axis) != kSliceAxes.end()) {
    view.slice = {project.view.slice_axis, project.view.slice_place};
  }
}

void restore_camera(Session& session, const ProjectCamera& camera) {
  Navigator& navigator = session.navigator;
  navigator.set_up(camera.up_world);
  navigator.set_lens(camera.lens);
  navigator.set_orthographic(camera.orthographic);
  navigator.set_speed(camera.speed);
  navigator.go_to({.eye_world = camera.position_world,
                   .world_from_cam = camera.world_from_cam,
                   .focus_distance = camera.focus_distance},
                  true);
}

void queue_scenes(Session& session, const OpeningProject& opening) {
  for (std::size_t i = 0; i < opening.project->scenes.size(); ++i) {
    const ProjectScene& scene = opening.project->scenes[i];
    const auto read = [project = opening.project, i, memory_gb = session.loader.splat_memory_gb()](
                          const ProgressCallback& progress) {
      return open_project_scene(project->scenes[i], memory_gb, progress);
    };
    session.loader.open({.path = scene.path.empty() ? scene.edits : scene.path,
                         .read = read,
                         .tag = opening.first_tag + i});
  }
  session.loading = true;
}

/// The document of a scene, 0 if it is not open.
std::uint32_t document_of(const Session& session, const OpeningProject& opening,
                          const std::optional<std::size_t>& scene) {
  const std::uint32_t id = scene ? opening.ids[*scene] : 0;
  return session.documents.find(id) != nullptr ? id : 0;
}

/// The photograph comes before the camera, whose view may have left it.
void go_to_photograph(Session& session, const OpeningProject& opening) {
  const auto& photograph = opening.project->photograph;
  const CameraSet* set =
      photograph ? session.find_cameras(opening.ids[photograph->scene]) : nullptr;
  if (set == nullptr) return;
  const auto found = std::ranges::find(set->views, photograph->name, &ViewMark::name);
  if (found == set->views.end()) return;
  stand_at(session, set->id, static_cast<std::size_t>(found - set->views.begin()));
  restore_camera(session, opening.project->camera);
  const auto compare = std::ranges::find(kCompareNames, opening.project->view.compare);
  if (compare != kCompareNames.end()) {
    session.view.compare = static_cast<Compare>(compare - kCompareNames.begin());
  }
}

void set_mode(Session& session, const std::string& name) {
  for (const RenderMode& mode : render_modes()) {
    if (mode.name == name && mode_fault(session, mode).empty()) session.view.mode = &mode;
  }
}

void set_time(Session& session, const ProjectTime& time) {
  session.clock.set_speed(time.speed);
  session.clock.set_loop(time.loop);
  move_time(session, 0);
  session.clock.seek(time.time_s);
}

}  // namespace

void begin_project(Session& session, std::shared_ptr<const Project> project,
                   const std::filesystem::path& file, bool recovered) {
  const std::string where = file.empty() ? "the recovered project" : file.string();
  if (session.trainer.active()) {
    throw Error("a run is active, so that its scene cannot be closed", where, "stop the run first");
  }
  if (session.project.saving) {
    throw Error("the open project is still being saved", where, "open it again");
  }
  close_everything(session);
  ProjectState& state = session.project;
  OpeningProject opening{.project = std::move(project), .recovered = recovered};
  opening.first_tag = state.last_tag + 1;
  opening.ids.resize(opening.project->scenes.size());
  state.last_tag += opening.ids.size();
  state.file = file;
  state.saved.clear();
  state.missing.clear();
  state.run = opening.project->run;
  if (opening.project->path) {
    // No file is known to hold a recovered path.
    session.path.open(*opening.project->path,
                      recovered ? std::filesystem::path() : opening.project->path_file);
  }
  state.path_version = recovered ? 0 : session.path.version();
  apply_view_settings(session, *opening.project);
  restore_camera(session, opening.project->camera);
  queue_scenes(session, opening);
  state.opening = std::move(opening);
}

std::optional<std::size_t> scene_of_order(const ProjectState& state, std::uint64_t tag) {
  if (!state.opening || tag < state.opening->first_tag) return {};
  const std::uint64_t scene = tag - state.opening->first_tag;
  if (scene >= state.opening->ids.size()) return {};
  return static_cast<std::size_t>(scene);
}

bool is_stale_order(const ProjectState& state, std::uint64_t tag) {
  return tag != 0 && !scene_of_order(state, tag);
}

void take_project_scene(Session& session, std::size_t scene, std::uint32_t id) {
  OpeningProject& opening = *session.project.opening;
  const ProjectScene& given = opening.project->scenes[scene];
  opening.ids[scene] = id;
  session.documents.set_shown(id, given.shown);
  session.documents.set_transform(id, given.placement);
  const Document& document = *session.documents.find(id);
  if (document.movement) {
    if (given.frames_per_second > 0) {
      document.movement->scene->set_frames_per_second(given.frames_per_second);
    }
    restore_edits(given, document.movement->edits);
    session.documents.set_edit(id, document.movement->state());
  }
  if (document.stream) {
    document.stream->change([&](MovingEdits& edits) { restore_edits(given, edits); });
    session.documents.set_edit(id, document.stream->state());
  }
  if (given.path.empty()) session.documents.set_saved(id, {kInNoFile, given.placement});
  if (!opening.recovered) {
    session.documents.set_in_project(id, {document.edit.content, document.transform});
  }
}

void end_project_opening(Session& session) {
  const OpeningProject opening = *std::exchange(session.project.opening, {});
  const Project& project = *opening.project;
  ProjectState& state = session.project;
  for (std::size_t i = 0; i < opening.ids.size(); ++i) {
    if (opening.ids[i] == 0) state.missing.push_back(project.scenes[i]);
  }
  if (const std::uint32_t id = document_of(session, opening, project.cameras))
    session.chosen_cameras = id;
  go_to_photograph(session, opening);
  for (const std::uint32_t id : opening.ids) {
    const Document* document = session.documents.find(id);
    const bool is_run = document != nullptr && document->run.folder == project.run;
    if (is_run && !project.run.empty()) show_curves_of(session, id);
  }
  if (const std::uint32_t id = document_of(session, opening, project.active)) {
    session.documents.set_active(id);
  }
  if (project.box) {
    session.box = project.box->box;
    session.box_scene = document_of(session, opening, project.box->scene);
  }
  set_time(session, project.time);
  set_mode(session, project.view.mode);
  if (opening.recovered) {
    session.notices.add(NoticeKind::info, "the recovered project is open; it is not saved yet");
    return;
  }
  state.saved = project_essence(session);
  session.notices.add(NoticeKind::info, fmt::format("{}: opened", state.file.string()));
}

}  // namespace mote
