// Guarantees of trainers of neural fields: they learn, and pictures are those of the field.
#include "backend/field_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "cpu/cpu_backend.h"
#include "fields/error_map.h"
#include "fields/training_schedule.h"
#include "support/field_trainer_fixture.h"
#include "support/field_trainer_states.h"
#include "support/thrown_by.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class FieldTrainers : public OnBallPhotographs {
 protected:
  /// For devices that are too slow to learn from others.
  void expect_lower_loss_of_the_same_rays(FieldTrainer& trainer) const {
    take_step(trainer, 1);  // with more rays
    std::vector<double> losses;
    for (int again = 0; again < 5; ++again) losses.push_back(take_step(trainer, 2).loss);
    EXPECT_LT(losses.back(), losses.front());
    MemoryBytes state = saved(trainer);
    EXPECT_EQ(take_schedule(state).steps, 6u);
  }

  /// The number of rays of a step when the length of the steps along rays changes no more. In a
  /// field with few cells, this is soon.
  std::uint64_t rays_after_some_steps(FieldTrainerSettings own) const {
    own.batch = is_slow() ? 1u << 10 : 1u << 13;
    const std::uint64_t steps = is_slow() ? 4 : 80;
    const auto trainer = make_trainer(1, own);
    train(*trainer, 1, steps);
    return take_step(*trainer, steps + 1).rays;
  }

  /// Takes the step in which the occupancy is measured first.
  void expect_measured(std::uint64_t steps_between) const {
    FieldTrainerSettings own = settings();
    own.occupancy_samples = own.batch * steps_between;
    const auto trainer =
        backend().make_field_trainer(with_cells_in_ball(new_field(1), 0.05f), own, {});
    const auto before = trainer->field().occupancy.values;
    MemoryBytes state = saved(*trainer);
    set_steps(state, kFirstOccupancyUpdate);
    set_rays(state, kManyRays);
    trainer->restore(state);
    train(*trainer, kFirstOccupancyUpdate + 1, kFirstOccupancyUpdate + 1);
    EXPECT_FALSE(trainer->field().occupancy.values == before);
    MemoryBytes after = saved(*trainer);
    EXPECT_EQ(take_schedule(after).next_update,
              kFirstOccupancyUpdate + std::min(steps_between, kFirstOccupancyUpdate));
  }
};

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
    EXPECT_EQ(trainer->parameters(), all_parameters(any_untrained(proposed, 1)));
    if (is_slow()) {
      expect_lower_loss_of_the_same_rays(*trainer);
      continue;
    }
    const std::vector<double> losses = train(*trainer, 1, 60);
    const double first = mean(std::span(losses).first(5)), last = mean(std::span(losses).last(5));
    EXPECT_LT(last, 0.3 * first) << first << " and " << last;
    EXPECT_EQ(trainer->field().training_step, 60u);
  }
}

TEST_P(FieldTrainers, PicturesComeCloserToTheSubject) {
  const auto trainer = make_trainer();
  const Camera camera = camera_at({2, 2, 1});  // not one of the photographs
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
  // With few steps and few cells, the picture is only a little better.
  static_assert(kFirstOccupancyUpdate >= 7);
  train(*trainer, 1, is_slow() ? 7 : 150);
  EXPECT_LT(error(), (is_slow() ? 1 : 0.5) * before);
}

TEST_P(FieldTrainers, LongerFirstStepsTrainMoreRays) {
  EXPECT_GT(rays_after_some_steps({.first_steps = 8}),
            2 * rays_after_some_steps({.first_steps = 1}));
}

TEST_P(FieldTrainers, UsualStepsReturnAfterTheFirstSamples) {
  FieldTrainerSettings own = settings();
  own.first_steps = 8;
  const auto trained = make_trainer(1, own);
  train(*trained, 1, is_slow() ? 1 : 80);
  const MemoryBytes reached = saved(*trained);
  /// For the second step after `steps_done`.
  const auto samples_per_ray = [&](std::uint64_t steps_done) {
    MemoryBytes state = reached;
    set_steps(state, steps_done);
    set_next_update(state, 2 * steps_done);  // not now
    const auto trainer = make_trainer(1, own);
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
  const std::uint64_t steps = (std::uint64_t{1} << 28) / own.batch;
  const double before = samples_per_ray(steps - 2);
  EXPECT_NEAR(before, samples_per_ray(steps / 2), 0.05 * before);
  EXPECT_GT(samples_per_ray(steps - 1), 1.6 * before);
}

TEST_P(FieldTrainers, StepsAreAtFirstTwiceAsLongAsUsual) {
  EXPECT_EQ(FieldTrainerSettings{}.first_steps, 2);
  EXPECT_GT(static_cast<double>(rays_after_some_steps({})),
            1.3 * static_cast<double>(rays_after_some_steps({.first_steps = 1})));
}

TEST_P(FieldTrainers, TheOccupancyIsMeasuredAfterTheChosenSamples) {
  expect_measured(4);
  if (is_slow()) return;  // later measurements are of a million cells
  expect_measured(512);
  for (const std::uint64_t steps_between : {std::uint64_t{4}, std::uint64_t{512}}) {
    FieldTrainerSettings own = settings();
    own.occupancy_samples = own.batch * steps_between;
    const auto trainer = make_trainer(1, own);
    train(*trainer, 1, 34);
    const auto before = trainer->field().occupancy.values;
    train(*trainer, 35, 42);
    EXPECT_EQ(trainer->field().occupancy.values == before, steps_between > 8);
  }
}

TEST_P(FieldTrainers, AMapOfErrorsChoosesPixelsThatAreWorse) {
  const auto with_map = make_trainer(1, mapped());
  FieldTrainerSettings without_map = mapped();
  without_map.mapped_photographs = 0;
  const auto uniform = make_trainer(1, without_map);
  // The map is used after these steps, of which a slow device takes the last ones.
  const std::uint64_t known = is_slow() ? 3 : kFirstErrorSteps;
  train(*with_map, 1, known - 1);
  if (is_slow()) {
    MemoryBytes later =
        with_later_errors(saved(*with_map), photographs_.size(), kFirstErrorSteps - known);
    with_map->restore(later);
  }
  train(*with_map, known, known);
  train(*uniform, 1, known);
  const std::uint64_t last = known + (is_slow() ? 2 : 8);
  const double with = mean(train(*with_map, known + 1, last)),
               without = mean(train(*uniform, known + 1, last));
  EXPECT_GT(with, 1.25 * without);
}

TEST_P(FieldTrainers, TheirMapHasTheErrorsOfTheProcessor) {
  // With products of floats.
  const auto processor =
      make_cpu_backend({.threads = 2, .isa = usable_isas().front()->kernels->name});
  const auto chances_of = [&](Backend& device) {
    const auto trainer = with_first_rays(
        device.make_field_trainer(with_cells_in_ball(new_field(1), 0.13f), mapped(), {}),
        kManyRays);
    train(*trainer, 1, 1);
    MemoryBytes state = saved(*trainer);
    ErrorMap errors = take_errors(state, photographs_.size());
    for (std::uint64_t step = 1; step < kFirstErrorSteps; ++step) errors.end_step();
    std::vector<float> chances;
    for (std::size_t i = 0; i < photographs_.size(); ++i) chances.push_back(errors.chance(i));
    return chances;
  };
  const std::vector<float> own = chances_of(backend()), expected = chances_of(*processor);
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_NEAR(own[i], expected[i], 0.02f * expected[i]) << i;
  }
  EXPECT_NE(*std::ranges::max_element(expected), *std::ranges::min_element(expected));
}

TEST_P(FieldTrainers, EqualSeedsGiveEqualResultsAndOthersDoNot) {
  const auto first = make_trainer(), again = make_trainer(), other = make_trainer();
  const std::uint64_t last = is_slow() ? 3 : 10;
  const std::vector<double> losses = train(*first, 1, last, 1);
  EXPECT_EQ(train(*again, 1, last, 1), losses);
  EXPECT_EQ(again->field().parameters, first->field().parameters);
  EXPECT_NE(train(*other, 1, last, 2), losses);
  EXPECT_NE(other->field().parameters, first->field().parameters);
}

TEST_P(FieldTrainers, ItsPicturesAreThoseOfTheFieldThatItReturns) {
  std::vector<std::uint64_t> stops{0, 40, 41};
  if (is_slow()) stops = {0, 2, 3};
  for (const bool proposed : {false, true}) {
    if (is_field_slow(proposed)) continue;
    const auto trainer = make_any_trainer(proposed);
    std::uint64_t done = 0;
    for (const std::uint64_t last : stops) {
      SCOPED_TRACE(testing::Message() << last << (proposed ? " with proposals" : ""));
      train(*trainer, done + 1, last);
      done = last;
      const auto field = backend().upload_field(trainer->field());
      RenderSettings settings;
      settings.background = {0.25f, 0.5f, 0.75f};
      settings.outputs.alpha = settings.outputs.depth = true;
      Frame found, expected;
      trainer->render(camera_at({3, 0, 1}), settings, found);
      field->render(camera_at({3, 0, 1}), settings, expected);
      EXPECT_LT(largest_difference(found.rgb, expected.rgb), 2e-3f);
      EXPECT_LT(largest_difference(found.alpha, expected.alpha), 2e-3f);
      EXPECT_LT(largest_difference(found.depth_expected, expected.depth_expected), 2e-2f);
    }
  }
}

TEST_P(FieldTrainers, PicturesDoNotDisturbTraining) {
  const std::uint64_t last = is_slow() ? 3 : 9;
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto watched = make_any_trainer(proposed), alone = make_any_trainer(proposed);
    std::vector<double> losses;
    for (std::uint64_t step = 1; step <= last; ++step) {
      losses.push_back(train(*watched, step, step).front());
      Frame frame;
      watched->render(camera_at({-1, 3, 0}), {}, frame);
      if (!is_field_slow(proposed)) watched->field();
    }
    EXPECT_EQ(losses, train(*alone, 1, last));
    if (is_field_slow(proposed)) {
      EXPECT_TRUE(saved(*watched).bytes == saved(*alone).bytes);
    } else {
      EXPECT_EQ(watched->field().parameters, alone->field().parameters);
    }
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
  const auto trainer =
      with_first_rays(backend().make_field_trainer(untrained(1), settings(), {}), kManyRays);
  const std::uint64_t last = is_slow() ? 4 : 20;
  for (std::uint64_t step = 1; step <= last; ++step) {
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
