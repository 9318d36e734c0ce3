// The backward pass by buckets, the one by strips, and the CPU's against each other, for lists of
// several pieces whose pixels stop early.
// trainer_gradient_test.cpp compares its gradient with the double reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/gpu_backend.h"
#include "devices/devices.h"
#include "launch_fixture.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

class BucketBackward : public cuda_host::HostRun {
 protected:
  static constexpr std::size_t kSplats = 3000;
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

  /// Several pieces of splats in each macro tile, enough to stop most pixels.
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
    SplatCloud splats{0, 0}, gradients{0, 0};  // in the trainer's order
    StepResult result;
    std::size_t memory_bytes = 0;
  };
  Step step(TrainerSettings settings) const {
    return step_on(*cuda::make_gpu_backend("CUDA, run on the host", 1), settings);
  }
  Step step_on(Backend& backend, TrainerSettings settings) const {
    const auto trainer = backend.make_trainer(deep_cloud(), settings);
    Step step;
    step.gradients = trainer->gradients(request_, step.result);
    step.splats = trainer->cloud();
    step.memory_bytes = trainer->memory_bytes();
    return step;
  }

  /// The gradient of a field, by ascending position.
  static std::vector<double> gradient_of(const Step& step, Field field) {
    std::vector<std::pair<float, double>> values;
    for (std::size_t i = 0; i < kSplats; ++i) {
      values.emplace_back(step.splats.at(i, Field::mean_x), step.gradients.at(i, field));
    }
    std::ranges::sort(values);
    std::vector<double> gradient;
    for (const auto& value : values) gradient.push_back(value.second);
    return gradient;
  }

  static void expect_close(const Step& one, const Step& other) {
    for (int f = 0; f < kGaussianFields; ++f) {
      const auto field = static_cast<Field>(f);
      const std::vector<double> a = gradient_of(one, field), b = gradient_of(other, field);
      double difference = 0, norm = 0;
      for (std::size_t i = 0; i < kSplats; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += a[i] * a[i];
      }
      EXPECT_GT(norm, 0) << f;
      EXPECT_LT(std::sqrt(difference), 1e-4 * std::sqrt(norm)) << f;
    }
  }

  PhotoPixels photo_;
  StepRequest request_;
};

TEST_F(BucketBackward, AllFormsMatch) {
  const Step strips = step({}), buckets = step({.backward = BackwardForm::buckets});
  const Step cpu = step_on(*make_backend("cpu", {}), {});
  ASSERT_GT(strips.result.pairs, 4 * 1024u);
  expect_close(strips, buckets);
  expect_close(cpu, strips);
}

TEST_F(BucketBackward, GivesTheSameBitsInAnyOrderOfThreads) {
  const Step one = step({.backward = BackwardForm::buckets});
  cuda_host::machine().schedule_seed = 7;
  EXPECT_TRUE(equal(step({.backward = BackwardForm::buckets}).gradients, one.gradients));
  cuda_host::machine().blocks_in_flight = 4;
  EXPECT_TRUE(equal(step({.backward = BackwardForm::buckets}).gradients, one.gradients));
}

TEST_F(BucketBackward, PiecesGiveTheSameBitsWithSeveralBlocksInFlight) {
  const Step one = step({});
  cuda_host::machine().schedule_seed = 8;
  cuda_host::machine().blocks_in_flight = 4;
  EXPECT_TRUE(equal(step({}).gradients, one.gradients));
}

TEST_F(BucketBackward, CountsItsCheckpointsAsMemory) {
  const Step strips = step({}), buckets = step({.backward = BackwardForm::buckets});
  const std::size_t pairs = strips.result.pairs;
  EXPECT_GT(buckets.memory_bytes, strips.memory_bytes + 450 * pairs);
  EXPECT_LT(buckets.memory_bytes, strips.memory_bytes + 2 * 480 * pairs + (1u << 20));
}

}  // namespace
}  // namespace mote
