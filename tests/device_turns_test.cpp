#include "app/viewer/device_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "fake_training.h"

namespace mote {
namespace {

using std::chrono::milliseconds;

TEST(DeviceTurns, LetsOneInAtATime) {
  DeviceTurns device(std::make_unique<FakeBackend>());
  std::atomic<int> inside{0}, turns{0};
  int plain = 0;  // for the thread sanitizer
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

TEST(DeviceTurns, KeepTheViewOutWithoutAShareUntilTrainingRests) {
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

TEST(DeviceTurns, ShareTheTimeAsTheyAreTold) {
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
    // Three units of training for one of viewing: after so many steps no more than a third of them
    // and a few are frames, and not none.
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

TEST(DeviceTurns, ShowTheTrainerOnlyWhileItIsThere) {
  DeviceTurns device(std::make_unique<FakeBackend>());
  const Dataset dataset = ring_dataset(8, 20);
  FakePhotos photos(dataset);
  {
    DeviceTurns::Turn turn(device, DeviceUser::training);
    Trainer trainer(turn.backend(), dataset, photos, {}, 1);
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
