#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "app/viewer/seconds.h"
#include "backend/backend.h"
#include "train/trainer.h"

namespace mote {

/// What a worker wants the device for. Uploads are rare and count for nobody's share.
enum class DeviceUser { view, upload, training };

/// One backend, used by several workers in turns: one caller at a time, as it demands. Viewing and
/// training share one device instead of having one each, since two pools of threads on the same
/// cores, or two contexts on one GPU, slow each other down in ways that nobody can set. A turn is a
/// frame, an upload or a training step.
class DeviceTurns {
 public:
  /// `clock`: seconds since some moment, ever growing.
  explicit DeviceTurns(std::unique_ptr<Backend> backend, std::function<double()> clock = now_s)
      : backend_(std::move(backend)), clock_(std::move(clock)) {}

  /// Holds the device; gives it back at its end.
  class Turn {
   public:
    Turn(DeviceTurns& device, DeviceUser user);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    Backend& backend() const { return *device_.backend_; }
    /// The trainer at work, which may be rendered from; null where there is none.
    Trainer* trainer() const { return device_.trainer_; }
    /// Announces the trainer that the others may render from in their turns, or takes it back.
    void set_trainer(Trainer* trainer) { device_.trainer_ = trainer; }
    /// Lets others have the device where it is their turn, and takes it again.
    void pass();
    /// Gives the device back until resume(): a pause.
    void suspend();
    void resume();

   private:
    DeviceTurns& device_;
    DeviceUser user_;
    double since_s_ = 0;
    bool held_ = false;
  };

  /// How much of the device's time viewing gets while training wants it too, 0 to 0.95. With 0 the
  /// view stands still until training pauses.
  void set_view_share(double share);
  /// Whether somebody who wants the device for training goes on wanting it, between turns as well.
  void set_training(bool active);
  /// Those that wait for a turn to view.
  int views_waiting() const;
  /// Of the backend.
  std::string description() const { return backend_->description(); }
  bool shares_pictures() const { return backend_->shares_pictures(); }

 private:
  friend class Turn;
  void take(DeviceUser user, std::unique_lock<std::mutex>& lock);
  void give_back(DeviceUser user, double seconds);
  bool view_may() const;

  std::unique_ptr<Backend> backend_;
  std::function<double()> clock_;
  Trainer* trainer_ = nullptr;  // only within turns
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false, training_ = false;
  int views_waiting_ = 0, uploads_waiting_ = 0;
  double view_share_ = 0.3;
  /// To training, for the frames that it has let pass; below 0: to the view, which has waited.
  double owed_s_ = 0;
};

}  // namespace mote
