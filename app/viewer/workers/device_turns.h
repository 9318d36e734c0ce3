#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "app/viewer/workers/seconds.h"
#include "backend/backend.h"
#include "train/run/trainer.h"

namespace mote {

/// Purpose for which a worker uses the device. Uploads are rare and are not counted in any share.
enum class DeviceUser { view, upload, training };

/// Schedules one backend between several workers, one at a time, as the backend requires. Viewing
/// and training share one device: two thread pools on the same cores, or two contexts on one GPU,
/// would slow each other down in a way that no setting controls. A turn is a frame, an upload or a
/// training step.
class DeviceTurns {
 public:
  /// `clock` returns seconds since a fixed moment and never decreases.
  explicit DeviceTurns(std::unique_ptr<Backend> backend, std::function<double()> clock = now_s)
      : backend_(std::move(backend)), clock_(std::move(clock)) {}

  /// Holds the device until it is destroyed.
  class Turn {
   public:
    Turn(DeviceTurns& device, DeviceUser user);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    Backend& backend() const { return *device_.backend_; }
    /// The trainer at work, for rendering from it; null if there is none.
    Trainer* trainer() const { return device_.trainer_; }
    /// Sets the trainer that others may render from in their turns; null removes it.
    void set_trainer(Trainer* trainer) { device_.trainer_ = trainer; }
    /// Yields the device if another user is due, then takes it again.
    void pass();
    /// Releases the device until resume(), for a pause.
    void suspend();
    void resume();

   private:
    DeviceTurns& device_;
    DeviceUser user_;
    double since_s_ = 0;
    bool held_ = false;
  };

  /// Share of device time for viewing while training also runs, 0 to 0.95. With 0 the view freezes
  /// until training pauses.
  void set_view_share(double share);
  /// Marks training as active, between its turns as well.
  void set_training(bool active);
  /// Number of threads that wait for a view turn.
  int views_waiting() const;
  /// The backend's description.
  std::string description() const { return backend_->description(); }
  /// For objects that are used in turns only.
  Backend& backend_for_turns() const { return *backend_; }
  bool shares_pictures() const { return backend_->shares_pictures(); }

 private:
  friend class Turn;
  void take(DeviceUser user, std::unique_lock<std::mutex>& lock);
  void give_back(DeviceUser user, double seconds);
  bool view_may() const;

  std::unique_ptr<Backend> backend_;
  std::function<double()> clock_;
  Trainer* trainer_ = nullptr;  // accessed only within turns
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false, training_ = false;
  int views_waiting_ = 0, uploads_waiting_ = 0;
  double view_share_ = 0.3;
  /// Device time owed to training for the frames it let pass, s. Negative: owed to the view.
  double owed_s_ = 0;
};

}  // namespace mote
