// Training of splats that move on the CPU, in addition to tests/backend/motion_test.cpp: the same
// result for any number of threads, saved states, and noise.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "devices/devices.h"
#include "splats/motions/motions.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

using Whole = MovingKind<Gaussian, Life>;

std::unique_ptr<Backend> cpu_of(int threads, const std::string& isa = {}) {
  return make_backend("cpu", {.threads = threads, .isa = isa, .index = 0});
}

StepRequest moving_request(const PhotoPixels& photo, std::uint64_t step) {
  const auto angle = static_cast<double>(step);
  StepRequest request =
      request_of(training_camera({4 * std::cos(angle), 0.5, 4 * std::sin(angle)}), photo, step);
  request.time_s = std::fmod(0.37 * static_cast<double>(step), 2.0);
  request.rates.time_mean = 1e-3f;
  request.rates.time_sigma = request.rates.time_plateau = 5e-3f;
  request.rates.velocity = 1e-2f;
  request.loss.opacity_regularizer = 0.01f;
  request.noise = 1e-3f;
  request.noise_seed = step;
  return request;
}

void train_moving(SplatTrainer& trainer, const PhotoPixels& photo, std::uint64_t first,
                  std::uint64_t last) {
  for (std::uint64_t step = first; step <= last; ++step) {
    trainer.step(moving_request(photo, step));
  }
}

template <class Form>
StoredSplat<Form, double> stored_of(const SplatCloud& cloud, std::size_t i) {
  StoredSplat<Form, double> splat;
  for (int plane = 0; plane < Form::kFieldCount; ++plane) {
    splat.value[plane] = static_cast<double>(cloud.at(i, Form::field(plane)));
  }
  return splat;
}

TEST(MovingTrainer, TheResultIsTheSameForAnyNumberOfThreads) {
  const PhotoPixels photo = grey_photo();
  std::vector<SplatCloud> results;
  for (const int threads : {1, 2, 3}) {
    const auto backend = cpu_of(threads);
    const auto trainer = backend->make_trainer(random_moving_cloud(3000, 2, 5), {});
    train_moving(*trainer, photo, 1, 12);
    results.push_back(trainer->cloud());
  }
  EXPECT_TRUE(equal(results[0], results[1]));
  EXPECT_TRUE(equal(results[0], results[2]));
  EXPECT_EQ(results[0].times.duration_s, 2);
}

TEST(MovingTrainer, ADeformationFieldIsTheSameForAnyNumberOfThreads) {
  const PhotoPixels photo = grey_photo();
  std::vector<SplatCloud> results;
  for (const int threads : {1, 2, 3}) {
    const auto backend = cpu_of(threads);
    const auto trainer = backend->make_trainer(random_deformed_cloud(3000, 2, 5), {});
    for (std::uint64_t step = 1; step <= 6; ++step) {
      StepRequest request = moving_request(photo, step);
      request.deformation = {.is_active = step > 2, .network_rate = 1e-3f, .plane_rate = 1e-2f};
      trainer->step(request);
      if (step == 4) trainer->reorder();
    }
    results.push_back(trainer->cloud());
  }
  for (const std::size_t other : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_TRUE(equal(results[0], results[other]));
    EXPECT_EQ(results[0].deformation->parameters, results[other].deformation->parameters);
  }
  EXPECT_EQ(results[0].times.duration_s, 2);
}

TEST(MovingTrainer, ARestoredStateContinuesWithTheSameResults) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_of(2);
  const auto whole = backend->make_trainer(random_moving_cloud(900, 1, 5), {});
  const auto resumed = backend->make_trainer(random_moving_cloud(5, 1, 1), {});
  train_moving(*whole, photo, 1, 6);
  hand_over(*whole, *resumed);
  train_moving(*whole, photo, 7, 12);
  train_moving(*resumed, photo, 7, 12);
  EXPECT_TRUE(equal(whole->cloud(), resumed->cloud()));
}

TEST(MovingTrainer, NoiseMovesOnlySplatsThatLive) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_of(1);
  const auto trainer = backend->make_trainer(random_moving_cloud(400, 0, 5), {});
  const SplatCloud before = trainer->cloud();
  StepRequest request = moving_request(photo, 1);
  request.rates = {};
  request.noise = 10;
  trainer->step(request);
  const SplatCloud after = trainer->cloud();
  int moved = 0;
  for (std::size_t i = 0; i < before.count(); ++i) {
    const double weight = Life::weight(stored_of<Whole>(before, i), at_time(request.time_s));
    const bool has_moved = before.at(i, Field::mean_x) != after.at(i, Field::mean_x);
    EXPECT_TRUE(!has_moved || weight > 1e-7);
    moved += has_moved ? 1 : 0;
  }
  EXPECT_GT(moved, 10);
}

}  // namespace
}  // namespace mote
