// Splats that move on each device that the test program is linked with (test_devices.h): a picture
// and the gradient of a step are those of the splats standing still where they are at that time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "pipeline/update.h"
#include "splats/moment.h"
#include "splats/motions/motions.h"
#include "support/fake_training.h"
#include "support/image_difference.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"
#include "support/splat_trainer_steps.h"
#include "support/test_devices.h"

namespace mote {
namespace {

class Motions : public OnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, Motions, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

using Whole = MovingKind<Gaussian, Life>;

Frame picture_at(Backend& backend, const SplatCloud& cloud, double time_s) {
  const auto scene = backend.upload(with_sh_degree(cloud, cloud.sh_degree()));
  const SceneInstance instance{.scene = scene.get(), .time_s = time_s};
  Frame frame;
  backend.render_scenes({&instance, 1}, camera_at(2.5, 100, 80), {}, frame);
  return frame;
}

TEST_P(Motions, APictureAtATimeIsThatOfTheMoment) {
  const SplatCloud cloud = random_moving_cloud(600, 1, 21);
  for (const double time_s : {-0.3, 0.0, 1.0, 2.2}) {
    const Frame moving = picture_at(backend(), cloud, time_s);
    const Frame still = picture_at(backend(), moment_of(cloud, time_s), 0);
    EXPECT_LT(mean_difference(moving.rgb, still.rgb), 2e-5) << time_s << " s";
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

StepRequest request_at(const PhotoPixels& photo, double time_s) {
  StepRequest request = request_of(training_camera({3, 0.5, 2}), photo, 1);
  request.time_s = time_s;
  request.noise = 0;
  return request;
}

/// The splats of a trainer by their first harmonic, which differs between random splats: the order
/// depends on the device.
std::map<float, std::size_t> places_of(const SplatCloud& cloud) {
  std::map<float, std::size_t> places;
  for (std::size_t i = 0; i < cloud.count(); ++i) places[cloud.sh(i, 0, 0)] = i;
  return places;
}

TEST_P(Motions, GradientsAreThoseOfTheMomentThroughTheMotion) {
  const PhotoPixels photo = grey_photo();
  const auto moving = backend().make_trainer(random_moving_cloud(300, 1, 5), {});
  StepRequest request = request_at(photo, 0.9);
  request.time_gradient = true;
  StepResult result, still_result;
  const SplatCloud found = moving->gradients(request, result);
  const SplatCloud cloud = moving->cloud();
  EXPECT_EQ(cloud.motion(), SplatMotion::life);
  EXPECT_EQ(cloud.times.duration_s, 2);
  const auto still = backend().make_trainer(moment_of(cloud, request.time_s), {});
  const SplatCloud d_still = still->gradients(request, still_result);
  const std::map<float, std::size_t> places = places_of(still->cloud());
  EXPECT_NEAR(result.loss, still_result.loss, 1e-6);
  double largest[kFields] = {};
  std::vector<StoredSplat<Whole, double>> expected(cloud.count());
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto place = places.find(cloud.sh(i, 0, 0));
    if (place == places.end()) continue;
    expected[i] = Life::at_vjp(stored_of<Whole>(cloud, i), request.time_s,
                               stored_of<Gaussian>(d_still, place->second));
    for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
      largest[plane] = std::max(largest[plane], std::abs(expected[i].value[plane]));
    }
  }
  double d_time = 0, sizes = 0;
  for (const auto& splat : expected) {
    d_time -= splat.get<Field::time_mean>();
    sizes += std::abs(splat.get<Field::time_mean>());
  }
  EXPECT_NEAR(result.d_time, d_time, 1e-3 * sizes);
  EXPECT_EQ(still_result.d_time, 0);
  for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
    ASSERT_GT(largest[plane], 0) << "plane " << plane;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      ASSERT_NEAR(found.at(i, Whole::field(plane)), expected[i].value[plane], 2e-3 * largest[plane])
          << "plane " << plane << ", splat " << i;
    }
  }
}

TEST_P(Motions, TheGradientOfTheTimeIsThatOfTheLoss) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_moving_cloud(300, 1, 5), {});
  const auto at = [&](double time_s, bool wanted) {
    StepRequest request = request_at(photo, time_s);
    request.time_gradient = wanted;
    StepResult result;
    trainer->gradients(request, result);
    return result;
  };
  EXPECT_EQ(at(0.9, false).d_time, 0);
  constexpr double kStep_s = 2e-3;
  double largest = 0, worst = 0;
  for (const double time_s : {0.3, 0.6, 0.9, 1.2, 1.5}) {
    const double difference =
        (at(time_s + kStep_s, false).loss - at(time_s - kStep_s, false).loss) / (2 * kStep_s);
    const double found = at(time_s, true).d_time;
    largest = std::max(largest, std::abs(found));
    worst = std::max(worst, std::abs(found - difference));
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_LT(worst, 0.05 * largest);
}

TEST_P(Motions, AStepOfAVelocityIsShorterForALongLife) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_moving_cloud(300, 1, 5), {});
  const SplatCloud before = trainer->cloud();
  StepRequest request = request_at(photo, 0.9);
  request.rates = {};
  request.rates.velocity = 0.01f;
  request.rates.velocity_life_s = 0.1f;
  trainer->step(request);
  const SplatCloud after = trainer->cloud();
  int whole = 0, shorter = 0;
  for (std::size_t i = 0; i < before.count(); ++i) {
    const double step = std::abs(static_cast<double>(after.at(i, Field::velocity_x)) -
                                 static_cast<double>(before.at(i, Field::velocity_x)));
    if (step == 0) continue;
    const double half_s = std::exp(static_cast<double>(before.at(i, Field::log_time_sigma))) +
                          std::exp(static_cast<double>(before.at(i, Field::log_time_plateau)));
    // The first step of Adam has the length of the rate.
    EXPECT_NEAR(step, 0.01 * std::min(0.1 / half_s, 1.0), 2e-6) << i;
    (half_s > 0.1 ? shorter : whole) += 1;
  }
  EXPECT_GT(whole, 10);
  EXPECT_GT(shorter, 10);
}

TEST_P(Motions, AStepCountsByTheWeightOfALife) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_moving_cloud(300, 1, 5), {});
  StepRequest request = request_at(photo, 0.9);
  request.rates = {};
  trainer->step(request);
  const SplatCloud cloud = trainer->cloud();
  const DensityStatistics statistics = trainer->statistics();
  int partial = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (statistics.seen[i] == 0) continue;
    const double weight = Life::weight(stored_of<Whole>(cloud, i), request.time_s);
    EXPECT_NEAR(statistics.seen[i], weight * static_cast<double>(kSeenUnit), 0.7);
    partial += weight < 0.9 ? 1 : 0;
  }
  EXPECT_GT(partial, 10);
}

TEST_P(Motions, TrainAndContinueAfterASavedState) {
  const PhotoPixels photo = grey_photo();
  const auto steps = [&](SplatTrainer& trainer, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t step = first; step <= last; ++step) {
      StepRequest request = request_at(photo, 0.3 * static_cast<double>(step % 7));
      request.step = step;
      request.rates.velocity = 0.01f;
      request.rates.time_mean = request.rates.time_sigma = request.rates.time_plateau = 1e-3f;
      request.noise = 1e-3f;
      request.noise_seed = step;
      trainer.step(request);
    }
  };
  const auto whole = backend().make_trainer(random_moving_cloud(200, 0, 5), {});
  const SplatCloud before = whole->cloud();
  steps(*whole, 1, 4);
  MemoryBytes saved;
  whole->save(saved);
  steps(*whole, 5, 8);
  const auto resumed = backend().make_trainer(random_moving_cloud(3, 0, 1), {});
  resumed->restore(saved);
  steps(*resumed, 5, 8);
  const SplatCloud after = whole->cloud();
  EXPECT_TRUE(equal(after, resumed->cloud()));
  EXPECT_EQ(resumed->cloud().times, before.times);
  for (const Field field : after.info().stored()) {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < after.count(); ++i) {
      changed += after.at(i, field) != before.at(i, field) ? 1 : 0;
    }
    EXPECT_GT(changed, 20u) << "field " << static_cast<int>(field);
  }
}

TEST_P(Motions, AnEditCopiesMotionsAndSetsOthers) {
  const auto trainer = backend().make_trainer(random_moving_cloud(40, 0, 5), {});
  const std::vector<MotionValues> before = trainer->motions();
  ASSERT_EQ(before.size(), 40u);
  MotionValues other = before[3];
  other[Field::velocity_z] = 5;
  DensityEdit edit;
  edit.source = {7, 7, 3};
  edit.forget = {0, 1, 0};
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
