// A backend, its scenes and its trainers belong to one device, in every thread and after the use of
// any other device.
#include <gtest/gtest.h>

#include <thread>

#include "backend/splat_trainer.h"
#include "controls.h"
#include "core/error.h"
#include "devices/devices.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

using cuda_host::used_bytes;

class CudaThreads : public ::testing::Test {
 protected:
  CudaThreads() {
    cuda_host::reset();
    cuda_host::machine().devices = 2;
    cuda_host::machine().check_accesses = false;  // other tests look for races in the same kernels
  }
  ~CudaThreads() override { cuda_host::reset(); }
};

template <class Work>
void in_another_thread(Work work) {
  std::thread(work).join();
}

TEST_F(CudaThreads, AnotherThreadUsesAndDestroysObjectsOnTheSameDevice) {
  const PhotoPixels photo = grey_photo();
  auto backend = make_backend("cuda-host:1", {});
  std::unique_ptr<DeviceScene> scene;
  std::unique_ptr<SplatTrainer> trainer;
  in_another_thread([&] {
    scene = backend->upload(random_cloud(300, 1, 3));
    trainer = backend->make_trainer(random_cloud(300, 1, 3), {});
  });
  in_another_thread([&] {
    Frame frame, seen;
    backend->render(*scene, training_camera({4, 0, 1}), {}, frame);
    train(*trainer, photo, 1, 1);
    trainer->render({.camera = training_camera({4, 0, 1})}, {}, seen);
    DensityEdit edit;
    edit.source = {0, 1, 2, 3, 4, 5, 5, 5};
    edit.forget.assign(edit.source.size(), 0);
    trainer->edit(edit);
    trainer->limit_opacity(0.5f);
    MemoryBytes state;
    trainer->save(state);
    trainer->restore(state);
    EXPECT_EQ(trainer->cloud().count(), 8u);
  });
  EXPECT_GT(used_bytes(1), 0u);
  in_another_thread([&] {
    trainer.reset();
    scene.reset();
    backend.reset();
  });
  EXPECT_EQ(used_bytes(1), 0u);
  EXPECT_EQ(used_bytes(0), 0u);
}

TEST_F(CudaThreads, TwoBackendsInOneThreadKeepToTheirDevices) {
  const auto first = make_backend("cuda-host:0", {}), second = make_backend("cuda-host:1", {});
  const std::size_t before[] = {used_bytes(0), used_bytes(1)};
  const auto on_first = first->upload(random_cloud(300, 1, 3));
  EXPECT_GT(used_bytes(0), before[0]);
  EXPECT_EQ(used_bytes(1), before[1]);
  const auto on_second = second->upload(random_cloud(300, 1, 3));
  EXPECT_GT(used_bytes(1), before[1]);
  Frame frame;
  EXPECT_NO_THROW(first->render(*on_first, training_camera({4, 0, 1}), {}, frame));
  EXPECT_NO_THROW(second->render(*on_second, training_camera({4, 0, 1}), {}, frame));
}

TEST_F(CudaThreads, ListingDevicesDoesNotSwitchTheDeviceOfABackend) {
  const auto backend = make_backend("cuda-host:0", {});
  backends().front().list();
  const std::size_t before = used_bytes(1);
  const auto scene = backend->upload(random_cloud(300, 1, 3));
  EXPECT_EQ(used_bytes(1), before);
}

TEST_F(CudaThreads, AMessageNamesTheBackendsDeviceInEveryThread) {
  const auto backend = make_backend("cuda-host:1", {});
  in_another_thread([&] {
    cuda_host::machine().calls_until_failure = 0;
    cuda_host::machine().failure = cudaErrorLaunchFailure;
    for (int again = 0; again < 2; ++again) {
      try {
        backend->upload(random_cloud(300, 1, 3));
        ADD_FAILURE() << "nothing was thrown";
      } catch (const DeviceLost& error) {
        EXPECT_EQ(error.where(), "device cuda:1 (host run 1)");
      }
    }
  });
}

}  // namespace
}  // namespace mote
