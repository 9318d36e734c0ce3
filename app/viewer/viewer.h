#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"

namespace mote {

/// The application without a window. One thread calls it. No call waits for a worker.
class Viewer {
 public:
  explicit Viewer(ViewerSetup setup);
  /// Stops running work; a training run saves a checkpoint first. Saves the settings.
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  /// Keeps unsaved changes for a crash from now on, and finds those of a program that crashed.
  void keep_for_crashes();

  /// The state to be shown.
  const Session& session() const { return session_; }

  /// For a window that shows pictures on the device which renders them; null if the device does not
  /// share them.
  PictureSharing* sharing() {
    return session_.device.shares_pictures() ? &session_.renderer.sharing() : nullptr;
  }

  /// Runs an action; errors become notices.
  void act(const ActionCall& call);
  /// Runs an action. Throws Error or UsageError, also if an output file exists and `existing`
  /// says to keep it.
  void perform(const ActionCall& call, Existing existing = Existing::replace);

  /// Shows a notice to the user.
  void tell(NoticeKind kind, std::string text) { session_.notices.add(kind, std::move(text)); }
  /// The same for a text that is in the log already.
  void tell_logged(NoticeKind kind, std::string text) {
    session_.notices.add_logged(kind, std::move(text));
  }
  /// Calls `picture` on a worker and writes its result as a PNG. Then update() calls `written`,
  /// which may be empty.
  void write(std::function<Image()> picture, NamedFile file, TaskWorker::Reply written = {});
  /// The window's own part of the session.
  WindowState& window() { return session_.window; }

  /// Sets the size of the area for the picture, px.
  void resize(int width, int height);
  /// Takes the workers' results, moves the camera and requests a new picture if it would differ.
  /// Called once per frame; `dt_s` is the time since the last call.
  void update(double dt_s);
  /// Requests a new picture if it would differ. A window calls it after actions that update() has
  /// not seen, so that their picture is requested in the same frame.
  void request_picture() {
    compose();
    render();
  }

  /// Whether ongoing work will change what is shown. If not, a window may sleep until the next
  /// input.
  bool busy() const;

 private:
  void save_settings();
  void keep_project();
  void take_project(const Opened& opened);
  void take_loaded();
  void take_photographs(const Opened& opened);
  void make_way(std::uint32_t id);
  std::uint32_t add_document(Opened& opened);
  void take_opened(Opened& opened);
  std::shared_ptr<Movement> movement_of(std::unique_ptr<MovingScene> scene) const;
  void take_composed();
  void take_training();
  void take_tasks();
  void take_long_tasks();
  void follow_path(double dt_s);
  void check_mode();
  void compose();
  void place_scene();
  void render();
  void take_frame();
  void write_screenshots();

  Session session_;
  Combination asked_;      // the last request to the composer
  RenderRequest request_;  // the last request
  bool any_request_ = false;
  Pose on_path_;  // pose set by the last playback step
  bool was_playing_ = false;
  bool settings_due_ = false;  // settings or recent files may have changed
  double training_asked_s_ = 0, snapshot_asked_s_ = 0;
};

}  // namespace mote
