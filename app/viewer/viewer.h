#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "app/viewer/session.h"

namespace mote {

/// The application without a window. One thread calls it, and never waits for a worker.
class Viewer {
 public:
  explicit Viewer(ViewerSetup setup);
  /// Stops what is at work: a run under training saves a checkpoint. Keeps the settings.
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  /// Everything that there is to be shown.
  const Session& session() const { return session_; }

  /// For who shows pictures on the device that renders them; null where none does.
  PictureSharing* sharing() {
    return session_.device.shares_pictures() ? &session_.renderer.sharing() : nullptr;
  }

  /// Does what a line of the script language says; what goes wrong becomes a notice.
  void act(std::string_view line);
  /// The same, but throws Error or UsageError, also where it names a file as output that exists and
  /// is to stay.
  void perform(std::string_view line, Existing existing = Existing::replace);

  /// Tells the user something.
  void tell(NoticeKind kind, std::string text) { session_.notices.add(kind, std::move(text)); }
  /// Writes as a PNG, by a worker, what `picture` makes there; then calls `written`, which may be
  /// empty, from update().
  void write(std::function<Image()> picture, NamedFile file, TaskWorker::Reply written = {});
  /// What the window itself keeps of it.
  WindowState& window() { return session_.window; }

  /// The size of the area where the picture is shown, px.
  void resize(int width, int height);
  /// Takes in what the workers have done, moves the camera on and asks for a new picture where it
  /// would differ. To be called for every frame of a window; `dt_s` is the time since the last
  /// call.
  void update(double dt_s);

  /// Whether anything goes on that will change what is shown: else a window may sleep until the
  /// next input.
  bool busy() const;

 private:
  void take_loaded();
  void make_way(std::uint32_t id);
  void take_opened(Opened& opened);
  std::shared_ptr<Movement> movement_of(std::unique_ptr<MovingScene> scene) const;
  void take_composed();
  void take_training();
  void take_tasks();
  void take_long_tasks();
  void follow_path(double dt_s);
  void compose();
  void render();
  void take_frame();
  void write_screenshots();

  Session session_;
  Combination asked_;      // of the composer
  RenderRequest request_;  // the last one
  bool any_request_ = false;
  Pose on_path_;  // as playing has left it
  bool was_playing_ = false;
  double training_asked_s_ = 0, snapshot_asked_s_ = 0;
};

}  // namespace mote
