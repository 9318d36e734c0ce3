#include "app/viewer/workers/device_turns.h"

#include <algorithm>

#include "core/error.h"

namespace mote {

DeviceTurns::Turn::Turn(DeviceTurns& device, DeviceUser user) : device_(device), user_(user) {
  resume();
}

DeviceTurns::Turn::~Turn() {
  if (held_) suspend();
}

void DeviceTurns::Turn::suspend() {
  CHECK(held_);
  held_ = false;
  device_.give_back(user_, device_.clock_() - since_s_);
}

void DeviceTurns::Turn::resume() {
  CHECK(!held_);
  std::unique_lock lock(device_.mutex_);
  device_.take(user_, lock);
  held_ = true;
  since_s_ = device_.clock_();
}

void DeviceTurns::Turn::pass() {
  suspend();
  resume();
}

bool DeviceTurns::view_may() const {
  return !training_ || (view_share_ > 0 && owed_s_ <= 0);
}

void DeviceTurns::take(DeviceUser user, std::unique_lock<std::mutex>& lock) {
  switch (user) {
    case DeviceUser::view:
      ++views_waiting_;
      changed_.wait(lock, [&] { return !busy_ && view_may(); });
      --views_waiting_;
      break;
    case DeviceUser::upload:
      ++uploads_waiting_;
      changed_.wait(lock, [&] { return !busy_; });
      --uploads_waiting_;
      break;
    case DeviceUser::training:
      changed_.wait(lock, [&] {
        return !busy_ && uploads_waiting_ == 0 && !(views_waiting_ > 0 && view_may());
      });
      break;
  }
  busy_ = true;
}

void DeviceTurns::give_back(DeviceUser user, double seconds) {
  {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    if (user == DeviceUser::view && training_) {
      constexpr double kMostOwed_s = 3;  // one slow frame must not stop the view for long
      owed_s_ += seconds * (1 - view_share_) / std::max(view_share_, 1e-3);
      owed_s_ = std::min(owed_s_, kMostOwed_s);
    } else if (user == DeviceUser::training) {
      // A share above one half needs several frames between two steps.
      constexpr double kMostSaved_s = 1;
      owed_s_ = std::max(views_waiting_ > 0 ? -kMostSaved_s : 0.0, owed_s_ - seconds);
    }
  }
  changed_.notify_all();
}

int DeviceTurns::views_waiting() const {
  const std::lock_guard lock(mutex_);
  return views_waiting_;
}

void DeviceTurns::set_view_share(double share) {
  {
    const std::lock_guard lock(mutex_);
    view_share_ = std::clamp(share, 0.0, 0.95);
    owed_s_ = 0;
  }
  changed_.notify_all();
}

void DeviceTurns::set_training(bool active) {
  {
    const std::lock_guard lock(mutex_);
    training_ = active;
    owed_s_ = 0;
  }
  changed_.notify_all();
}

}  // namespace mote
