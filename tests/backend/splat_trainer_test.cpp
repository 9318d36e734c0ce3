// Guarantees of trainers other than the gradient (trainer_gradient_test.cpp), on each device that
// the test program is linked with: a state is restored bit for bit, edits keep the parameters that
// they copy, and splats out of view move as Adam moves them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/error.h"
#include "math/adam.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "support/test_devices.h"

namespace mote {
namespace {

class SplatTrainers : public OnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, SplatTrainers, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(SplatTrainers, ResumesFromASavedStateBitForBit) {
  const PhotoPixels photo = grey_photo();
  const auto whole = backend().make_trainer(random_cloud(500, 1, 5), {});
  train(*whole, photo, 1, 4);
  MemoryBytes state;
  whole->save(state);
  train(*whole, photo, 5, 9);

  const auto resumed = backend().make_trainer(random_cloud(10, 1, 6), {});
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  train(*resumed, photo, 5, 9);
  EXPECT_TRUE(equal(whole->cloud(), resumed->cloud()));
  EXPECT_EQ(whole->statistics().gradient, resumed->statistics().gradient);
}

TEST_P(SplatTrainers, ATruncatedStateIsAnError) {
  const auto trainer = backend().make_trainer(random_cloud(40, 1, 5), {});
  MemoryBytes state;
  trainer->save(state);
  const std::size_t whole = state.left();
  for (std::size_t kept = 0; kept < whole; kept += 97) {
    std::vector<std::byte> bytes(whole);
    MemoryBytes copy;
    trainer->save(copy);
    copy.read(bytes);
    MemoryBytes cut;
    cut.write(std::span(bytes).first(kept));
    EXPECT_THROW(trainer->restore(cut), Error) << kept;
  }
}

/// The order of the splats, found by a value that is different for each.
std::size_t find(const SplatCloud& cloud, float red) {
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (cloud.sh(i, 0, 0) == red) return i;
  }
  ADD_FAILURE() << "no splat of red " << red;
  return 0;
}

TEST_P(SplatTrainers, AnEditCopiesChangesAndClearsMoments) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_cloud(100, 1, 5), {});
  train(*trainer, photo, 1, 5);
  const SplatCloud before = trainer->cloud();
  const std::vector<SplatGeometry> geometry = trainer->geometry();
  ASSERT_EQ(geometry.size(), 100u);

  DensityEdit edit;
  for (std::uint32_t i = 10; i < 90; ++i) edit.source.push_back(i);
  edit.source.insert(edit.source.end(), {20, 20, 20});
  edit.forget.assign(edit.source.size(), 0);
  edit.forget[81] = 1;
  SplatGeometry moved = geometry[20];
  moved.mean[0] = 0.125f;
  moved.logit_opacity = -1.5f;
  edit.changes.push_back({80, moved});
  trainer->edit(edit);

  const SplatCloud after = trainer->cloud();
  ASSERT_EQ(after.count(), 83u);
  std::size_t copies = 0, changed = 0;
  for (std::size_t i = 0; i < after.count(); ++i) {
    if (after.sh(i, 0, 0) != before.sh(20, 0, 0)) continue;
    ++copies;
    changed += after.at(i, Field::mean_x) == 0.125f && after.at(i, Field::logit_opacity) == -1.5f;
    EXPECT_EQ(after.at(i, Field::mean_y), before.at(20, Field::mean_y));
    EXPECT_EQ(after.sh(i, 3, 2), before.sh(20, 3, 2));
  }
  EXPECT_EQ(copies, 4u);
  EXPECT_EQ(changed, 1u);
  const std::size_t kept = find(after, before.sh(30, 0, 0));
  EXPECT_EQ(after.at(kept, Field::log_scale_z), before.at(30, Field::log_scale_z));
  for (const float sum : trainer->statistics().gradient) EXPECT_EQ(sum, 0.0f);

  // The copies differ only in their optimiser state: the one with cleared moments takes another
  // step.
  train(*trainer, photo, 6, 6);
  const SplatCloud stepped = trainer->cloud();
  std::vector<float> greens;
  for (std::size_t i = 0; i < after.count(); ++i) {
    if (after.sh(i, 0, 0) == before.sh(20, 0, 0)) greens.push_back(stepped.sh(i, 0, 1));
  }
  std::ranges::sort(greens);
  greens.erase(std::unique(greens.begin(), greens.end()), greens.end());
  EXPECT_GE(greens.size(), 2u);
}

TEST_P(SplatTrainers, LimitedOpacitiesReachAtMostTheLimit) {
  const auto trainer = backend().make_trainer(random_cloud(200, 0, 5), {});
  trainer->limit_opacity(0.01f);
  const SplatCloud cloud = trainer->cloud();
  const float limit = std::log(0.01f / 0.99f);
  float highest = -100;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    highest = std::max(highest, cloud.at(i, Field::logit_opacity));
  }
  EXPECT_NEAR(highest, limit, 1e-5);
}

TEST_P(SplatTrainers, SplatsOutOfViewMoveAsDenseAdamMovesThem) {
  // One splat is visible in 10 steps, then invisible in 40, then visible in one more. Its
  // brightness is compared with Adam in double that steps at all 51, with the gradients that the
  // trainer reports.
  const PhotoPixels photo = grey_photo();
  const Camera front = training_camera({4, 0, 0}), away = training_camera({4, 0, 0}, {8, 0, 0});
  SplatCloud cloud = random_cloud(1, 0, 5);
  for (int axis = 0; axis < 3; ++axis) {
    cloud.at(0, static_cast<Field>(axis)) = 0;
    cloud.at(0, static_cast<Field>(3 + axis)) = -1;
  }
  cloud.at(0, Field::logit_opacity) = 0;
  const auto trainer = backend().make_trainer(std::move(cloud), {});
  double value = static_cast<double>(trainer->cloud().sh(0, 0, 0)), first = 0, second = 0;
  const double start = value;
  double last_seen = 0;
  for (std::uint64_t t = 1; t <= 51; ++t) {
    const bool seen = t <= 10 || t == 51;
    StepRequest request = request_of(seen ? front : away, photo, t);
    request.loss.ssim_weight = 0;  // any gradient will do, and SSIM is slow on the host
    StepResult result;
    const double g = static_cast<double>(trainer->gradients(request, result).sh(0, 0, 0));
    EXPECT_EQ(result.visible, seen ? 1u : 0u);
    first += (1 - kAdamBeta1) * (g - first);
    second += (1 - kAdamBeta2) * (g * g - second);
    const double time = static_cast<double>(t);
    value -= static_cast<double>(request.rates.sh_0) * first / (1 - std::pow(kAdamBeta1, time)) /
             (std::sqrt(second / (1 - std::pow(kAdamBeta2, time))) + kAdamEpsilon);
    trainer->step(request);
    if (t == 10) last_seen = value;
  }
  const double drift = std::abs(value - last_seen);
  ASSERT_GT(drift, 0.2 * std::abs(last_seen - start));  // otherwise the test would prove nothing
  EXPECT_NEAR(static_cast<double>(trainer->cloud().sh(0, 0, 0)), value, 0.01 * drift);
}

TEST_P(SplatTrainers, StatisticsCountVisibleSplats) {
  const PhotoPixels photo = grey_photo();
  for (const bool absolute : {false, true}) {
    TrainerSettings settings;
    settings.absolute_gradients = absolute;
    const auto trainer = backend().make_trainer(random_cloud(300, 0, 5), settings);
    std::uint64_t visible = 0;
    for (std::uint64_t i = 1; i <= 3; ++i) {
      visible += trainer->step(request_of(training_camera({4, 0.5, 1}), photo, i)).visible;
    }
    const DensityStatistics statistics = trainer->statistics();
    std::uint64_t seen = 0;
    double gradients = 0, largest = 0;
    for (std::size_t i = 0; i < trainer->count(); ++i) {
      seen += statistics.seen[i];
      gradients += static_cast<double>(statistics.gradient[i]);
      largest = std::max(largest, static_cast<double>(statistics.radius_px[i]));
      EXPECT_TRUE(statistics.seen[i] > 0 || statistics.gradient[i] == 0.0f) << i;
    }
    EXPECT_EQ(seen, visible);
    EXPECT_GT(gradients, 0);
    EXPECT_GT(largest, 1);
    trainer->clear_statistics();
    EXPECT_EQ(trainer->statistics().seen[0], 0u);
  }
}

TEST_P(SplatTrainers, TheCamerasGradientIsComputedOnlyOnRequest) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_cloud(60, 1, 3), {});
  for (std::uint64_t step = 1; step <= 4; ++step) {
    StepRequest request = request_of(training_camera({4, 0.5, 1}), photo, step);
    request.pose_gradient = step % 2 == 0;
    const StepResult result = trainer->step(request);
    EXPECT_EQ(result.d_pose_rotation != glm::dvec3(0), request.pose_gradient) << step;
    EXPECT_EQ(result.d_pose_translation != glm::dvec3(0), request.pose_gradient) << step;
  }
}

TEST_P(SplatTrainers, AbsoluteGradientsAreNoSmaller) {
  const PhotoPixels photo = grey_photo();
  double sums[2] = {0, 0};
  for (const bool absolute : {false, true}) {
    TrainerSettings settings;
    settings.absolute_gradients = absolute;
    const auto trainer = backend().make_trainer(random_cloud(300, 0, 5), settings);
    trainer->step(request_of(training_camera({4, 0.5, 1}), photo, 1));
    for (const float g : trainer->statistics().gradient) {
      sums[absolute ? 1 : 0] += static_cast<double>(g);
    }
  }
  EXPECT_GT(sums[1], 1.2 * sums[0]);
}

/// A different kind of photograph for each number: with and without alpha and mask, of two sizes.
std::shared_ptr<const PhotoPixels> photo_of_kind(int kind) {
  auto photo = std::make_shared<PhotoPixels>();
  const int width = kind == 2 ? 20 : 40, height = kind == 2 ? 15 : 30;
  const auto fill = [&](Image8& image, int channels, std::size_t pace) {
    image.resize_discard(width, height, channels);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      image.pixels[i] = static_cast<std::uint8_t>(90 + i * pace % 101);
    }
  };
  fill(photo->color, kind == 1 ? 4 : 3, 5 + static_cast<std::size_t>(kind));
  if (kind >= 2) fill(photo->mask, 1, 3);
  return photo;
}

TEST_P(SplatTrainers, TheAnnouncedNextPhotographChangesNoBit) {
  constexpr int kKinds = 4;
  std::vector<std::shared_ptr<const PhotoPixels>> photos;
  for (int kind = 0; kind < kKinds; ++kind) photos.push_back(photo_of_kind(kind));
  const auto photo_at = [&](std::uint64_t step) { return photos[step % kKinds]; };
  using Told = std::function<std::shared_ptr<const PhotoPixels>(std::uint64_t step)>;
  const auto trained = [&](const Told& told) {
    const auto trainer = backend().make_trainer(random_cloud(60, 0, 5), {});
    for (std::uint64_t step = 1; step <= 7; ++step) {
      const auto photo = photo_at(step);
      const double angle = static_cast<double>(step);
      const Camera camera = resized(training_camera({4 * std::cos(angle), 4 * std::sin(angle), 1}),
                                    photo->color.width, photo->color.height);
      StepRequest request = request_of(camera, *photo, step);
      request.next_photo = told(step);
      trainer->step(request);
    }
    return trainer->cloud();
  };
  const SplatCloud expected = trained([](auto) { return nullptr; });
  const Told tellers[] = {
      [&](auto step) { return photo_at(step + 1); },                            // right
      [&](auto step) { return photo_at(step + 2); },                            // one step early
      [&](auto step) { return photo_at(step); },                                // the present one
      [&](auto step) { return step % 3 == 0 ? nullptr : photo_at(step + 1); },  // only sometimes
      [&](auto step) { return photo_of_kind(static_cast<int>((step + 1) % kKinds)); }};  // gone
  for (const Told& told : tellers) EXPECT_TRUE(equal(trained(told), expected));
}

}  // namespace
}  // namespace mote
