// The backward pass by buckets against the one by strips, for long lists whose pixels stop early.
// trainer_gradient_test.cpp compares its gradient with the double reference.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "cuda/gpu_backend.h"
#include "launch_fixture.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

class BucketBackward : public cuda_host::HostRun {
 protected:
  static constexpr std::size_t kSplats = 400;
  static constexpr int kSide_px = 44;

  BucketBackward() {
    photo_.color.resize_discard(kSide_px, kSide_px, 3);
    for (std::size_t i = 0; i < photo_.color.pixels.size(); ++i) {
      photo_.color.pixels[i] = static_cast<std::uint8_t>(100 + i * 7 % 60);
    }
    Camera camera = training_camera({1.5, 0.5, 0.6});
    camera.width = camera.height = kSide_px;
    camera.focal_px = {36, 36};
    camera.center_px = {kSide_px / 2, kSide_px / 2};
    request_ = request_of(camera, photo_, 1);
  }

  /// More splats than a batch in the first macro tile, enough to stop most pixels.
  static SplatCloud deep_cloud() {
    SplatCloud cloud = random_cloud(kSplats, 0, 5);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      cloud.at(i, Field::log_scale_x) = std::log(0.1f);
      cloud.at(i, Field::log_scale_y) = std::log(0.07f);
      cloud.at(i, Field::log_scale_z) = std::log(0.14f);
    }
    return cloud;
  }

  struct Step {
    SplatCloud gradients{0, 0};
    StepResult result;
    std::size_t memory_bytes = 0;
  };
  Step step(TrainerSettings settings) const {
    const auto backend = cuda::make_gpu_backend("CUDA, run on the host", 1);
    const auto trainer = backend->make_trainer(deep_cloud(), settings);
    Step step;
    step.gradients = trainer->gradients(request_, step.result);
    step.memory_bytes = trainer->memory_bytes();
    return step;
  }

  PhotoPixels photo_;
  StepRequest request_;
};

TEST_F(BucketBackward, MatchesTheStrips) {
  const Step strips = step({}), buckets = step({.backward = BackwardForm::buckets});
  ASSERT_GT(strips.result.pairs, 2 * 256);
  for (int f = 0; f < kGaussianFields; ++f) {
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < kSplats; ++i) {
      const auto a = static_cast<double>(strips.gradients.at(i, static_cast<Field>(f)));
      const auto b = static_cast<double>(buckets.gradients.at(i, static_cast<Field>(f)));
      difference += (a - b) * (a - b);
      norm += a * a;
    }
    EXPECT_GT(norm, 0) << f;
    EXPECT_LT(std::sqrt(difference), 1e-4 * std::sqrt(norm)) << f;
  }
}

TEST_F(BucketBackward, GivesTheSameBitsInAnyOrderOfThreads) {
  const Step one = step({.backward = BackwardForm::buckets});
  cuda_host::machine().schedule_seed = 7;
  EXPECT_TRUE(equal(step({.backward = BackwardForm::buckets}).gradients, one.gradients));
}

TEST_F(BucketBackward, CountsItsCheckpointsAsMemory) {
  const Step strips = step({}), buckets = step({.backward = BackwardForm::buckets});
  const std::size_t pairs = strips.result.pairs;
  EXPECT_GT(buckets.memory_bytes, strips.memory_bytes + 512 * pairs);
  EXPECT_LT(buckets.memory_bytes, strips.memory_bytes + 2 * 512 * pairs + (1u << 20));
}

}  // namespace
}  // namespace mote
