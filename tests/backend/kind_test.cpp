// Every kind of splat on each device that the test program is linked with (test_devices.h): its
// picture and the gradient of a training step against their definition in double, and a short
// training.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "support/defined_splats.h"
#include "support/fake_training.h"
#include "support/test_devices.h"

namespace mote {
namespace {

using Parameters = std::tuple<TestDevice, SplatKind, bool>;

class Kinds : public testing::TestWithParam<Parameters> {
 protected:
  void SetUp() override {
    const TestDevice& device = std::get<0>(GetParam());
    if (!device.missing.empty()) GTEST_SKIP() << device.missing;
    backend_ = device.make();
  }
  SplatKind kind() const { return std::get<1>(GetParam()); }
  bool antialiased() const { return std::get<2>(GetParam()); }
  const KindInfo& info() const { return kind_info(kind()); }
  std::unique_ptr<SplatTrainer> trainer(const Values& values, BackwardForm form) {
    return backend_->make_trainer(cloud_of(info(), values),
                                  {.antialiased = antialiased(), .backward = form});
  }

  std::unique_ptr<Backend> backend_;
};

std::vector<SplatKind> all_kinds() {
  std::vector<SplatKind> kinds;
  for (int k = 0; k < kSplatKinds; ++k) kinds.push_back(static_cast<SplatKind>(k));
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(On, Kinds,
                         testing::Combine(testing::ValuesIn(test_devices()),
                                          testing::ValuesIn(all_kinds()), testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" +
                                  kind_info(std::get<1>(info.param)).name +
                                  (std::get<2>(info.param) ? "_antialiased" : "");
                         });

TEST_P(Kinds, AreDrawnAsTheirDefinitionSays) {
  const Values values = random_values(info());
  const std::vector<double> expected = picture_of(kind(), antialiased(), values);
  RenderSettings settings;
  settings.antialiased = antialiased();
  Frame frame;
  const auto scene = backend_->upload(cloud_of(info(), values));
  backend_->render(*scene, small_camera(), settings, frame);
  int flipped = 0;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(frame.rgb.pixels[i]) - expected[i]);
    // A pixel at a threshold may count a splat or not: up to 1/255 of its colour.
    if (difference > 2e-4) ++flipped;
    largest = std::max(largest, difference);
  }
  EXPECT_LT(flipped, static_cast<int>(expected.size()) / 200);
  EXPECT_LT(largest, 0.02);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0.2);
}

TEST_P(Kinds, HaveTheGradientOfTheirDefinition) {
  constexpr double kStep = 1e-5;
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  Values expected = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values[i].size(); ++k) {
      Values plus = values, minus = values;
      plus[i][k] += kStep;
      minus[i][k] -= kStep;
      expected[i][k] = (loss_of(picture_of(kind(), antialiased(), plus), photo) -
                        loss_of(picture_of(kind(), antialiased(), minus), photo)) /
                       (2 * kStep);
    }
  }
  for (const BackwardForm form : std::get<0>(GetParam()).backward_forms) {
    const auto trained = trainer(values, form);
    StepResult result;
    const SplatCloud found = trained->gradients(request_for(photo, 1), result);
    const SplatCloud order = trained->cloud();
    for (std::size_t k = 0; k < values[0].size(); ++k) {
      double error = 0, norm = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t place = 0;  // of the splat, by its position
        while (static_cast<double>(order.at(place, Field::mean_x)) != values[i][0]) ++place;
        const auto field_count = static_cast<std::size_t>(info().field_count);
        const double value =
            k < field_count
                ? static_cast<double>(found.at(place, info().fields[k]))
                : static_cast<double>(found.sh(place, static_cast<int>(k - field_count) / 3,
                                               static_cast<int>(k - field_count) % 3));
        error += (value - expected[i][k]) * (value - expected[i][k]);
        norm += expected[i][k] * expected[i][k];
      }
      EXPECT_LT(std::sqrt(error), 0.01 * std::sqrt(norm) + 1e-7) << "stored value " << k;
    }
  }
}

TEST_P(Kinds, StandStillAtAllTimes) {
  const Values values = random_values(info());
  const auto scene = backend_->upload(cloud_of(info(), values));
  Frame now, later;
  for (const double time_s : {0.0, 7.5}) {
    const SceneInstance instance{.scene = scene.get(), .time_s = time_s};
    backend_->render_scenes({&instance, 1}, small_camera(), {}, time_s > 0 ? later : now);
  }
  EXPECT_TRUE(std::ranges::equal(now.rgb.pixels.span(), later.rgb.pixels.span()));

  const PhotoPixels photo = photograph();
  const auto still = trainer(values, BackwardForm::strips);
  const auto timed = trainer(values, BackwardForm::strips);
  StepRequest request = request_for(photo, 1);
  const double loss = still->step(request).loss;
  request.time_s = 7.5;
  EXPECT_EQ(timed->step(request).loss, loss);
  EXPECT_EQ(timed->cloud().at(0, Field::mean_x), still->cloud().at(0, Field::mean_x));
}

TEST_P(Kinds, LearnAPhotograph) {
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  const auto trained = trainer(values, BackwardForm::strips);
  const double before = trained->step(request_for(photo, 1)).loss;
  double after = before;
  for (std::uint64_t step = 2; step <= 60; ++step) {
    const StepResult result = trained->step(request_for(photo, step));
    EXPECT_EQ(result.non_finite, 0u);
    after = result.loss;
  }
  EXPECT_LT(after, 0.97 * before);
}

TEST_P(Kinds, AreRestoredBitForBit) {
  const PhotoPixels photo = photograph();
  const auto whole = trainer(random_values(info()), BackwardForm::strips);
  for (std::uint64_t step = 1; step <= 5; ++step) whole->step(request_for(photo, step));
  MemoryBytes bytes;
  whole->save(bytes);
  const auto resumed = trainer(random_values(info()), BackwardForm::strips);
  resumed->restore(bytes);
  for (std::uint64_t step = 6; step <= 8; ++step) {
    whole->step(request_for(photo, step));
    resumed->step(request_for(photo, step));
  }
  const SplatCloud a = whole->cloud(), b = resumed->cloud();
  for (std::size_t i = 0; i < kDefinedSplats; ++i) {
    for (const Field field : info().stored()) EXPECT_EQ(a.at(i, field), b.at(i, field));
  }
}

TEST_P(Kinds, AreSplitSharedAndMoved) {
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  const auto trained = trainer(values, BackwardForm::strips);
  StepRequest request = request_for(photo, 1);
  request.noise = 0.1f;
  request.noise_seed = 3;
  trained->step(request);
  const McmcOutcome grown = trained->change(McmcRules{.count = 2 * kDefinedSplats}, {}, 5);
  EXPECT_EQ(grown.added, kDefinedSplats);
  trained->step(request_for(photo, 2));
  const AdcOutcome split =
      trained->change(AdcRules{.gradient = 1e-9, .clone_scale = 1e-9, .most = 100}, {}, 5);
  EXPECT_GT(split.split, 0u);
  EXPECT_EQ(trained->count(), 2 * kDefinedSplats + split.split - split.removed);
  const StepResult result = trained->step(request_for(photo, 3));
  EXPECT_TRUE(std::isfinite(result.loss));
  EXPECT_EQ(result.non_finite, 0u);
}

}  // namespace
}  // namespace mote
