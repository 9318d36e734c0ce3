// Updates the session: takes the workers' results and gives them new work.
#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "app/viewer/movement/moving.h"
#include "app/viewer/project/recovery.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/importing.h"
#include "app/viewer/session/settled_scene.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/picture_depth.h"
#include "app/viewer/view/thumbnails.h"
#include "app/viewer/workers/seconds.h"
#include "core/log.h"
#include "io/images/image_files.h"

namespace mote {
namespace {

bool same_camera(const Camera& a, const Camera& b) {
  return a.width == b.width && a.height == b.height && a.focal_px == b.focal_px &&
         a.center_px == b.center_px && a.cam_from_world == b.cam_from_world &&
         a.translation == b.translation;
}

/// Whether both show the same models and background; a photograph's score then holds for both.
bool same_models(const RenderRequest& a, const RenderRequest& b) {
  const bool same_scene =
      a.scene == b.scene || (a.scene && b.scene && same_content(*a.scene, *b.scene));
  return a.settings.background == b.settings.background && same_scene && a.training == b.training &&
         a.training_step == b.training_step;
}

/// Whether the same picture answers both, apart from its reduced size and from training steps.
bool same_view(const RenderRequest& a, const RenderRequest& b) {
  return same_camera(a.camera, b.camera) && a.time_s == b.time_s &&
         a.settings.background == b.settings.background &&
         a.settings.antialiased == b.settings.antialiased &&
         a.settings.precision == b.settings.precision && a.settings.marks == b.settings.marks &&
         a.settings.max_sh_degree == b.settings.max_sh_degree &&
         a.settings.splat_scale == b.settings.splat_scale &&
         a.settings.field_step == b.settings.field_step && a.settings.slice == b.settings.slice &&
         a.settings.surface_color == b.settings.surface_color &&
         a.settings.outputs.alpha == b.settings.outputs.alpha && a.mode == b.mode &&
         a.draft == b.draft && a.scene == b.scene && a.training == b.training;
}

bool shows_selection(const Documents& documents) {
  return std::ranges::any_of(documents.list(), [](const Document& document) {
    return document.shown && document.edit.selected > 0;
  });
}

}  // namespace

Viewer::Viewer(ViewerSetup setup) : session_(std::move(setup)) {
  for (const std::string& warning : session_.file.take_warnings()) {
    session_.notices.add(NoticeKind::warning, warning);
  }
  apply_settings(session_);
  apply_camera_settings(session_);
  resize(session_.settings().width, session_.settings().height);
}

Viewer::~Viewer() {
  // During an exception, the program does not end as the user asked for.
  if (session_.project.recovery) session_.project.recovery->close(std::uncaught_exceptions() > 0);
  try {
    session_.file.save();
  } catch (const Error& error) {
    log_warning("{}", error.what());
  }
}

void Viewer::perform(const ActionCall& call, Existing existing) {
  session_.input_s = now_s();
  ++session_.actions;
  session_.existing = existing;
  settings_due_ = true;
  mote::perform(session_, call);
}

void Viewer::act(const ActionCall& call) {
  try {
    perform(call);
  } catch (const Error& error) {
    session_.notices.add(NoticeKind::error, error.what());
  }
}

void Viewer::resize(int width, int height) {
  session_.view.area_width = std::clamp(width, 1, kMaxImageSide);
  session_.view.area_height = std::clamp(height, 1, kMaxImageSide);
  fit_picture(session_);
}

void Viewer::update(double dt_s) {
  // Read before the results are taken: a worker that is idle now has delivered everything.
  session_.loading = session_.loader.busy();
  session_.composing = session_.composer.busy();
  session_.editing = session_.edits.pending() > 0;
  save_settings();
  keep_project();
  const bool tasks = session_.has_tasks();
  take_loaded();
  take_composed();
  take_training();
  take_tasks();
  const bool writing = session_.video.busy() || session_.meshing.busy();
  session_.measuring = session_.benchmark.busy();
  session_.importing = session_.import_task.busy();
  take_long_tasks();
  fit_picture(session_);
  session_.navigator.set_size(session_.view.width, session_.view.height);
  check_mode();
  follow_path(dt_s);
  move_time(session_, dt_s);
  session_.navigator.advance(dt_s);
  request_picture();
  take_frame();
  session_.saving = tasks || writing || !session_.screenshots.empty();
  write_screenshots();
  ask_for_photograph(session_);
  ask_for_thumbnails(session_);
}

bool Viewer::busy() const {
  const bool flickers = session_.view.compare == Compare::flicker && comparing(session_);
  return flickers || (!session_.still && !session_.failed) || session_.loading ||
         session_.composing || session_.editing || session_.saving || session_.measuring ||
         session_.importing || session_.path.playing() || session_.clock.playing() ||
         !session_.in_time ||
         (session_.training.status.phase != TrainPhase::idle &&
          session_.training.status.phase != TrainPhase::paused);
}

/// Keeps changed settings and recent files on disk, so that a crash does not lose them.
void Viewer::save_settings() {
  if (!std::exchange(settings_due_, false)) return;
  const auto write = session_.file.saving();
  if (!write) return;
  const auto job = [this, write] {
    std::string fault;
    try {
      write();
    } catch (const Error& error) {
      fault = error.what();
    }
    return [this, fault] {
      if (!fault.empty()) session_.notices.add(NoticeKind::warning, fault);
    };
  };
  session_.tasks.add(job, true);
}

void Viewer::take_composed() {
  for (const std::string& fault : session_.composer.take_faults()) {
    session_.notices.add(NoticeKind::error, fault);
  }
  auto scene = session_.composer.take();
  if (!scene) return;
  if (session_.clock.playing()) session_.moments.add(now_s());
  session_.let_go(std::exchange(session_.scene, std::move(scene)));
}

void Viewer::take_training() {
  TrainView& training = session_.training;
  training.status = session_.trainer.status();
  if (session_.trainer.refresh(training.history, training.history_known)) {
    ++training.history_number;
    training.history_of = 0;
  }
  for (TrainSnapshotNews& news : session_.trainer.take_snapshots()) {
    const Document* document = session_.documents.find(training.document);
    if (document == nullptr) continue;
    std::shared_ptr<const ModelSource> former =
        StillModel{document->scene, document->field, document->stream}.source();
    session_.documents.set_model(training.document, std::move(news.model), news.extent);
    session_.let_go(std::move(former));
    training.snapshot_step = news.step;
    if (std::exchange(training.to_be_framed, false)) look_at_everything(session_);
  }
  const bool trains = training.status.phase != TrainPhase::idle;
  if (trains && session_.documents.find(training.document) != nullptr) {
    session_.documents.set_count(training.document, training.status.count);
    session_.documents.set_times(training.document, training.status.times);
  }
  for (const TrainEnd& end : session_.trainer.take_ends()) {
    if (!end.fault.empty()) {
      session_.notices.add(NoticeKind::error, end.fault);
    } else {
      session_.notices.add(NoticeKind::info,
                           fmt::format("{}: training {} after step {}", end.out.string(),
                                       end.stopped ? "stopped" : "done", end.step));
    }
    if (const Document* document = session_.documents.find(training.document)) {
      if (has_model(*document)) {
        session_.documents.end_training(document->id, whole_path(end.out), run_format(end.scene));
      } else {
        session_.documents.remove(document->id);
      }
    }
    session_.documents.set_run(end.run);
    training.document = 0;
    training.end = end;
  }
}

void Viewer::take_tasks() {
  for (TaskWorker* worker : {&session_.tasks, &session_.edits, &session_.writer}) {
    for (const std::string& fault : worker->take_faults()) {
      session_.notices.add(NoticeKind::error, fault);
    }
    for (const TaskWorker::Reply& reply : worker->take()) reply();
  }
}

void Viewer::take_long_tasks() {
  for (LongTask* task :
       {&session_.video, &session_.benchmark, &session_.meshing, &session_.import_task}) {
    for (const LongTaskEnd& end : task->take_ends()) {
      if (task == &session_.import_task) end_import(session_, end);
      if (!end.fault.empty()) session_.notices.add(NoticeKind::error, end.fault);
      if (end.cancelled) {
        session_.notices.add(NoticeKind::info, fmt::format("{}: cancelled", end.name));
      }
    }
    for (const LongTask::Reply& reply : task->take()) reply();
  }
}

/// A camera movement by the user stops the playback of the path.
void Viewer::follow_path(double dt_s) {
  PathEditor& path = session_.path;
  if (was_playing_ && !alike(session_.navigator.target(), on_path_)) path.stop();
  was_playing_ = path.playing();
  if (!was_playing_) return;
  path.advance(dt_s);
  stand_on_path(session_, true);
  on_path_ = session_.navigator.target();
  was_playing_ = path.playing();
}

/// Leaves a display mode, or an orthographic view, that the models that are shown now do not have.
void Viewer::check_mode() {
  if (session_.navigator.is_orthographic() && shows_field(session_)) {
    session_.navigator.set_orthographic(false);
    session_.notices.add(NoticeKind::info,
                         "the orthographic view ended, because neural fields have none");
  }
  const std::string_view fault = mode_fault(session_, *session_.view.mode);
  if (fault.empty()) return;
  session_.notices.add(NoticeKind::info, fmt::format("the mode {} ended, because {}",
                                                     session_.view.mode->name, fault));
  session_.view.mode = &render_modes().front();
}

void Viewer::compose() {
  auto [wanted, sources] = shown_parts(session_);
  const bool live = session_.trainer.active() && shows_training_alone(session_.documents);
  place_scene();
  if (live || wanted == asked_) return;
  asked_ = wanted;
  if (sources.empty()) {
    session_.scene.reset();
  } else {
    session_.composer.ask(std::move(wanted), std::move(sources));
    session_.composing = true;
  }
}

/// Draws the shown scene where its documents are now.
void Viewer::place_scene() {
  if (!session_.scene) return;
  const ComposedScene& scene = *session_.scene;
  std::vector<Similarity> places = scene.places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Document* document = session_.documents.find(scene.combination.items[i].document);
    if (document != nullptr) places[i] = document->transform;
  }
  if (places != scene.places) session_.scene = placed(scene, std::move(places), session_.device);
}

void Viewer::render() {
  // A drag arrives as many small movements.
  constexpr double kInputRest_s = 0.1, kTrainingInterval_s = 0.05, kSnapshotInterval_s = 5;
  const double now = now_s();
  const ViewerSettings& settings = session_.settings();
  const bool live = session_.trainer.active() && shows_training_alone(session_.documents);
  RenderRequest request{
      .camera = session_.camera(),
      .time_s = live || shows_motion(session_.documents) ? session_.clock.time_s() : 0,
      .mode = session_.view.mode,
      .scene = live ? nullptr : session_.scene,
      .training = live,
      .training_step = live ? session_.training.status.step : 0,
      .field = shows_field(session_),
      .draft = live && session_.training.status.phase != TrainPhase::paused &&
               session_.screenshots.empty(),
      .depth_before = session_.navigator.is_orthographic()
                          ? orthographic_retreat(session_.navigator.pose().focus_distance)
                          : 0,
      .actions = session_.actions,
      .target_ms = 1e3 / settings.target_fps,
      .asked_s = session_.input_s};
  // The previous picture stays until the new one is complete.
  if (!live && session_.composing && session_.frame != nullptr && session_.frame->training) return;
  request.settings = render_settings(session_);
  // Screenshots and comparisons show the scene, not the work on it.
  request.settings.marks =
      session_.screenshots.empty() && !comparing(session_) && shows_selection(session_.documents);
  const bool changed = !any_request_ || !same_view(request, request_);
  request.moving = session_.navigator.moving() || session_.path.playing() || flows(session_) ||
                   (changed && now - session_.input_s < kInputRest_s && settings.smoothing > 0);
  // A click reads the focus from the depth.
  if (!request.moving || marks_need_depth(session_)) request.settings.outputs.depth = true;
  const TrainView& training = session_.training;
  // Waits until the last picture is complete, since a still view is shown and saved at full size. A
  // screenshot shows the current state.
  const bool due = session_.frame == nullptr || !session_.frame->training ||
                   (session_.frame->complete && session_.screenshots.empty() &&
                    session_.frame->training_step != training.status.step);
  const bool trained_on = live && due && now - training_asked_s_ > kTrainingInterval_s;
  if (training.document != 0 && !live && now - snapshot_asked_s_ > kSnapshotInterval_s &&
      training.snapshot_step != training.status.step) {
    session_.trainer.ask_snapshot();
    snapshot_asked_s_ = now;
  }
  const bool other = changed || request.moving != request_.moving;
  session_.actions_asked = session_.actions;
  if (!other && !trained_on) return;
  request.again = !other && session_.frame != nullptr && session_.frame->training;
  if (session_.photograph && any_request_ && !same_models(request, request_)) {
    session_.photograph->score.reset();
  }
  request_ = request;
  any_request_ = true;
  training_asked_s_ = now;
  const std::uint64_t number = session_.renderer.ask(std::move(request));
  if (other) {
    session_.last_request = number;
    session_.failed = false;
  }
}

void Viewer::take_frame() {
  for (const std::string& fault : session_.renderer.take_faults()) {
    session_.notices.add(NoticeKind::error, fault);
    session_.failed = true;
    session_.screenshots.clear();
  }
  for (const std::string& fault : session_.renderer.sharing().take_faults()) {
    session_.notices.add(NoticeKind::warning, fault);
  }
  session_.frame = session_.renderer.newest();
  session_.still = session_.frame != nullptr && session_.frame->complete &&
                   !session_.frame->shared && session_.frame->request >= session_.last_request &&
                   !session_.navigator.moving() && !session_.composing && session_.in_time &&
                   !session_.clock.playing();
}

void Viewer::write_screenshots() {
  if (session_.screenshots.empty() || !session_.still || session_.loading || session_.editing)
    return;
  for (const NamedFile& order : session_.screenshots) {
    const Image& shown = session_.frame->picture();
    auto copy = std::make_shared<Image>();
    copy->resize_discard(shown.width, shown.height, shown.channels);
    std::copy(shown.pixels.span().begin(), shown.pixels.span().end(), copy->pixels.data());
    write([copy] { return std::move(*copy); }, order,
          [this, path = order.path] {
            session_.notices.add(NoticeKind::info, fmt::format("{}: written", path.string()));
          });
  }
  session_.screenshots.clear();
}

void Viewer::write(std::function<Image()> picture, NamedFile file, TaskWorker::Reply written) {
  const auto job = [picture = std::move(picture), file = std::move(file),
                    written = std::move(written)] {
    write_png(picture(), file.path, file.existing);
    return written;
  };
  session_.writer.add(job, true);
}

}  // namespace mote
