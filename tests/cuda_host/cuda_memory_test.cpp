// Device memory of the CUDA backend: its use, its estimates, and its messages if memory is short.
#include <gtest/gtest.h>

#include <charconv>
#include <utility>

#include "backend/splat_trainer.h"
#include "controls.h"
#include "core/error.h"
#include "cuda/gpu_backend.h"
#include "cuda/memory_estimate.h"
#include "splats/kinds/fields.h"
#include "splats/motions/life.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using cuda_host::machine;
using cuda_host::memory_use;

constexpr std::uint32_t kSeed = 3;

class CudaMemory : public ::testing::Test {
 protected:
  CudaMemory() {
    cuda_host::reset();
    machine().check_accesses = false;  // other tests look for races in the same kernels
  }
  ~CudaMemory() override { cuda_host::reset(); }

  static std::unique_ptr<Backend> make() {
    return cuda::make_gpu_backend("CUDA, run on the host", 2);
  }
};

void expect_phrases(const Error& error, const std::vector<std::string>& phrases) {
  for (const std::string& phrase : phrases) {
    EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos)
        << phrase << " is not in: " << error.what();
  }
}

/// The number after `phrase`.
std::size_t number_behind(const std::string& phrase, const std::string& text) {
  std::size_t number = 0;
  const std::size_t start = text.find(phrase);
  if (start == std::string::npos) return 0;
  std::from_chars(text.data() + start + phrase.size(), text.data() + text.size(), number);
  return number;
}

/// Splats so small that at most a hundredth of them cover a second tile.
SplatCloud fine_cloud(std::size_t count, int sh_degree) {
  SplatCloud cloud = random_cloud(count, sh_degree, kSeed);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Field f : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, f) = -7;
    }
  }
  return cloud;
}

/// Repeats the splats up to the requested number.
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

TEST_F(CudaMemory, ASceneTakesItsEstimatedMemory) {
  constexpr std::size_t kCount = 5000;
  for (const int degree : {0, 3}) {
    const auto backend = make();
    Frame frame;
    const Camera camera = training_camera({4, 0, 1});
    const auto small = backend->upload(random_cloud(16, 0, kSeed));
    backend->render(*small, camera, {}, frame);  // allocates the image
    const std::size_t before = memory_use().bytes;
    const auto scene = backend->upload(fine_cloud(kCount, degree));
    backend->render(*scene, camera, {}, frame);
    const double each = static_cast<double>(memory_use().bytes - before) / kCount;
    const UnitBytes estimate =
        cuda::unit_bytes({.use = MemoryUse::scene, .splat = {.sh_degree = degree}});
    EXPECT_NEAR(each / static_cast<double>(estimate.element), 1, 0.05) << degree;
  }
}

TEST_F(CudaMemory, ScenesOfVelocitiesTakeTheirEstimatedMemory) {
  constexpr std::size_t kCount = 5000;
  const auto backend = make();
  Frame frame;
  const Camera camera = training_camera({4, 0, 1});
  const auto small = backend->upload(random_cloud(16, 0, kSeed));
  backend->render(*small, camera, {}, frame);  // allocates the image
  const auto static_cloud = [] {
    SplatCloud cloud = random_moving_cloud(kCount, 0, kSeed);
    for (std::size_t i = 0; i < kCount; ++i) {
      for (const Field f : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
        cloud.at(i, f) = -7;
      }
      for (const Field f : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
        cloud.at(i, f) = 0;
      }
      cloud.at(i, Field::logit_opacity) = 2;
      cloud.at(i, Field::log_time_plateau) = kStaticLogPlateau;  // all are in the lists
    }
    return cloud;
  };
  const std::size_t before = memory_use().bytes;
  const auto vectors = backend->upload(static_cloud()), speeds = backend->upload(static_cloud());
  backend->render(*vectors, camera, {}, frame);
  backend->render(*speeds, camera, {}, frame);
  const double each = static_cast<double>(memory_use().bytes - before) / kCount;
  MemoryRequest request{.splat = {.sh_degree = 3, .motion = SplatMotion::life}};
  const std::uint64_t trained = cuda::unit_bytes(request).element;
  request.velocities = true;
  EXPECT_NEAR(each / static_cast<double>(cuda::unit_bytes(request).element - trained), 1, 0.05);
}

/// The memory that training takes, as a share of its estimate, while one photograph is used and the
/// next is copied.
double taken_of_estimate(BackwardForm form, int degree) {
  constexpr std::size_t kCount = 3000;
  const PhotoPixels photo = grey_photo();
  const auto next = std::make_shared<const PhotoPixels>(grey_photo());
  const auto backend = cuda::make_gpu_backend("CUDA, run on the host", 2);
  const std::size_t before = memory_use().bytes;
  const auto trainer = backend->make_trainer(fine_cloud(kCount, degree), {.backward = form});
  StepRequest request = request_of(training_camera({4, 0, 1}), photo, 1);
  request.next_photo = next;
  trainer->step(request);
  trainer->edit(copies(kCount, kCount));
  Frame frame;
  trainer->render({.camera = training_camera({4, 0, 1})}, {}, frame);
  const auto memory = backend->memory_for(
      {.splat = {.sh_degree = degree}, .backward = form, .pixels = photo.color.pixels.size() / 3});
  EXPECT_EQ(memory->free_bytes, machine().memory_bytes - memory_use().bytes);
  return static_cast<double>(memory_use().bytes - before) /
         static_cast<double>(memory->needed_bytes(kCount));
}

TEST_F(CudaMemory, TrainingTakesItsEstimatedMemoryInBothBackwardForms) {
  for (const int degree : {0, 3}) {
    EXPECT_NEAR(taken_of_estimate(BackwardForm::strips, degree), 1, 0.08) << degree;
  }
  // There are a few more pairs than splats, so lists and checkpoints have grown by half.
  const double by_buckets = taken_of_estimate(BackwardForm::buckets, 1);
  EXPECT_GT(by_buckets, 0.98);
  EXPECT_LT(by_buckets, 1.25);
}

TEST_F(CudaMemory, APictureTooLargeIsRefusedWithASizeAndACountThatFit) {
  constexpr std::size_t kCount = 2000;
  const auto backend = make();
  const auto scene = backend->upload(fine_cloud(kCount, 0));
  Camera camera = training_camera({4, 0, 1});
  camera.width = 2000;
  camera.height = 1000;
  machine().memory_bytes = memory_use().bytes + 2'000'000;
  Frame frame;
  const Error error = thrown_by([&] { backend->render(*scene, camera, {}, frame); });
  expect_phrases(error, {"out of device memory", "are needed for the picture", " free",
                         "choose a smaller one", "--device cpu"});
  const auto width = number_behind("a picture of about ", error.remedy());
  const auto height =
      number_behind("a picture of about " + std::to_string(width) + "x", error.remedy());
  ASSERT_GT(width, 100u);
  ASSERT_LT(width, 2000u);
  ASSERT_NEAR(static_cast<double>(width) / static_cast<double>(height), 2, 0.1);
  camera.width = static_cast<int>(width);
  camera.height = static_cast<int>(height);
  EXPECT_NO_THROW(backend->render(*scene, camera, {}, frame));
}

TEST_F(CudaMemory, AStepTooLargeIsRefusedWithACountThatFits) {
  constexpr std::size_t kCount = 3000;
  const PhotoPixels photo = grey_photo();
  for (const BackwardForm form : {BackwardForm::strips, BackwardForm::buckets}) {
    const auto backend = make();
    machine().memory_bytes = std::size_t{8} << 30;
    auto trainer = backend->make_trainer(fine_cloud(kCount, 1), {.backward = form});
    machine().memory_bytes = memory_use().bytes + 1'500'000;
    const Error error = thrown_by([&] { train(*trainer, photo, 1, 1); });
    expect_phrases(error, {"out of device memory", "are needed for ", " free"});
    EXPECT_EQ(error.remedy().find("--backward strips") != std::string::npos,
              form == BackwardForm::buckets);
    const std::size_t fit = number_behind("start with --max-splats ", error.remedy());
    ASSERT_GT(fit, 100u) << error.remedy();
    ASSERT_LT(fit, kCount);
    trainer.reset();
    trainer = backend->make_trainer(fine_cloud(fit, 1), {.backward = form});
    EXPECT_NO_THROW(train(*trainer, photo, 1, 1)) << fit;
  }
}

TEST_F(CudaMemory, TooManyInitialSplatsAreRefusedWithACountThatFits) {
  const auto backend = make();
  machine().memory_bytes = memory_use().bytes + 1'000'000;
  const Error error = thrown_by([&] { backend->make_trainer(random_cloud(8000, 3, kSeed), {}); });
  expect_phrases(error, {"out of device memory", " free", "--max-splats", "--sh-degree"});
  const std::size_t fit = number_behind("about ", error.remedy());
  ASSERT_GT(fit, 100u) << error.remedy();
  EXPECT_NO_THROW(backend->make_trainer(random_cloud(fit, 3, kSeed), {}));
}

TEST_F(CudaMemory, ASceneTooLargeIsRefusedWithACountThatFits) {
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

TEST_F(CudaMemory, GrowthBeyondTheMemoryIsRefusedWithACountThatFits) {
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

TEST_F(CudaMemory, AStepWithoutMemoryForItsPairsChangesNothing) {
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

TEST_F(CudaMemory, RepeatedFramesAllocateNoMemory) {
  const auto backend = make();
  const auto scene = backend->upload(random_cloud(200, 1, kSeed));
  const Camera camera = training_camera({4, 0, 1});
  Frame frame;
  backend->render(*scene, camera, {}, frame);
  const std::size_t before = memory_use().taken;
  for (int i = 0; i < 3; ++i) backend->render(*scene, camera, {}, frame);
  EXPECT_EQ(memory_use().taken, before);
}

TEST_F(CudaMemory, RepeatedStepsAllocateNoMemoryExceptForTheHistoryOfRates) {
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
  EXPECT_LE(memory_use().taken - before, 2u * kRateGroups)
      << "one number per step, in memory that grows by half";
}

TEST_F(CudaMemory, GrowingSplatsAllocateMemoryFewTimes) {
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
  // The buffers grow by half at least six times: some five times for each of two or three dozen
  // arrays, not 40 times.
  EXPECT_LE(memory_use().taken - before, 180u);
}

}  // namespace
}  // namespace mote
