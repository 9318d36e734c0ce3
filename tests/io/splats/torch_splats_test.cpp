// Checkpoints of Gaussians in space and time, opened as scenes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "splats/gaussian_4d.h"
#include "support/files/format_samples.h"
#include "support/files/torch_samples.h"

namespace mote {
namespace {

using samples::error_of;
using samples::load;

Tensors4d model_of(std::int64_t count, std::int64_t coefficients) {
  std::mt19937 engine(7);
  return random_tensors4d(count, coefficients,
                          [&] { return static_cast<double>(engine() >> 8) * 0x1p-23 - 1; });
}

double value(const Tensors4d& model, const char* name, std::size_t i, std::size_t k = 0) {
  const Tensors4d::Tensor& tensor = model.find(name);
  const std::size_t row = tensor.values.size() / static_cast<std::size_t>(tensor.shape[0]);
  return static_cast<double>(tensor.values[i * row + k]);
}

template <std::size_t COUNT>
std::array<double, COUNT> row(const Tensors4d& model, const char* name, std::size_t i) {
  std::array<double, COUNT> values;
  for (std::size_t k = 0; k < COUNT; ++k) values[k] = value(model, name, i, k);
  return values;
}

/// Compares the splats with the slices of Gaussians with those axes.
void expect_slices(const SplatCloud& cloud, const Tensors4d& model, const auto& axes_of) {
  ASSERT_EQ(cloud.motion(), SplatMotion::life);
  ASSERT_EQ(cloud.count(), static_cast<std::size_t>(model.find("t").shape[0]));
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    Gaussian4d gaussian{.axis =
                            axes_of(row<4>(model, "rotation", i), row<4>(model, "rotation_r", i))};
    for (std::size_t k = 0; k < 3; ++k) gaussian.scale[k] = std::exp(value(model, "scaling", i, k));
    gaussian.scale[3] = std::exp(value(model, "scaling_t", i));
    const SlicedGaussian slice = sliced(gaussian);
    EXPECT_NEAR(cloud.at(i, Field::log_time_sigma), std::log(slice.sigma), 1e-5);
    EXPECT_NEAR(cloud.at(i, Field::time_mean), value(model, "t", i), 1e-6);
    EXPECT_NEAR(cloud.at(i, Field::velocity_y), slice.velocity[1], 1e-5);
    EXPECT_NEAR(cloud.at(i, Field::log_scale_z), std::log(slice.scale[2]), 1e-4);
    EXPECT_NEAR(cloud.at(i, Field::rotation_x), slice.rotation[1], 1e-5);
    EXPECT_NEAR(cloud.at(i, Field::mean_z), value(model, "xyz", i, 2), 1e-6);
    EXPECT_NEAR(cloud.at(i, Field::logit_opacity), value(model, "opacity", i), 1e-6);
    EXPECT_LT(cloud.at(i, Field::log_time_plateau), -15);
  }
}

TEST(TorchSplats, GaussiansThatTurnByTwoQuaternionsAreRead) {
  const Tensors4d model = model_of(40, 16);
  for (const bool long_form : {false, true}) {
    const SplatCloud cloud = load(chkpnt_sample(model, true, long_form));
    EXPECT_EQ(cloud.sh_degree(), 3);
    expect_slices(cloud, model, axes_of_biquaternion);
    EXPECT_NEAR(cloud.sh(4, 0, 1), value(model, "dc", 4, 1), 1e-6);
    EXPECT_NEAR(cloud.sh(4, 7, 2), value(model, "rest", 4, 6 * 3 + 2), 1e-6);
    EXPECT_GT(cloud.times.duration_s, 8);
    EXPECT_LE(cloud.times.duration_s, 10);
    ASSERT_FALSE(cloud.warnings.empty());
    EXPECT_NE(cloud.warnings[0].find("no duration"), std::string::npos);
  }
}

TEST(TorchSplats, GaussiansThatTurnByRotorsAreRead) {
  const Tensors4d model = model_of(40, 4);
  expect_slices(load(rotor_sample(model)), model,
                [](const std::array<double, 4>& a, const std::array<double, 4>& b) {
                  return axes_of_rotor({a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]});
                });
}

/// Without a turn in time, the scale in time is the variance, and the splat stands still.
TEST(TorchSplats, GaussiansThatTurnInSpaceOnlyStandStill) {
  const Tensors4d model = model_of(10, 9);
  const SplatCloud cloud = load(chkpnt_sample(model, false));
  EXPECT_EQ(cloud.sh_degree(), 2);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    EXPECT_EQ(cloud.at(i, Field::velocity_x), 0);
    EXPECT_NEAR(cloud.at(i, Field::log_time_sigma), value(model, "scaling_t", i) / 2, 1e-5);
    EXPECT_NEAR(cloud.at(i, Field::log_scale_y), value(model, "scaling", i, 1), 1e-5);
    EXPECT_NEAR(cloud.at(i, Field::rotation_w), value(model, "rotation", i, 0), 1e-6);
  }
}

TEST(TorchSplats, ColoursThatChangeWithTimeBecomeTheirMeanOverALife) {
  const Tensors4d model = model_of(6, 27);  // degree 2, three cosines
  const SplatCloud cloud = load(chkpnt_sample(model));
  ASSERT_EQ(cloud.sh_degree(), 2);
  EXPECT_NE(cloud.warnings.back().find("mean colour"), std::string::npos);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double sigma = std::exp(double{cloud.at(i, Field::log_time_sigma)});
    // The mean of each cosine with the weights of the bell, by a sum over ten deviations.
    double means[3] = {}, weights = 0;
    for (int step = -500; step <= 500; ++step) {
      const double d = sigma * step / 50, weight = std::exp(-0.5 * d * d / (sigma * sigma));
      weights += weight;
      for (int n = 0; n < 3; ++n) {
        means[n] += weight * std::cos(2 * std::numbers::pi * n * d / cloud.times.duration_s);
      }
    }
    for (const std::size_t k : {std::size_t{1}, std::size_t{5}}) {
      double expected = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        expected += value(model, "rest", i, (9 * n + k - 1) * 3) * means[n] / weights;
      }
      EXPECT_NEAR(cloud.sh(i, static_cast<int>(k), 0), expected, 1e-5);
    }
  }
}

TEST(TorchSplats, FreeTimeGaussiansAreRead) {
  const Tensors4d model = model_of(40, 4);
  const SplatCloud cloud = load(freetime_sample(
      model, PickleSample().text("n_frames").integer(61).text("use_velocity").op("\x88")));
  ASSERT_EQ(cloud.motion(), SplatMotion::life);
  ASSERT_EQ(cloud.sh_degree(), 1);
  EXPECT_EQ(cloud.times.duration_s, 2) << "60 steps of a thirtieth of a second";
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    EXPECT_NEAR(cloud.at(i, Field::mean_y), value(model, "xyz", i, 1), 1e-6);
    EXPECT_NEAR(cloud.at(i, Field::log_scale_z), value(model, "scaling", i, 2), 1e-6);
    EXPECT_NEAR(cloud.at(i, Field::rotation_w), value(model, "rotation", i, 0), 1e-6);
    EXPECT_NEAR(cloud.at(i, Field::logit_opacity), value(model, "opacity", i), 1e-6);
    EXPECT_NEAR(cloud.at(i, Field::time_mean), 2 * value(model, "t", i), 1e-5);
    EXPECT_NEAR(cloud.at(i, Field::log_time_sigma), value(model, "scaling_t", i) + std::log(2),
                1e-5);
    EXPECT_NEAR(cloud.at(i, Field::velocity_z), value(model, "rotation_r", i, 2) / 2, 1e-5);
    EXPECT_LT(cloud.at(i, Field::log_time_plateau), -15);
    EXPECT_NEAR(cloud.sh(i, 0, 2), value(model, "dc", i, 2), 1e-6);
    EXPECT_NEAR(cloud.sh(i, 3, 1), value(model, "rest", i, 2 * 3 + 1), 1e-6);
  }
}

TEST(TorchSplats, SettingsOfFreeTimeCheckpointsAreKeptOrRefused) {
  const Tensors4d model = model_of(3, 4);
  const SplatCloud still =
      load(freetime_sample(model, PickleSample().text("use_velocity").op("\x89")));
  EXPECT_EQ(still.motion(), SplatMotion::life);
  EXPECT_EQ(still.at(1, Field::velocity_x), 0);
  EXPECT_EQ(still.times.duration_s, 1);
  const auto problem = [&](const PickleSample& settings) {
    return error_of(freetime_sample(model, settings)).problem();
  };
  EXPECT_NE(problem(PickleSample().text("use_marginal_gating").op("\x88")).find("marginal_gating"),
            std::string::npos);
  const PickleSample spec = PickleSample().text("model_spec").op("}").text("duration_activation");
  EXPECT_NE(problem(PickleSample(spec).text("softplus").op("s")).find("'softplus'"),
            std::string::npos);
  EXPECT_NE(error_of(freetime_sample(model_of(3, 3))).problem().find("2 harmonics"),
            std::string::npos);
  Tensors4d short_one = model;
  short_one.tensors[6].shape[0] = 2;  // the times
  EXPECT_FALSE(error_of(freetime_sample(short_one)).problem().empty());
}

TEST(TorchSplats, OtherCheckpointsAreNamed) {
  const auto problem = [](const PickleSample& pickle) {
    return error_of(checkpoint_sample(pickle, {})).problem();
  };
  EXPECT_NE(problem(PickleSample().op("}").text("model").op("Ns")).find("no Gaussians"),
            std::string::npos);
  EXPECT_NE(problem(PickleSample().op("((NNNt").integer(7).op("t")).find("3 parts"),
            std::string::npos);
  EXPECT_NE(error_of(chkpnt_sample(model_of(3, 33))).problem().find("33 harmonics"),
            std::string::npos);
  Tensors4d model = model_of(3, 4);
  model.tensors[6].shape[0] = 2;  // the times
  EXPECT_NE(error_of(chkpnt_sample(model)).problem().find("t "), std::string::npos);
}

TEST(TorchSplats, CheckpointsInAFolderAreNoFrames) {
  EXPECT_FALSE(scene_extension("chkpnt30000.pth").format->is_frame);
  EXPECT_TRUE(scene_extension("frame_0001.ply").format->is_frame);
}

}  // namespace
}  // namespace mote
