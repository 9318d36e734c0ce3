// Training of splats that move on the CPU: gradients against those of the splats standing still at
// the same time, the same result for any number of threads, and saved states.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/parallel.h"
#include "devices/devices.h"
#include "pipeline/update.h"
#include "splats/moment.h"
#include "splats/morton.h"
#include "splats/motions/motions.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "support/usable_isas.h"

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

/// The gradient of a step on moving splats is that of a step on the moment's splats, taken through
/// the motion in double.
TEST(MovingTrainer, GradientsAreThoseOfTheMomentThroughTheMotion) {
  const PhotoPixels photo = grey_photo();
  ThreadPool pool(1);
  for (const IsaEntry* isa : usable_isas()) {
    const auto backend = cpu_of(2, isa->kernels->name);
    const auto moving = backend->make_trainer(random_moving_cloud(600, 2, 5), {});
    StepRequest request = moving_request(photo, 1);
    request.time_s = 0.9;
    request.loss.opacity_regularizer = 0;
    StepResult result;
    const SplatCloud found = moving->gradients(request, result);
    const SplatCloud cloud = moving->cloud();

    std::vector<std::uint32_t> source;
    const SplatCloud moment = moment_of(cloud, request.time_s, &source);
    const std::vector<std::uint32_t> order = morton_order(moment, pool);
    const auto still = backend->make_trainer(with_sh_degree(moment, 2), {});
    StepResult still_result;
    const SplatCloud d_still = still->gradients(request, still_result);
    EXPECT_NEAR(result.loss, still_result.loss, 1e-6);
    EXPECT_NEAR(result.d_pose_translation.x, still_result.d_pose_translation.x, 1e-4);

    double largest[kFields] = {};
    std::vector<StoredSplat<Whole, double>> expected(cloud.count());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t splat = source[order[i]];
      expected[splat] = Life::at_vjp(stored_of<Whole>(cloud, splat), request.time_s,
                                     stored_of<Gaussian>(d_still, i));
      for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
        largest[plane] = std::max(largest[plane], std::abs(expected[splat].value[plane]));
      }
    }
    for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
      ASSERT_GT(largest[plane], 0) << isa->kernels->name << ", plane " << plane;
      for (std::size_t i = 0; i < cloud.count(); ++i) {
        ASSERT_NEAR(found.at(i, Whole::field(plane)), expected[i].value[plane],
                    2e-3 * largest[plane])
            << isa->kernels->name << ", plane " << plane << ", splat " << i;
      }
    }
  }
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

TEST(MovingTrainer, ARestoredStateContinuesWithTheSameResults) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_of(2);
  const auto whole = backend->make_trainer(random_moving_cloud(900, 1, 5), {});
  train_moving(*whole, photo, 1, 6);
  MemoryBytes saved;
  whole->save(saved);
  train_moving(*whole, photo, 7, 12);
  const auto resumed = backend->make_trainer(random_moving_cloud(5, 1, 1), {});
  resumed->restore(saved);
  train_moving(*resumed, photo, 7, 12);
  EXPECT_TRUE(equal(whole->cloud(), resumed->cloud()));
}

TEST(MovingTrainer, StatisticsCountStepsByTheWeightOfLives) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_of(2);
  const auto trainer = backend->make_trainer(random_moving_cloud(500, 1, 5), {});
  StepRequest request = moving_request(photo, 1);
  request.rates = {};
  request.noise = 0;
  trainer->step(request);
  const SplatCloud cloud = trainer->cloud();
  const DensityStatistics statistics = trainer->statistics();
  int partial = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (statistics.seen[i] == 0) continue;
    const double weight = Life::weight(stored_of<Whole>(cloud, i), request.time_s);
    EXPECT_NEAR(statistics.seen[i], weight * static_cast<double>(kSeenUnit), 0.6);
    partial += weight < 0.9 ? 1 : 0;
  }
  EXPECT_GT(partial, 20);
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
    const double weight = Life::weight(stored_of<Whole>(before, i), request.time_s);
    const bool has_moved = before.at(i, Field::mean_x) != after.at(i, Field::mean_x);
    EXPECT_TRUE(!has_moved || weight > 1e-7);
    moved += has_moved ? 1 : 0;
  }
  EXPECT_GT(moved, 10);
}

TEST(MovingTrainer, AnEditKeepsTheMotionOfTheSourceAndSetsOthers) {
  const auto backend = cpu_of(1);
  const auto trainer = backend->make_trainer(random_moving_cloud(40, 0, 5), {});
  const std::vector<MotionValues> before = trainer->motions();
  DensityEdit edit;
  edit.source = {7, 7, 3};
  edit.forget = {0, 1, 0};
  MotionValues other = before[3];
  other[Field::velocity_z] = 5;
  edit.moves.push_back({2, other});
  trainer->edit(edit);
  const std::vector<MotionValues> after = trainer->motions();
  ASSERT_EQ(after.size(), 3u);
  int copies = 0, changed = 0;
  for (const MotionValues& motion : after) {
    copies += motion[Field::time_mean] == before[7][Field::time_mean] ? 1 : 0;
    changed += motion[Field::velocity_z] == 5 ? 1 : 0;
  }
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(changed, 1);
}

}  // namespace
}  // namespace mote
