// What the CUDA backend takes of a device's memory, says before it does, and says where there is
// too little.
#include <gtest/gtest.h>

#include <charconv>

#include "backend/splat_trainer.h"
#include "controls.h"
#include "core/error.h"
#include "cuda/gpu_backend.h"
#include "cuda/memory_price.h"
#include "fake_training.h"
#include "random_cloud.h"
#include "scene/rate_groups.h"
#include "splat_trainer_steps.h"

namespace mote {
namespace {

using cuda_host::machine;
using cuda_host::memory_use;

constexpr std::uint32_t kSeed = 3;

class CudaMemory : public ::testing::Test {
 protected:
  CudaMemory() {
    cuda_host::reset();
    machine().check_accesses = false;  // others look for races in the same kernels
  }
  ~CudaMemory() override { cuda_host::reset(); }

  static std::unique_ptr<Backend> make() {
    return cuda::make_gpu_backend("CUDA, run on the host", 2);
  }
};

/// What `work` throws; fails where it throws nothing.
template <class Work>
Error thrown_by(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {"", "", ""};
}

void expect_phrases(const Error& error, const std::vector<std::string>& phrases) {
  for (const std::string& phrase : phrases) {
    EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos)
        << phrase << " is not in: " << error.what();
  }
}

/// The number behind `phrase`.
std::size_t number_behind(const std::string& phrase, const std::string& text) {
  std::size_t number = 0;
  const std::size_t start = text.find(phrase);
  if (start == std::string::npos) return 0;
  std::from_chars(text.data() + start + phrase.size(), text.data() + text.size(), number);
  return number;
}

/// Splats too small to be in two tiles, a hundredth of whose pairs could be.
SplatCloud fine_cloud(std::size_t count, int sh_degree) {
  SplatCloud cloud = random_cloud(count, sh_degree, kSeed);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Field f : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, f) = -7;
    }
  }
  return cloud;
}

/// The splats again and again, until there are as many as wanted.
DensityEdit copies(std::size_t count, std::size_t wanted) {
  DensityEdit edit;
  for (std::size_t i = 0; i < wanted; ++i) {
    edit.source.push_back(static_cast<std::uint32_t>(i % count));
  }
  edit.forget.assign(wanted, 0);
  return edit;
}

std::vector<std::byte> state_of(const SplatTrainer& trainer) {
  MemoryBytes bytes;
  trainer.save(bytes);
  return bytes.bytes;
}

TEST_F(CudaMemory, ASceneTakesWhatItsPriceSays) {
  constexpr std::size_t kCount = 5000;
  for (const int degree : {0, 3}) {
    const auto backend = make();
    Frame frame;
    const Camera camera = training_camera({4, 0, 1});
    const auto small = backend->upload(random_cloud(16, 0, kSeed));
    backend->render(*small, camera, {}, frame);  // takes the image
    const std::size_t before = memory_use().bytes;
    const auto scene = backend->upload(fine_cloud(kCount, degree));
    backend->render(*scene, camera, {}, frame);
    const double each = static_cast<double>(memory_use().bytes - before) / kCount;
    EXPECT_NEAR(each / static_cast<double>(cuda::drawn_splat_bytes(degree)), 1, 0.05) << degree;
  }
}

TEST_F(CudaMemory, TrainingTakesWhatItsPriceSays) {
  constexpr std::size_t kCount = 3000;
  const PhotoPixels photo = grey_photo();
  for (const int degree : {0, 1, 3}) {
    const auto backend = make();
    const std::size_t before = memory_use().bytes;
    const auto trainer = backend->make_trainer(fine_cloud(kCount, degree), {});
    train(*trainer, photo, 1, 1);
    trainer->edit(copies(kCount, kCount));
    Frame frame;
    trainer->render(training_camera({4, 0, 1}), {}, frame);
    const auto room =
        backend->training_room({.sh_degree = degree, .pixels = photo.color.pixels.size() / 3});
    ASSERT_TRUE(room.has_value());
    const auto taken = static_cast<double>(memory_use().bytes - before);
    EXPECT_NEAR(taken / static_cast<double>(room->needed_bytes(kCount)), 1, 0.08) << degree;
    EXPECT_EQ(room->free_bytes, machine().memory_bytes - memory_use().bytes);
  }
}

TEST_F(CudaMemory, ASceneThatDoesNotFitSaysHowManySplatsWouldAndTheyDo) {
  const auto backend = make();
  machine().memory_bytes = memory_use().bytes + 2'000'000;
  const Error error = thrown_by([&] { backend->upload(random_cloud(20'000, 3, kSeed)); });
  expect_phrases(error, {"20000 splats of SH degree 3", "2 MB of ", "--min-opacity", "--keep-sh",
                         "--device cpu"});
  const std::size_t fit = number_behind("about ", error.remedy());
  ASSERT_GT(fit, 1000u);
  ASSERT_LT(fit, 20'000u);
  EXPECT_NO_THROW(backend->upload(random_cloud(fit, 3, kSeed)));
}

TEST_F(CudaMemory, GrowthThatDoesNotFitSaysHowManySplatsWouldAndTheyDo) {
  constexpr std::size_t kCount = 600;
  const auto backend = make();
  const auto trainer = backend->make_trainer(random_cloud(kCount, 1, kSeed), {});
  machine().memory_bytes = memory_use().bytes + 1'000'000;
  const Error error = thrown_by([&] { trainer->edit(copies(kCount, 8000)); });
  expect_phrases(error, {"600 splats grow to 8000, which need ", "1 MB of ", " free"});
  const std::size_t fit = number_behind("--resume --max-splats ", error.remedy());
  ASSERT_GT(fit, kCount);
  ASSERT_LT(fit, 8000u);
  trainer->edit(copies(kCount, fit));
  EXPECT_EQ(trainer->count(), fit);
}

TEST_F(CudaMemory, AStepWithoutRoomForItsPairsChangesNothing) {
  const PhotoPixels photo = grey_photo();
  const auto backend = make();
  const auto trainer = backend->make_trainer(random_cloud(600, 1, kSeed), {});
  const std::vector<std::byte> before = state_of(*trainer);
  int refused = 0;
  for (std::size_t spare_bytes = 0;; spare_bytes += 200'000) {
    machine().memory_bytes = memory_use().bytes + spare_bytes;
    try {
      train(*trainer, photo, 1, 1);
      break;
    } catch (const Error& error) {
      expect_phrases(error, {"out of device memory", "are needed for ", " free"});
      EXPECT_TRUE(state_of(*trainer) == before);
      ++refused;
    }
  }
  EXPECT_GT(refused, 2);
  machine() = {};
  const auto other = backend->make_trainer(random_cloud(600, 1, kSeed), {});
  train(*other, photo, 1, 1);
  EXPECT_TRUE(state_of(*trainer) == state_of(*other));
}

TEST_F(CudaMemory, FramesLikeThoseBeforeTakeNoMemory) {
  const auto backend = make();
  const auto scene = backend->upload(random_cloud(200, 1, kSeed));
  const Camera camera = training_camera({4, 0, 1});
  Frame frame;
  backend->render(*scene, camera, {}, frame);
  const std::size_t before = memory_use().taken;
  for (int i = 0; i < 3; ++i) backend->render(*scene, camera, {}, frame);
  EXPECT_EQ(memory_use().taken, before);
}

TEST_F(CudaMemory, StepsLikeThoseBeforeTakeNoMemoryButForTheRatesHistory) {
  const PhotoPixels photo = grey_photo();
  const auto backend = make();
  const auto trainer = backend->make_trainer(random_cloud(200, 1, kSeed), {});
  const auto steps = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i <= last; ++i) {
      trainer->step(request_of(training_camera({4, 0, 1}), photo, i));
    }
  };
  steps(1, 3);
  const std::size_t before = memory_use().taken;
  steps(4, 7);
  EXPECT_LE(memory_use().taken - before, 2u * kRateGroups) << "a number a step, room by half";
}

TEST_F(CudaMemory, SplatsThatGrowStepByStepTakeMemoryFewTimes) {
  const auto backend = make();
  const auto trainer = backend->make_trainer(random_cloud(200, 0, kSeed), {});
  const std::size_t before = memory_use().taken;
  std::size_t count = 200;
  for (int i = 0; i < 40; ++i) {
    const std::size_t wanted = count + count / 20;
    trainer->edit(copies(count, wanted));
    count = wanted;
  }
  EXPECT_GT(count, 1200u);
  // By half at least six times over: some five times each of two or three dozen arrays, not 40.
  EXPECT_LE(memory_use().taken - before, 180u);
}

}  // namespace
}  // namespace mote
