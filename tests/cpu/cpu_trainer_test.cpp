// Guarantees of the CPU trainer in addition to those of all trainers (splat_trainer_test.cpp): the
// same result for any number of threads, non-finite gradients, memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "devices/devices.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

std::unique_ptr<Backend> cpu_backend(int threads = 0) {
  DeviceOptions options;
  options.threads = threads;
  return make_backend("cpu", options);
}

TEST(CpuTrainer, TheResultIsTheSameForAnyNumberOfThreads) {
  const PhotoPixels photo = grey_photo();
  std::vector<SplatCloud> results;
  for (const int threads : {1, 2, 3}) {
    const auto backend = cpu_backend(threads);
    const auto trainer = backend->make_trainer(random_cloud(3000, 2, 5), {});
    train(*trainer, photo, 1, 12);
    results.push_back(trainer->cloud());
  }
  EXPECT_TRUE(equal(results[0], results[1]));
  EXPECT_TRUE(equal(results[0], results[2]));
}

TEST(CpuTrainer, ASplatWithANonFiniteGradientIsReportedAndUnchanged) {
  for (const IsaEntry* isa : usable_isas()) {
    alignas(64) float geometry[kGaussianFields][kBlockSize],
        moments[2][kGaussianFields][kBlockSize] = {};
    alignas(64) float sh[3][kBlockSize] = {}, sh_moments[2][3][kBlockSize] = {};
    alignas(64) float gradient_sum[kBlockSize] = {}, radius[kBlockSize] = {};
    alignas(64) std::uint32_t last_step[kBlockSize] = {}, seen[kBlockSize] = {};
    const SplatCloud cloud = random_cloud(kBlockSize, 0, 5);
    std::memcpy(geometry, cloud.geometry_block(0), sizeof(geometry));
    UpdateParams params{};
    const auto sum_count = static_cast<std::size_t>(cloud.info().padded_sums);
    params.state = {geometry[0],
                    moments[0][0],
                    moments[1][0],
                    sh[0],
                    sh_moments[0][0],
                    sh_moments[1][0],
                    3 * kBlockSize,
                    last_step,
                    gradient_sum,
                    seen,
                    radius};
    params.projection.geometry = geometry[0];
    params.projection.sh = sh[0];
    params.projection.sh_stride = 3 * kBlockSize;
    params.projection.camera = {.cam_from_world = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                .translation = {0, 0, 5},
                                .position_world = {0, 0, -5},
                                .focal_x = 100,
                                .focal_y = 100,
                                .center_x = 0,
                                .center_y = 0,
                                .width = 100,
                                .height = 100,
                                .scale = 1};
    const float drift = 0;
    for (AdamRate& rate : params.rates) rate = {0.01f, &drift};
    params.step = 1;
    params.inverse_root = 1;
    std::vector<ProjectedSplat> splats(kBlockSize);
    std::vector<BinHit> hits(kBlockSize);
    std::vector<float> sums(kBlockSize * sum_count, 0.5f);
    for (std::uint32_t i = 0; i < kBlockSize; ++i) {
      splats[i].index = i;
      hits[i].splat = i;
    }
    sums[5 * sum_count + 1] = std::numeric_limits<float>::quiet_NaN();
    sums[9 * sum_count + 4] = std::numeric_limits<float>::infinity();
    params.splats = splats.data();
    params.count = splats.size();
    params.hits = hits.data();
    params.hit_count = hits.size();
    params.sums = sums.data();
    std::vector<std::uint32_t> broken(kBlockSize);
    params.broken = broken.data();

    const UpdateResult result = isa->kernels->update(params);

    ASSERT_EQ(result.broken, 2u) << isa->kernels->name;
    EXPECT_EQ(broken[0], 5u);
    EXPECT_EQ(broken[1], 9u);
    EXPECT_TRUE(std::isfinite(result.d_pose_translation[0]));
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      const bool moved = geometry[0][i] != cloud.at(i, Field::mean_x);
      EXPECT_EQ(moved, i != 5 && i != 9) << i;
      EXPECT_TRUE(std::isfinite(geometry[0][i]) && std::isfinite(sh[0][i]));
    }
  }
}

TEST(CpuTrainer, ASplatOfDegreeThreeTakesAtMostTwelveHundredBytes) {
  PhotoPixels photo;
  photo.color.resize_discard(640, 480, 3);
  std::ranges::fill(photo.color.pixels.span(), std::uint8_t{90});
  Camera camera = training_camera({4, 0.5, 1});
  camera.width = 640;
  camera.height = 480;
  camera.focal_px = {500, 500};
  camera.center_px = {320, 240};
  SplatCloud cloud = random_cloud(60000, 3, 5);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int axis = 0; axis < 3; ++axis) cloud.at(i, static_cast<Field>(3 + axis)) -= 1.5f;
  }
  const auto backend = cpu_backend();
  const auto trainer = backend->make_trainer(std::move(cloud), {});
  const StepResult result = trainer->step(request_of(camera, photo, 1));
  EXPECT_GT(result.visible, 30000u);
  const std::size_t image = 640 * 480 * 7 * sizeof(float);
  EXPECT_LE(trainer->memory_bytes(), 60000 * 1200 + image);
  EXPECT_GE(trainer->memory_bytes(), 60000 * 59 * 3 * sizeof(float));
}

}  // namespace
}  // namespace mote
