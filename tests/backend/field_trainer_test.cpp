// Guarantees of trainers of neural fields: they learn, and pictures are those of the field.
#include "backend/field_trainer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "fields/error_map.h"
#include "support/fake_training.h"
#include "support/field_trainer_fixture.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

INSTANTIATE_TEST_SUITE_P(On, FieldTrainers, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST_P(FieldTrainers, TheLossFalls) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto trainer = make_any_trainer(proposed);
    EXPECT_EQ(trainer->parameters(),
              all_parameters(proposed ? new_proposed_field(1) : new_field(1)));
    const std::vector<double> losses = train(*trainer, 1, 60);
    const double first = mean(std::span(losses).first(5)), last = mean(std::span(losses).last(5));
    EXPECT_LT(last, 0.3 * first) << first << " and " << last;
    EXPECT_EQ(trainer->field().training_step, 60u);
  }
}

TEST_P(FieldTrainers, PicturesComeCloserToTheSubject) {
  const auto trainer = make_trainer();
  const Camera camera = ball_camera({2, 2, 1});  // not one of the photographs
  const PhotoPixels truth = ball_photo(camera);
  const auto error = [&] {
    Frame frame;
    trainer->render(camera, {}, frame);
    double sum = 0;
    for (std::size_t p = 0; p < frame.rgb.pixels.size() / 3; ++p) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum += std::abs(static_cast<double>(frame.rgb.pixels[3 * p + c]) -
                        truth.color.pixels[4 * p + c] / 255.0);
      }
    }
    return sum / static_cast<double>(frame.rgb.pixels.size());
  };
  const double before = error();
  train(*trainer, 1, 150);
  EXPECT_LT(error(), 0.5 * before);
}

TEST_P(FieldTrainers, LongerFirstStepsTrainMoreRays) {
  std::vector<std::uint64_t> rays;
  for (const float first_steps : {1.0f, 8.0f}) {
    const auto trainer = make_trainer(1, {.batch = 1 << 13, .first_steps = first_steps});
    train(*trainer, 1, 80);
    rays.push_back(trainer->step({.photographs = photographs_, .step = 81}).rays);
  }
  EXPECT_GT(rays[1], 2 * rays[0]);
}

TEST_P(FieldTrainers, UsualStepsReturnAfterTheFirstSamples) {
  const FieldTrainerSettings settings{.batch = 1 << 13, .first_steps = 8};
  const auto trained = make_trainer(1, settings);
  train(*trained, 1, 80);
  /// For the second step after `steps_done`.
  const auto samples_per_ray = [&](std::uint64_t steps_done) {
    MemoryBytes state;
    trained->save(state);
    std::memcpy(state.bytes.data(), &steps_done, sizeof steps_done);  // the state begins with it
    const auto trainer = make_trainer(1, settings);
    trainer->restore(state);
    FieldStepResult result;
    for (std::uint64_t step = 1; step <= 2; ++step) {
      result = trainer->step({.photographs = photographs_,
                              .random_background = true,
                              .step = steps_done + step,
                              .seed = 5});
    }
    return static_cast<double>(result.samples) / static_cast<double>(result.rays);
  };
  constexpr std::uint64_t kSteps = (std::uint64_t{1} << 28) / (1 << 13);
  const double before = samples_per_ray(kSteps - 2);
  EXPECT_NEAR(before, samples_per_ray(kSteps / 2), 0.05 * before);
  EXPECT_GT(samples_per_ray(kSteps - 1), 1.6 * before);
}

TEST_P(FieldTrainers, StepsAreAtFirstTwiceAsLongAsUsual) {
  EXPECT_EQ(FieldTrainerSettings{}.first_steps, 2);
  std::vector<std::uint64_t> rays;
  for (const FieldTrainerSettings& settings :
       {FieldTrainerSettings{.batch = 1 << 13},
        FieldTrainerSettings{.batch = 1 << 13, .first_steps = 1}}) {
    const auto trainer = make_trainer(1, settings);
    train(*trainer, 1, 80);
    rays.push_back(trainer->step({.photographs = photographs_, .step = 81}).rays);
  }
  EXPECT_GT(static_cast<double>(rays[0]), 1.3 * static_cast<double>(rays[1]));
}

TEST_P(FieldTrainers, TheOccupancyIsMeasuredAfterTheChosenSamples) {
  for (const std::uint64_t steps_between : {std::uint64_t{4}, std::uint64_t{512}}) {
    const std::uint64_t batch = 1 << 13;
    const auto trainer =
        make_trainer(1, {.batch = batch, .occupancy_samples = batch * steps_between});
    train(*trainer, 1, 34);
    const auto before = trainer->field().occupancy.values;
    train(*trainer, 35, 42);
    EXPECT_EQ(trainer->field().occupancy.values == before, steps_between > 8);
  }
}

TEST_P(FieldTrainers, AMapOfErrorsChoosesPixelsThatAreWorse) {
  const auto mapped = make_trainer(1, kMapped);
  const auto uniform = make_trainer(1, {.batch = kMapped.batch});
  const std::uint64_t known = kFirstErrorSteps;
  train(*mapped, 1, known);
  train(*uniform, 1, known);
  const double with = mean(train(*mapped, known + 1, known + 8)),
               without = mean(train(*uniform, known + 1, known + 8));
  EXPECT_GT(with, 1.25 * without);
}

TEST_P(FieldTrainers, EqualSeedsGiveEqualResultsAndOthersDoNot) {
  const auto first = make_trainer(), again = make_trainer(), other = make_trainer();
  const std::vector<double> losses = train(*first, 1, 10, 1);
  EXPECT_EQ(train(*again, 1, 10, 1), losses);
  EXPECT_EQ(again->field().parameters, first->field().parameters);
  EXPECT_NE(train(*other, 1, 10, 2), losses);
  EXPECT_NE(other->field().parameters, first->field().parameters);
}

TEST_P(FieldTrainers, ItsPicturesAreThoseOfTheFieldThatItReturns) {
  const auto old = make_trainer(), proposed = make_any_trainer(true);
  for (FieldTrainer* trainer : {old.get(), proposed.get()})
    for (const std::uint64_t last : {0u, 40u, 41u}) {
      SCOPED_TRACE(testing::Message() << last << (trainer == old.get() ? "" : " with proposals"));
      train(*trainer, last == 41 ? 41 : 1, last);
      const auto field = backend().upload_field(trainer->field());
      RenderSettings settings;
      settings.background = {0.25f, 0.5f, 0.75f};
      settings.outputs.alpha = settings.outputs.depth = true;
      Frame found, expected;
      trainer->render(cameras_[0], settings, found);
      field->render(cameras_[0], settings, expected);
      EXPECT_LT(largest_difference(found.rgb, expected.rgb), 2e-3f);
      EXPECT_LT(largest_difference(found.alpha, expected.alpha), 2e-3f);
      EXPECT_LT(largest_difference(found.depth_expected, expected.depth_expected), 2e-2f);
    }
}

TEST_P(FieldTrainers, PicturesDoNotDisturbTraining) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto watched = make_any_trainer(proposed), alone = make_any_trainer(proposed);
    std::vector<double> losses;
    for (std::uint64_t step = 1; step <= 9; ++step) {
      losses.push_back(train(*watched, step, step).front());
      Frame frame;
      watched->render(cameras_[1], {}, frame);
      watched->field();
    }
    EXPECT_EQ(losses, train(*alone, 1, 9));
    EXPECT_EQ(watched->field().parameters, alone->field().parameters);
  }
}

TEST_P(FieldTrainers, RefusesNormalsAndTileCosts) {
  const auto trainer = make_trainer();
  const auto field = backend().upload_field(new_field(1));
  for (DeviceField* drawn : {static_cast<DeviceField*>(trainer.get()), field.get()}) {
    Frame frame;
    RenderSettings settings;
    settings.outputs.normal = true;
    const Error error = thrown_by([&] { drawn->render(cameras_[0], settings, frame); });
    EXPECT_EQ(error.problem(), "neural fields have no normals");
    EXPECT_NE(error.remedy(), "");
    settings.outputs = {.tile_cost = true};
    EXPECT_THROW(drawn->render(cameras_[0], settings, frame), Error);
  }
}

TEST_P(FieldTrainers, StaysFiniteWithExtremePhotographs) {
  // One pixel of white; black and white with alpha and a mask; all transparent.
  std::vector<PhotoPixels> pixels(3);
  pixels[0].color.resize_discard(1, 1, 3);
  pixels[1].color.resize_discard(64, 2, 4);
  pixels[1].mask.resize_discard(64, 2, 1);
  pixels[2].color.resize_discard(5, 4, 4);
  for (Image8* image : {&pixels[0].color, &pixels[1].color, &pixels[1].mask, &pixels[2].color}) {
    for (std::size_t i = 0; i < image->pixels.size(); ++i) {
      image->pixels[i] = i * i % 5 < 3 ? 255 : 0;
    }
  }
  for (std::size_t p = 0; p < 20; ++p) pixels[2].color.pixels[4 * p + 3] = 0;
  // From outside, from inside the field, and from far away.
  const glm::dvec3 eyes[] = {{3, 0, 1}, {0.1, 0.2, 0.1}, {0, 1000, 0}};
  std::vector<FieldPhoto> photographs;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const Image8& image = pixels[i].color;
    photographs.push_back({resized(ball_camera(eyes[i]), image.width, image.height), &pixels[i]});
  }
  photographs[1].exposure = {8, 0, 0, -1, 0, 1e-3f, 0, 0, 0, 0, 0, 100};
  const auto trainer = backend().make_field_trainer(new_field(1), kFieldSettings, {});
  for (std::uint64_t step = 1; step <= 20; ++step) {
    const FieldStepResult result = trainer->step(
        {.photographs = photographs, .background = {1, 0, 1}, .step = step, .seed = step});
    ASSERT_TRUE(std::isfinite(result.loss)) << step;
    EXPECT_EQ(result.non_finite, 0u) << step;
    EXPECT_GT(result.rays, 0u) << step;
    for (const float d : result.d_background) EXPECT_TRUE(std::isfinite(d)) << step;
  }
  for (const float value : trainer->field().parameters) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace mote
