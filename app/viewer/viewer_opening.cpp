// Takes opened paths into the session.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "app/viewer/project/project_opening.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/importing.h"
#include "app/viewer/session/run_curves.h"
#include "app/viewer/viewer.h"

namespace mote {

void Viewer::take_loaded() {
  for (LoadResult& result : session_.loader.take()) {
    const auto scene = scene_of_order(session_.project, result.tag);
    if (is_stale_order(session_.project, result.tag)) {
      session_.let_go(result.opened.model.source());
    } else if (result.cancelled) {
      session_.notices.add(NoticeKind::info,
                           fmt::format("{}: not opened", result.opened.path.string()));
    } else if (!result.fault.empty()) {
      session_.notices.add(NoticeKind::error, result.fault);
    } else if (result.opened.project) {
      take_project(result.opened);
    } else if (scene) {
      take_project_scene(session_, *scene, add_document(result.opened));
    } else if (!result.opened.to_import.empty()) {
      take_photographs(result.opened);
    } else {
      take_opened(result.opened);
    }
  }
  if (session_.project.opening && !session_.loading) end_project_opening(session_);
}

/// Offers the import of photographs without poses.
void Viewer::take_photographs(const Opened& opened) {
  const std::string path = opened.path.string();
  if (!session_.window.is_there) {
    session_.notices.add(
        NoticeKind::error,
        fmt::format("{}: needs the poses of its photographs; find them with: import photographs "
                    "PATH, import start",
                    path));
    return;
  }
  try {
    choose_photographs(session_, opened.to_import);
    session_.notices.add(NoticeKind::info,
                         fmt::format("{}: the poses of its photographs are to be found first: see "
                                     "the import panel",
                                     path));
  } catch (const Error& error) {
    session_.notices.add(NoticeKind::error, error.what());
  }
}

/// Adds the document with its cameras.
std::uint32_t Viewer::add_document(Opened& opened) {
  for (const std::string& warning : opened.warnings) {
    session_.notices.add(NoticeKind::warning, fmt::format("{}: {}", opened.path.string(), warning));
  }
  Document document{.name = opened.name,
                    .source = opened.path.empty() ? opened.path : whole_path(opened.path),
                    .format = opened.format,
                    .scene = opened.model.splats,
                    .field = opened.model.field,
                    .stream = opened.model.stream,
                    .points = opened.dataset && opened.model.splats,
                    .extent = opened.extent,
                    .run = opened.run,
                    .data = opened.data,
                    .target = opened.target};
  if (opened.moving) document.movement = movement_of(std::move(opened.moving));
  CameraSet set;
  if (opened.dataset) {
    set = cameras_of(opened.dataset);
  } else if (!opened.views.empty()) {
    set = cameras_of(opened.views);
  }
  const bool any_cameras = !set.views.empty();
  if (any_cameras && !has_model(document)) document.extent = set.reach;
  const std::uint32_t id = session_.documents.add(std::move(document));
  show_curves_of(session_, id);
  if (any_cameras) {
    set.id = id;
    set.name = session_.documents.find(id)->name;
    set.source = session_.documents.find(id)->source;
    session_.cameras.push_back(std::move(set));
    session_.chosen_cameras = 0;
  }
  return id;
}

void Viewer::take_opened(Opened& opened) {
  const bool first = session_.documents.empty();
  session_.file.add_recent(opened.path);
  settings_due_ = true;
  const std::uint32_t id = add_document(opened);
  make_way(id);
  const CameraSet* cameras = session_.find_cameras(id);
  if (first && cameras != nullptr) session_.navigator.set_up(up_of(*cameras));
  // The first opened path sets the view: to its first photograph, or to where all of it is visible.
  // From a photograph without points, only some of the cameras would be seen.
  if (!first || opened.target) return;
  if (cameras != nullptr) session_.navigator.set_lens(cameras->views.front().camera);
  if (cameras != nullptr && has_model(*session_.documents.find(id))) {
    const CameraSet& only = *cameras;
    session_.navigator.go_to(pose_of(only.views.front().camera, only.focus_distance), true);
  } else {
    look_at_everything(session_);
  }
}

std::shared_ptr<Movement> Viewer::movement_of(std::unique_ptr<MovingScene> scene) const {
  const ViewerSettings& settings = session_.settings();
  scene->set_frames_per_second(settings.sequence.frames_per_second);
  scene->set_memory_bytes(settings.sequence.memory_bytes());
  auto movement = std::make_shared<Movement>();
  movement->shown = scene->look_at({.time_s = session_.clock.time_s()});
  movement->scene = std::move(scene);
  return movement;
}

/// Hides a dataset's points next to the model trained on it, in either order of opening; the points
/// would blur the model.
void Viewer::make_way(std::uint32_t id) {
  const auto is_of = [](const Document& run, const Document& dataset) {
    return run.shown && !run.run.dataset.empty() && run.run.dataset == dataset.source;
  };
  const Document opened = *session_.documents.find(id);
  for (const Document& other : std::vector<Document>(session_.documents.list())) {
    const bool hides_opened = is_of(other, opened);
    if (!hides_opened && !is_of(opened, other)) continue;
    const Document& dataset = hides_opened ? opened : other;
    if (!dataset.scene || !dataset.shown) continue;
    session_.documents.set_shown(dataset.id, false);
    session_.documents.set_active(hides_opened ? other.id : id);
    session_.notices.add(
        NoticeKind::info,
        fmt::format("{}: its points are hidden, because a run trained from them is shown",
                    dataset.name));
  }
}

}  // namespace mote
