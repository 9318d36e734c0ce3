// Births of splats by the error of a picture, on each device that the test program is linked with.
#include "train/splats/births.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "devices/devices.h"
#include "splats/motions/life.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "support/test_devices.h"

namespace mote {
namespace {

constexpr double kTime_s = 0.7;
constexpr float kWallVelocity = 0.25f;
const glm::dvec3 kBall(0.3, -0.2, 0);

/// A wall at z = 0 that moves in x, and a red ball in it.
SplatCloud wall(bool with_ball, SplatMotion motion = SplatMotion::life) {
  constexpr int kSide = 12;
  SplatCloud cloud = random_moving_cloud(kSide * kSide + (with_ball ? 1 : 0), 0, 3, motion);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) cloud.at(i, field) = 0;
    const bool is_ball = i == kSide * kSide;
    const auto column = static_cast<float>(i % kSide), row = static_cast<float>(i / kSide);
    cloud.at(i, Field::rotation_w) = 1;
    cloud.at(i, Field::logit_opacity) = is_ball ? 5 : 3;
    cloud.at(i, Field::log_time_sigma) = -1;
    cloud.at(i, Field::log_time_plateau) = -2;
    cloud.at(i, Field::time_mean) = static_cast<float>(kTime_s);
    cloud.at(i, Field::velocity_x) = kWallVelocity;
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) = is_ball ? -2.2f : -1.4f;
    }
    cloud.at(i, Field::mean_x) = is_ball ? static_cast<float>(kBall.x) : 0.4f * column - 2.2f;
    cloud.at(i, Field::mean_y) = is_ball ? static_cast<float>(kBall.y) : 0.4f * row - 2.2f;
    cloud.at(i, Field::mean_z) = is_ball ? -0.25f : 0.0f;
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = is_ball ? (c == 0 ? 1.5f : -1.5f) : 0.2f;
  }
  return cloud;
}

/// A photograph of the wall with the ball.
struct Photographed {
  explicit Photographed(int channels = 3, const Exposure& exposure = kNeutralExposure) {
    request.view.camera = training_camera({0.2, -0.3, -3});
    request.view.camera.width = 75;
    request.view.camera.height = 55;
    request.view.camera.focal_px /= 2.0;
    request.view.camera.center_px /= 2.0;
    request.view.time_s = kTime_s;
    request.exposure = exposure;
    request.photo = &photo;
    const auto backend = make_backend("cpu", {.threads = 2, .isa = {}, .index = {}});
    Frame frame;
    backend->make_trainer(wall(true), {})->render(request.view, {}, frame);
    photo.color.resize_discard(75, 55, channels);
    for (std::size_t i = 0; i < std::size_t{75} * 55; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        float value = exposure[4 * c + 3];
        for (std::size_t k = 0; k < 3; ++k)
          value += exposure[4 * c + k] * frame.rgb.pixels[3 * i + k];
        photo.color.pixels[i * static_cast<std::size_t>(channels) + c] =
            static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
      }
      if (channels == 4) photo.color.pixels[4 * i + 3] = 255;
    }
  }
  PhotoPixels photo;
  LearnRequest request;
};

std::vector<SplatBirth> births_on(SplatTrainer& trainer, const LearnRequest& request,
                                  std::size_t count = 40) {
  const std::vector<SplatGeometry> geometry = trainer.geometry();
  const std::vector<MotionValues> motions = trainer.motions();
  const DensityStatistics statistics = trainer.statistics();
  return births_from(
      request, {.sigma_s = 0.15, .opacity = 0.2},
      {.geometry = geometry, .motions = motions, .statistics = statistics, .broken = {}}, trainer,
      false, count, 5);
}

class Births : public OnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, Births, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Births, AreWhereTheSplatsMissSomethingOfThePhotograph) {
  const Photographed photographed;
  const auto trainer = backend().make_trainer(wall(false), {});
  const std::vector<SplatBirth> found = births_on(*trainer, photographed.request);
  ASSERT_EQ(found.size(), 40u);
  double red = 0;
  for (const SplatBirth& birth : found) {
    const glm::dvec3 place(birth.geometry.mean[0], birth.geometry.mean[1], birth.geometry.mean[2]);
    EXPECT_LT(glm::distance(place, kBall), 0.65);
    EXPECT_LT(std::abs(place.z), 0.4) << "within a tenth of the wall's depth";
    red += 0.5 + 0.2820948 * static_cast<double>(birth.sh_0[0]);
    EXPECT_NEAR(birth.geometry.logit_opacity, std::log(0.2 / 0.8), 1e-5);
    const MotionValues& motion = birth.motion;
    EXPECT_FLOAT_EQ(motion[Field::time_mean], static_cast<float>(kTime_s));
    EXPECT_NEAR(std::exp(motion[Field::log_time_sigma]), 0.15, 1e-5);
    EXPECT_LT(motion[Field::log_time_plateau], motion[Field::log_time_sigma]);
    EXPECT_FLOAT_EQ(motion[Field::velocity_x], kWallVelocity);
    EXPECT_EQ(motion[Field::velocity_y], 0);
  }
  EXPECT_GT(red / 40, 0.6) << "the wall has 0.56, the ball 0.92";
  const auto right = backend().make_trainer(wall(true), {});
  EXPECT_TRUE(births_on(*right, photographed.request).empty()) << "the picture is right";
}

TEST_P(Births, AreThoseOfTheCpu) {
  const Photographed photographed;
  const auto cpu = make_backend("cpu", {.threads = 3, .isa = {}, .index = {}});
  const auto expected = births_on(*cpu->make_trainer(wall(false), {}), photographed.request);
  const auto found = births_on(*backend().make_trainer(wall(false), {}), photographed.request);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(found[i].geometry.mean[axis], expected[i].geometry.mean[axis], 1e-3) << i;
      EXPECT_EQ(found[i].sh_0[axis], expected[i].sh_0[axis]) << i;
    }
  }
}

TEST_P(Births, HaveTheColourWithoutTheExposureOfTheirPhotograph) {
  const Exposure dark{0.5f, 0.1f, 0, 0.05f, 0, 0.6f, 0, 0, 0, 0, 0.7f, 0.1f};
  const Photographed photographed(3, dark);
  const auto right = backend().make_trainer(wall(true), {});
  EXPECT_TRUE(births_on(*right, photographed.request).empty());
  const auto trainer = backend().make_trainer(wall(false), {});
  const auto found = births_on(*trainer, photographed.request);
  const auto neutral = births_on(*trainer, Photographed().request);
  ASSERT_EQ(found.size(), 40u);
  ASSERT_EQ(neutral.size(), 40u);
  for (int c = 0; c < 3; ++c) {
    double mean = 0, expected = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      mean += static_cast<double>(found[i].sh_0[c]) / 40;
      expected += static_cast<double>(neutral[i].sh_0[c]) / 40;
    }
    EXPECT_NEAR(mean, expected, 0.1) << c;
  }
  LearnRequest flat = photographed.request;
  flat.exposure = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_TRUE(births_on(*trainer, flat).empty()) << "no colour follows from grey photographs";
}

TEST_P(Births, NoneWhereThePhotographIsTransparentOrMasked) {
  Photographed photographed(4);
  const auto trainer = backend().make_trainer(wall(false), {});
  EXPECT_EQ(births_on(*trainer, photographed.request, 5).size(), 5u);
  for (std::size_t i = 3; i < photographed.photo.color.pixels.size(); i += 4) {
    photographed.photo.color.pixels[i] = 100;
  }
  EXPECT_TRUE(births_on(*trainer, photographed.request, 5).empty());
  Photographed masked;
  masked.photo.mask.resize_discard(75, 55, 1);
  std::ranges::fill(masked.photo.mask.pixels.span(), std::uint8_t{0});
  EXPECT_TRUE(births_on(*trainer, masked.request, 5).empty());
}

}  // namespace
}  // namespace mote
