// Splats that move on each device that the test program is linked with (test_devices.h): a picture
// and the gradient of a step are those of the splats standing still where they are at that time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "backend/train_snapshot.h"
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

constexpr SplatMotion kMoving[] = {SplatMotion::life, SplatMotion::poly};

Frame picture_at(Backend& backend, const SplatCloud& cloud, double time_s) {
  const auto scene = backend.upload(with_sh_degree(cloud, cloud.sh_degree()));
  const SceneInstance instance{.scene = scene.get(), .time_s = time_s};
  Frame frame;
  backend.render_scenes({&instance, 1}, camera_at(2.5, 100, 80), {}, frame);
  return frame;
}

TEST_P(Motions, APictureAtATimeIsThatOfTheMoment) {
  for (const SplatMotion motion : kMoving) {
    const SplatCloud cloud = random_moving_cloud(600, 1, 21, motion);
    for (const double time_s : {-0.3, 0.0, 1.0, 2.2}) {
      const Frame moving = picture_at(backend(), cloud, time_s);
      const Frame still = picture_at(backend(), moment_of(cloud, time_s), 0);
      EXPECT_LT(mean_difference(moving.rgb, still.rgb), 2e-5) << time_s << " s";
    }
  }
}

TEST_P(Motions, ASceneKnowsHowManySplatsATimeNeeds) {
  constexpr std::size_t kCount = 1024;  // whole blocks of 16
  for (const SplatMotion motion : kMoving) {
    const SplatCloud cloud = random_moving_cloud(kCount, 0, 5, motion);
    const auto scene = backend().upload(random_moving_cloud(kCount, 0, 5, motion));
    for (const double time_s : {0.0, 1.0, 1.9}) {
      EXPECT_GE(scene->living(time_s), moment_of(cloud, time_s).count()) << time_s << " s";
      EXPECT_LT(scene->living(time_s), kCount * 3 / 4) << time_s << " s";
    }
    EXPECT_EQ(scene->living(50), 0u);
    SplatCloud forever = random_moving_cloud(1, 0, 7, motion);
    forever.at(0, Field::logit_opacity) = 3;
    forever.at(0, Field::log_time_plateau) = kStaticLogPlateau;
    const std::uint32_t replaced = 77;
    backend().update(*scene, {&replaced, 1}, std::move(forever));
    EXPECT_EQ(scene->living(50), 16u) << "those of its block";
  }
  EXPECT_EQ(backend().upload(random_cloud(100, 0, 5))->living(1), 100u) << "without lives";
}

template <class Form>
StoredSplat<Form, double> stored_of(const SplatCloud& cloud, std::size_t i) {
  StoredSplat<Form, double> splat;
  for (int plane = 0; plane < Form::kFieldCount; ++plane) {
    splat.value[plane] = static_cast<double>(cloud.at(i, Form::field(plane)));
  }
  return splat;
}

/// The splats of the moment in the colours that show their motion.
SplatCloud painted_moment(const SplatCloud& cloud, double time_s, const MotionPaint& paint) {
  constexpr double kBand0 = 0.28209479177387814;
  std::vector<std::uint32_t> source;
  SplatCloud moment = with_sh_degree(moment_of(cloud, time_s, &source), 0);
  for (std::size_t i = 0; i < moment.count(); ++i) {
    const auto values = activate(stored_of<MovingKind<Gaussian, Life>>(cloud, source[i]));
    const Vec3<double> color = Life::painted(values, paint);
    moment.sh(i, 0, 0) = static_cast<float>((color.x - 0.5) / kBand0);
    moment.sh(i, 0, 1) = static_cast<float>((color.y - 0.5) / kBand0);
    moment.sh(i, 0, 2) = static_cast<float>((color.z - 0.5) / kBand0);
  }
  return moment;
}

TEST_P(Motions, PaintedMotionIsAPictureInItsColours) {
  const SplatCloud cloud = random_moving_cloud(600, 1, 21);
  const auto scene = backend().upload(with_sh_degree(cloud, 1));
  const SceneInstance instance{.scene = scene.get(), .time_s = 1};
  for (const PaintedMotion what : {PaintedMotion::velocity, PaintedMotion::life}) {
    RenderSettings settings;
    settings.paint = {.what = what, .half_speed = 0.4f, .duration_s = 2};
    Frame frame;
    backend().render_scenes({&instance, 1}, camera_at(2.5, 100, 80), settings, frame);
    const Frame expected = picture_at(backend(), painted_moment(cloud, 1, settings.paint), 0);
    EXPECT_LT(mean_difference(frame.rgb, expected.rgb), 2e-5);
  }
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

template <class Motion>
void expect_gradients_of_the_moment(Backend& backend) {
  using Whole = MovingKind<Gaussian, Motion>;
  SCOPED_TRACE(Motion::kName);
  const PhotoPixels photo = grey_photo();
  const auto moving = backend.make_trainer(random_moving_cloud(300, 1, 5, Motion::kMotion), {});
  StepRequest request = request_at(photo, 0.9);
  request.time_gradient = true;
  StepResult result, still_result;
  const SplatCloud found = moving->gradients(request, result);
  const SplatCloud cloud = moving->cloud();
  EXPECT_EQ(cloud.motion(), Motion::kMotion);
  EXPECT_EQ(cloud.times.duration_s, 2);
  const auto still = backend.make_trainer(moment_of(cloud, request.time_s), {});
  const SplatCloud d_still = still->gradients(request, still_result);
  const std::map<float, std::size_t> places = places_of(still->cloud());
  EXPECT_NEAR(result.loss, still_result.loss, 1e-6);
  double largest[kFields] = {};
  std::vector<StoredSplat<Whole, double>> expected(cloud.count());
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto place = places.find(cloud.sh(i, 0, 0));
    if (place == places.end()) continue;
    expected[i] = Motion::at_vjp(stored_of<Whole>(cloud, i), at_time(request.time_s),
                                 stored_of<Gaussian>(d_still, place->second));
    for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
      largest[plane] = std::max(largest[plane], std::abs(expected[i].value[plane]));
    }
  }
  double d_time = 0, sizes = 0;
  for (const auto& splat : expected) {
    d_time -= splat.template get<Field::time_mean>();
    sizes += std::abs(splat.template get<Field::time_mean>());
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

TEST_P(Motions, GradientsAreThoseOfTheMomentThroughTheMotion) {
  expect_gradients_of_the_moment<Life>(backend());
  expect_gradients_of_the_moment<Poly>(backend());
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
  using Whole = MovingKind<Gaussian, Life>;
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
    const double weight = Life::weight(stored_of<Whole>(cloud, i), at_time(request.time_s));
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
      request.rates.quadratic = request.rates.cubic = request.rates.spin = 0.01f;
      request.rates.time_mean = request.rates.time_sigma = request.rates.time_plateau = 1e-3f;
      request.noise = 1e-3f;
      request.noise_seed = step;
      trainer.step(request);
    }
  };
  for (const SplatMotion motion : kMoving) {
    const auto whole = backend().make_trainer(random_moving_cloud(200, 0, 5, motion), {});
    const SplatCloud before = whole->cloud();
    steps(*whole, 1, 2);
    MemoryBytes saved;
    whole->save(saved);
    steps(*whole, 3, 5);
    const auto resumed = backend().make_trainer(random_moving_cloud(3, 0, 1, motion), {});
    resumed->restore(saved);
    steps(*resumed, 3, 5);
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

/// As births do: the constant harmonic is set, the others become zero, and so do the moments.
TEST_P(Motions, AnEditSetsColours) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_moving_cloud(70, 1, 5), {});
  trainer->step(request_at(photo, 0.9));
  const SplatCloud before = trainer->cloud();
  DensityEdit edit = without(70, {});
  std::map<float, float> red_of;  // of each splat, by the mean of its life
  std::set<float> set;
  for (std::uint32_t i = 0; i < 70; ++i) {
    const float time_mean = before.at(i, Field::time_mean);
    red_of[time_mean] = before.sh(i, 0, 0);
    if (i % 3 != 1) continue;
    const float value = static_cast<float>(i);
    edit.colors.push_back({i, {value, value + 100, value + 200}});
    edit.forget[i] = 1;
    set.insert(time_mean);
    red_of[time_mean] = value;
  }
  trainer->edit(edit);
  MemoryBytes state;
  trainer->save(state);
  TrainSnapshot after{SplatCloud(0, before)};
  after.restore(state);
  ASSERT_EQ(after.splats.count(), 70u);
  std::size_t colored = 0, with_moments = 0;
  for (std::size_t i = 0; i < 70; ++i) {
    const float time_mean = after.splats.at(i, Field::time_mean);
    ASSERT_TRUE(red_of.contains(time_mean));
    EXPECT_EQ(after.splats.sh(i, 0, 0), red_of[time_mean]) << i;
    with_moments += after.first.sh(i, 0, 0) != 0 ? 1 : 0;
    if (!set.contains(time_mean)) {
      EXPECT_NE(after.splats.sh(i, 1, 0), 0) << "others keep theirs";
      continue;
    }
    ++colored;
    EXPECT_EQ(after.splats.sh(i, 0, 1), red_of[time_mean] + 100);
    EXPECT_EQ(after.splats.sh(i, 0, 2), red_of[time_mean] + 200);
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 3; ++c) {
        if (k > 0) {
          EXPECT_EQ(after.splats.sh(i, k, c), 0);
        }
        EXPECT_EQ(after.first.sh(i, k, c), 0);
        EXPECT_EQ(after.second.sh(i, k, c), 0);
      }
    }
  }
  EXPECT_EQ(colored, 23u);
  EXPECT_GT(with_moments, 5u);
}

TEST_P(Motions, ADensityChangeOfTheDeviceCopiesMotions) {
  const auto trainer = backend().make_trainer(random_moving_cloud(200, 0, 5), {});
  std::map<float, MotionValues> known;  // by the mean of the life
  for (const MotionValues& motion : trainer->motions()) known[motion[Field::time_mean]] = motion;
  const McmcOutcome outcome = trainer->change({.dead_opacity = 0.1, .count = 260}, {}, 3);
  EXPECT_GT(outcome.relocated + outcome.added, 20u);
  for (const MotionValues& motion : trainer->motions()) {
    const auto same = known.find(motion[Field::time_mean]);
    ASSERT_NE(same, known.end());
    EXPECT_EQ(motion[Field::velocity_y], same->second[Field::velocity_y]);
    EXPECT_EQ(motion[Field::log_time_sigma], same->second[Field::log_time_sigma]);
  }
}

TEST_P(Motions, ChangedSplatsLiveAtTheirNewTimes) {
  SplatCloud cloud = random_moving_cloud(600, 0, 8);
  const auto scene = backend().upload(with_sh_degree(cloud, 0));
  std::vector<std::uint32_t> changed;
  for (std::uint32_t i = 0; i < 600; i += 7) {
    changed.push_back(i);
    cloud.at(i, Field::time_mean) = 2 - cloud.at(i, Field::time_mean);
    cloud.at(i, Field::log_time_sigma) += 0.5f;
  }
  backend().update(*scene, changed, reordered(cloud, changed));
  for (const double time_s : {0.2, 1.1, 1.9}) {
    const SceneInstance instance{.scene = scene.get(), .time_s = time_s};
    Frame frame;
    backend().render_scenes({&instance, 1}, camera_at(2.5, 100, 80), {}, frame);
    const Frame anew = picture_at(backend(), cloud, time_s);
    EXPECT_EQ(mean_difference(frame.rgb, anew.rgb), 0) << time_s << " s";
  }
}

}  // namespace
}  // namespace mote
