// Training of splats that a deformation field moves, on each device that the test program is linked
// with (test_devices.h).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "cpu/cpu_deformation.h"
#include "splats/moment.h"
#include "support/fake_training.h"
#include "support/image_difference.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "support/splat_trainer_steps.h"
#include "support/test_devices.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class DeformedTrainer : public OnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, DeformedTrainer, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

StepRequest deformed_request(const PhotoPixels& photo, std::uint64_t step) {
  const auto angle = static_cast<double>(step);
  StepRequest request =
      request_of(training_camera({4 * std::cos(angle), 0.5, 4 * std::sin(angle)}), photo, step);
  request.time_s = std::fmod(0.37 * angle, 2.0);
  request.deformation = {.is_active = step > 3,
                         .network_rate = 1e-3f,
                         .plane_rate = 1e-2f,
                         .plane_smoothness = 1e-3f,
                         .time_smoothness = 1e-3f,
                         .time_sparsity = 1e-3f};
  request.noise = 1e-3f;
  request.noise_seed = step;
  return request;
}

void train_deformed(SplatTrainer& trainer, const PhotoPixels& photo, std::uint64_t first,
                    std::uint64_t last) {
  for (std::uint64_t step = first; step <= last; ++step) {
    trainer.step(deformed_request(photo, step));
    if (step == 5) trainer.reorder();
  }
}

/// Splats by their opacities, which differ and which no field changes.
std::map<float, std::size_t> by_opacity(const SplatCloud& cloud) {
  std::map<float, std::size_t> found;
  for (std::size_t i = 0; i < cloud.count(); ++i) found[cloud.at(i, Field::logit_opacity)] = i;
  EXPECT_EQ(found.size(), cloud.count());
  return found;
}

/// The gradients of all splats by a field, and what they should be.
struct ComparedSums {
  double difference = 0, expected = 0;

  void add(double found, double own) {
    difference += std::abs(found - own);
    expected += std::abs(own);
  }
};

/// A device whose network has halves between its layers moves splats a little differently.
TEST_P(DeformedTrainer, GradientsAreThoseOfTheMovedSplats) {
  const PhotoPixels photo = grey_photo();
  const SplatCloud cloud = random_deformed_cloud(300, 1, 5);
  StepRequest request = deformed_request(photo, 4);
  request.time_gradient = true;
  const auto deforming = backend().make_trainer(copy_of(cloud), {});
  const auto still = backend().make_trainer(moment_of(cloud, request.time_s), {});
  StepResult result, of_still;
  const SplatCloud found = deforming->gradients(request, result);
  const SplatCloud expected = still->gradients(request, of_still);
  EXPECT_NEAR(result.loss, of_still.loss, 2e-3 * of_still.loss);
  EXPECT_NEAR(static_cast<double>(result.visible), static_cast<double>(of_still.visible), 2);
  EXPECT_NE(result.d_time, 0);
  EXPECT_EQ(of_still.d_time, 0);
  const auto places = by_opacity(still->cloud());
  const SplatCloud order = deforming->cloud();
  // The gradients by the moved splats, on their way back through the field.
  ThreadPool pool(1);
  CpuDeformation field(*cloud.deformation, *usable_isas().back()->kernels, pool);
  field.move(order, request.time_s / 2);
  float* const d_moved = field.begin_gradient();
  const auto plain = [&](std::size_t i, Field of) {
    return expected.at(places.at(order.at(i, Field::logit_opacity)), of);
  };
  for (std::size_t i = 0; i < order.count(); ++i) {
    for (int k = 0; k < kGaussianFields; ++k) {
      const std::size_t place = i / kBlockSize * kGaussianFields + static_cast<std::size_t>(k);
      d_moved[place * kBlockSize + i % kBlockSize] = plain(i, static_cast<Field>(k));
    }
  }
  const float* d_means = field.differentiate();
  std::map<RateGroup, ComparedSums> sums;
  ComparedSums through_field;
  for (std::size_t i = 0; i < order.count(); ++i) {
    for (const Field of : order.info().stored()) {
      float back = 0;
      if (group_of(of) == RateGroup::mean) {
        const std::size_t place = i / kBlockSize * 3 + static_cast<std::size_t>(of);
        back = d_means[place * kBlockSize + i % kBlockSize];
        through_field.add(static_cast<double>(found.at(i, of) - plain(i, of)),
                          static_cast<double>(back));
      }
      sums[group_of(of)].add(static_cast<double>(found.at(i, of)),
                             static_cast<double>(plain(i, of) + back));
    }
  }
  for (const auto& [group, own] : sums) {
    EXPECT_LT(own.difference, 0.06 * own.expected) << static_cast<int>(group);
  }
  EXPECT_GT(through_field.expected, 1e-2 * sums[RateGroup::mean].expected);
  EXPECT_LT(through_field.difference, 0.5 * through_field.expected);
}

TEST_P(DeformedTrainer, TheGradientByTheTimeIsThatOfDifferences) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_deformed_cloud(300, 0, 8), {});
  StepRequest request = deformed_request(photo, 4);
  request.time_gradient = true;
  request.loss.ssim_weight = 0;
  const double time_s = request.time_s;
  const auto result_at = [&](double own_s) {
    request.time_s = own_s;
    StepResult result;
    trainer->gradients(request, result);
    return result;
  };
  constexpr double kStep = 1e-2;
  const double by_time =
      (result_at(time_s + kStep).loss - result_at(time_s - kStep).loss) / (2 * kStep);
  EXPECT_NEAR(result_at(time_s).d_time, by_time, 0.08 * std::abs(by_time) + 1e-4);
  EXPECT_GT(std::abs(by_time), 1e-3);
}

TEST_P(DeformedTrainer, ARestoredStateContinuesWithTheSameResults) {
  const PhotoPixels photo = grey_photo();
  const auto whole = backend().make_trainer(random_deformed_cloud(120, 1, 5), {});
  const auto resumed = backend().make_trainer(random_deformed_cloud(5, 1, 1), {});
  train_deformed(*whole, photo, 1, 5);
  hand_over(*whole, *resumed);
  train_deformed(*whole, photo, 6, 7);
  train_deformed(*resumed, photo, 6, 7);
  EXPECT_TRUE(equal(whole->cloud(), resumed->cloud()));
  EXPECT_EQ(whole->cloud().deformation->parameters, resumed->cloud().deformation->parameters);
}

TEST_P(DeformedTrainer, TheFieldRestsUntilItIsActive) {
  const PhotoPixels photo = grey_photo();
  const SplatCloud cloud = random_deformed_cloud(200, 0, 5);
  SplatCloud without = copy_of(cloud);
  without.deformation = nullptr;
  const auto resting = backend().make_trainer(copy_of(cloud), {});
  const auto still = backend().make_trainer(std::move(without), {});
  train_deformed(*resting, photo, 1, 3);
  train_deformed(*still, photo, 1, 3);
  EXPECT_TRUE(equal(resting->cloud(), still->cloud()));
  EXPECT_EQ(resting->cloud().deformation->parameters, cloud.deformation->parameters);
  EXPECT_EQ(still->cloud().deformation, nullptr);
}

TEST_P(DeformedTrainer, PicturesShowTheSplatsOfTheirTime) {
  const SplatCloud cloud = random_deformed_cloud(300, 1, 5);
  const auto trainer = backend().make_trainer(copy_of(cloud), {});
  Frame found[2], expected[2];
  constexpr double kTimes_s[] = {0.0, 1.2};
  for (std::size_t i = 0; i < 2; ++i) {
    const View view{.camera = training_camera({4, 0.5, 1}), .time_s = kTimes_s[i]};
    const auto still = backend().make_trainer(moment_of(cloud, kTimes_s[i]), {});
    trainer->render(view, {}, found[i]);
    still->render(view, {}, expected[i]);
  }
  const double moved = mean_difference(expected[0].rgb, expected[1].rgb);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(mean_difference(found[i].rgb, expected[i].rgb), 0.2 * moved) << kTimes_s[i] << " s";
  }
}

}  // namespace
}  // namespace mote
