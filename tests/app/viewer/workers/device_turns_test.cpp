#include "app/viewer/workers/device_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "support/fake_training.h"
#include "train/splats/splat_learner.h"

namespace mote {
namespace {

using std::chrono::milliseconds;

TEST(DeviceTurns, AdmitsOneUserAtATime) {
  DeviceTurns device(std::make_unique<FakeBackend>());
  std::atomic<int> inside{0}, turns{0};
  int plain = 0;  // lets the thread sanitizer see unguarded access
  device.set_training(true);
  device.set_view_share(0.5);
  const auto use = [&](DeviceUser user) {
    for (int i = 0; i < 200; ++i) {
      const DeviceTurns::Turn turn(device, user);
      EXPECT_EQ(++inside, 1);
      ++plain;
      ++turns;
      --inside;
    }
  };
  std::thread view([&] { use(DeviceUser::view); }), upload([&] { use(DeviceUser::upload); });
  use(DeviceUser::training);
  device.set_training(false);
  view.join();
  upload.join();
  EXPECT_EQ(turns, 600);
  EXPECT_EQ(plain, 600);
}

TEST(DeviceTurns, ExcludeAViewWithoutAShareUntilTrainingRests) {
  DeviceTurns device(std::make_unique<FakeBackend>());
  device.set_view_share(0);
  device.set_training(true);
  std::optional<DeviceTurns::Turn> training(std::in_place, device, DeviceUser::training);
  std::atomic<bool> seen{false};
  std::thread view([&] {
    const DeviceTurns::Turn turn(device, DeviceUser::view);
    seen = true;
  });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
    training->pass();
  }
  EXPECT_FALSE(seen);
  training->suspend();
  device.set_training(false);
  view.join();
  EXPECT_TRUE(seen);
}

TEST(DeviceTurns, DivideTheTimeByTheGivenShare) {
  DeviceTurns device(std::make_unique<FakeBackend>());
  device.set_view_share(0.25);
  device.set_training(true);
  std::atomic<bool> stop{false};
  std::atomic<int> frames{0};
  std::thread view([&] {
    while (!stop) {
      const DeviceTurns::Turn turn(device, DeviceUser::view);
      std::this_thread::sleep_for(milliseconds(2));
      ++frames;
    }
  });
  int steps = 0;
  {
    DeviceTurns::Turn training(device, DeviceUser::training);
    // Training gets three units for one of viewing: after these steps there are some frames, but no
    // more than about a third of the steps.
    for (; steps < 60; ++steps) {
      std::this_thread::sleep_for(milliseconds(2));
      training.pass();
    }
    stop = true;
  }
  device.set_training(false);
  view.join();
  EXPECT_GE(frames, 5);
  EXPECT_LE(frames, steps / 2);
}

/// Number of frames beside training steps of the same length, by a clock that advances only with
/// them. Expects at least `expected` frames.
int frames_beside(int steps, double share, double expected) {
  constexpr double kTurn_s = 1e-4;
  std::atomic<double> time_s{0};
  std::atomic<int> frames{0};
  std::atomic<bool> stop{false};
  DeviceTurns device(std::make_unique<FakeBackend>(), [&] { return time_s.load(); });
  device.set_view_share(share);
  device.set_training(true);
  std::thread view;
  {
    DeviceTurns::Turn training(device, DeviceUser::training);
    view = std::thread([&] {
      for (;;) {
        const DeviceTurns::Turn turn(device, DeviceUser::view);
        if (stop) return;
        time_s = time_s + kTurn_s;
        ++frames;
      }
    });
    for (int i = 0; i < steps; ++i) {
      while (device.views_waiting() == 0) std::this_thread::yield();
      time_s = time_s + kTurn_s;
      training.pass();
    }
    // A waiting view keeps the time that it has saved.
    while (device.views_waiting() == 0) std::this_thread::yield();
  }
  // The view takes the frames that it is still owed, then waits for steps that do not come. On a
  // busy machine it may first wait for a processor, so a view that still lacks frames gets longer.
  constexpr int kLooks = 40, kLongLooks = 2000;
  for (int before = -1, same = 0; same < (frames < expected ? kLongLooks : kLooks);) {
    same = before == frames && device.views_waiting() > 0 ? same + 1 : 0;
    before = frames;
    std::this_thread::sleep_for(milliseconds(5));
  }
  const int result = frames;
  stop = true;
  device.set_training(false);
  view.join();
  return result;
}

TEST(DeviceTurns, GiveTheViewTheFramesOfItsShare) {
  constexpr int kSteps = 300;
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.95}) {
    SCOPED_TRACE(share);
    const double owed = kSteps * share / (1 - share);
    const int frames = frames_beside(kSteps, share, owed - 1);
    EXPECT_GE(frames, owed - 1);
    EXPECT_LE(frames, owed + 2);
  }
  EXPECT_EQ(frames_beside(kSteps, 0, 0), 0);
}

TEST(DeviceTurns, ProvideTheTrainerOnlyDuringItsLifetime) {
  DeviceTurns device(std::make_unique<FakeBackend>());
  const Dataset dataset = ring_dataset(8, 20);
  FakePhotos photos(dataset);
  {
    DeviceTurns::Turn turn(device, DeviceUser::training);
    Trainer trainer(turn.backend(), dataset, photos, {}, SplatPlan({}), 1);
    turn.set_trainer(&trainer);
    turn.suspend();
    EXPECT_EQ(DeviceTurns::Turn(device, DeviceUser::view).trainer(), &trainer);
    turn.resume();
    turn.set_trainer(nullptr);
  }
  EXPECT_EQ(DeviceTurns::Turn(device, DeviceUser::view).trainer(), nullptr);
}

}  // namespace
}  // namespace mote
