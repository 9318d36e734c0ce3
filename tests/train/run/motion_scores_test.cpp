// Scores of moving scenes: flicker, unseen moments and cameras, and velocities against the double
// reference.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/random.h"
#include "devices/devices.h"
#include "io/images/image_files.h"
#include "splats/moment.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "support/reference/reference_renderer.h"
#include "support/splat_trainer_steps.h"
#include "train/run/evaluation.h"
#include "train/run/flicker.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kScoreWidth = 12, kScoreHeight = 9;

Image noise(int channels, std::uint32_t seed, float low = 0.2f, float high = 0.8f) {
  Random random(seed);
  Image image;
  image.resize_discard(kScoreWidth, kScoreHeight, channels);
  for (float& value : image.pixels.span()) {
    value = low + (high - low) * static_cast<float>(random.uniform());
  }
  return image;
}

/// 1 in the left third, where something moves.
Image left_moves() {
  Image moving;
  moving.resize_discard(kScoreWidth, kScoreHeight, 1);
  for (int y = 0; y < kScoreHeight; ++y) {
    for (int x = 0; x < kScoreWidth; ++x) moving.row(y)[x] = x < kScoreWidth / 3 ? 1.0f : 0.0f;
  }
  return moving;
}

Photograph photograph_at(double time_s, std::uint32_t camera = 0) {
  Photograph photograph;
  photograph.time_s = time_s;
  photograph.camera_group = camera;
  photograph.camera.width = kScoreWidth;
  photograph.camera.height = kScoreHeight;
  return photograph;
}

/// A picture of two moments whose error changes.
struct Moments {
  Image truth[2] = {noise(3, 1), noise(3, 2)}, rendered[2] = {noise(3, 3), noise(3, 4)};
  Image mask, moving = left_moves();
  double frame_s = 0.1;

  void add(Flicker& flicker, int i, const Photograph& photograph) const {
    flicker.add({.photograph = photograph,
                 .frame_s = frame_s,
                 .rendered = rendered[i],
                 .truth = truth[i],
                 .mask = mask,
                 .moving = moving});
  }
  Flicker flicker_of(const Photograph& first, const Photograph& second) const {
    Flicker flicker;
    add(flicker, 0, first);
    add(flicker, 1, second);
    return flicker;
  }
  std::optional<double> of_both(const Photograph& first, const Photograph& second) const {
    return flicker_of(first, second).still_psnr_db();
  }
};

TEST(FlickerScore, IsThatOfTheChangingErrorOfPixelsThatStandStillAndOfOthers) {
  Moments moments;
  moments.mask = noise(1, 9);
  double squares[2] = {}, weight[2] = {};  // where something moves, and elsewhere
  for (int y = 0; y < kScoreHeight; ++y) {
    for (int x = 0; x < kScoreWidth; ++x) {
      const int part = x < kScoreWidth / 3 ? 0 : 1;
      const double own = std::pow(static_cast<double>(moments.mask.row(y)[x]), 2);
      for (int c = 0; c < 3; ++c) {
        double error[2];
        for (int i = 0; i < 2; ++i) {
          error[i] = static_cast<double>(moments.rendered[i].row(y)[3 * x + c]) -
                     static_cast<double>(moments.truth[i].row(y)[3 * x + c]);
        }
        squares[part] += own * std::pow(error[1] - error[0], 2);
        weight[part] += own;
      }
    }
  }
  const Flicker found = moments.flicker_of(photograph_at(0), photograph_at(0.1));
  ASSERT_TRUE(found.still_psnr_db() && found.moving_psnr_db());
  EXPECT_NEAR(*found.moving_psnr_db(), -10 * std::log10(squares[0] / weight[0]), 1e-5);
  EXPECT_NEAR(*found.still_psnr_db(), -10 * std::log10(squares[1] / weight[1]), 1e-5);
}

TEST(FlickerScore, AConstantErrorAndChangesOfTheTruthAreNoFlicker) {
  Moments moments;
  for (int i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < moments.truth[i].pixels.size(); ++k) {
      moments.rendered[i].pixels[k] = moments.truth[i].pixels[k] + 0.125f;
    }
  }
  EXPECT_GT(*moments.of_both(photograph_at(0), photograph_at(0.1)), 99);
}

TEST(FlickerScore, OnlyConsecutiveFramesOfOneCameraAtRestCount) {
  const Moments moments;
  EXPECT_TRUE(moments.of_both(photograph_at(0), photograph_at(0.1)));
  EXPECT_FALSE(moments.of_both(photograph_at(0), photograph_at(0.2))) << "a frame is missing";
  EXPECT_FALSE(moments.of_both(photograph_at(0.1), photograph_at(0)));
  EXPECT_FALSE(moments.of_both(photograph_at(0), photograph_at(0.1, 1)));
  Photograph moved = photograph_at(0.1);
  moved.camera.translation.x = 1;
  EXPECT_FALSE(moments.of_both(photograph_at(0), moved));
  Moments unknown;
  unknown.frame_s = 0;
  EXPECT_FALSE(unknown.of_both(photograph_at(0), photograph_at(0.1)));
  Moments no_mask;
  no_mask.moving = {};
  EXPECT_FALSE(no_mask.of_both(photograph_at(0), photograph_at(0.1)));
}

/// Cameras 0 and 1 with frames at 0, 0.1, ..., 0.5 s; those of camera 0 and the moment 0.3 are for
/// testing.
Dataset rig() {
  Dataset dataset;
  dataset.camera_groups = {{.name = "a", .frames_per_second = 10},
                           {.name = "b", .frames_per_second = 10}};
  for (std::uint32_t camera = 0; camera < 2; ++camera) {
    for (int frame = 0; frame < 6; ++frame) {
      const auto index = static_cast<std::uint32_t>(dataset.photographs.size());
      dataset.photographs.push_back(photograph_at(0.1 * frame, camera));
      (camera == 0 || frame == 3 ? dataset.test : dataset.train).push_back(index);
    }
  }
  dataset.time = {.first_s = 0, .last_s = 0.5, .frames_per_second = 10};
  return dataset;
}

TEST(SeenViews, MomentsAndCamerasWithoutTrainingPhotographsAreUnseen) {
  Dataset dataset = rig();
  const SeenViews seen(dataset);
  int moments = 0, cameras = 0;
  for (const std::uint32_t i : dataset.test) {
    const Photograph& photograph = dataset.photographs[i];
    const Unseen unseen = seen.unseen_in(photograph);
    EXPECT_EQ(unseen.moment, std::abs(photograph.time_s - 0.3) < 0.01) << i;
    EXPECT_EQ(unseen.camera, photograph.camera_group == 0) << i;
    EXPECT_DOUBLE_EQ(seen.frame_s(photograph), 0.1);
    moments += unseen.moment ? 1 : 0;
    cameras += unseen.camera ? 1 : 0;
  }
  EXPECT_EQ(moments, 2);
  EXPECT_EQ(cameras, 6);
  EXPECT_FALSE(seen.unseen_in(photograph_at(0.12)).moment) << "a fifth of a frame off";
  EXPECT_TRUE(seen.unseen_in(photograph_at(0.13)).moment);
  dataset.time.last_s = 0;
  EXPECT_FALSE(SeenViews(dataset).unseen_in(photograph_at(9)).moment) << "it stands still";
}

/// The weight of each splat in each pixel, in double: pictures in which it alone is white.
std::vector<std::vector<double>> weights_of(const SplatCloud& cloud, const Camera& camera) {
  std::vector<std::vector<double>> weights;
  for (std::size_t shown = 0; shown < cloud.count(); ++shown) {
    ReferenceCloud reference(cloud);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (int c = 0; c < 3; ++c) {
        reference.sh_at(i, 0, c) = (i == shown ? 0.5 : -0.5) / 0.28209479177387814;
      }
    }
    const ReferenceFrame frame = render_reference(reference, camera, {});
    std::vector<double> weight;
    for (std::size_t i = 0; i < frame.alpha.size(); ++i) weight.push_back(frame.rgb[3 * i]);
    weights.push_back(std::move(weight));
  }
  return weights;
}

class Velocities : public testing::Test {
 protected:
  Velocities()
      : folder_(fs::path(testing::TempDir()) / ("velocities_" + std::to_string(::getpid()))),
        backend_(make_backend("cpu", {.threads = 2, .isa = {}, .index = 0})),
        cloud_(random_moving_cloud(24, 0, 7)) {
    fs::create_directories(folder_);
    photograph_.time_s = 1.1;
    photograph_.camera = training_camera({2.5, 0.4, -1});
    photograph_.camera.width = 50;
    photograph_.camera.height = 36;
    photograph_.camera.focal_px /= 3.0;
    photograph_.camera.center_px /= 3.0;
    photograph_.scene_flow = folder_ / "flow.exr";
    Random random(11);
    truth_.resize_discard(50, 36, 4);
    moving_.resize_discard(50, 36, 1);
    for (std::size_t i = 0; i < moving_.pixels.size(); ++i) {
      moving_.pixels[i] = i % 3 == 0 ? 0.0f : 1.0f;
      for (std::size_t c = 0; c < 3; ++c) {
        truth_.pixels[4 * i + c] = static_cast<float>(random.uniform(-1, 1));
      }
      truth_.pixels[4 * i + 3] = i % 7 == 0 ? 0.0f : 1.0f;
    }
    write_exr(truth_, {"X", "Y", "Z", "V"}, photograph_.scene_flow);
  }
  ~Velocities() override { fs::remove_all(folder_); }

  VelocityScore found() {
    VelocityPictures pictures(*backend_, cloud_, false);
    VelocityPictures::Sums sums;
    pictures.add(photograph_, moving_, sums);
    return *velocity_score(sums);
  }

  /// By the definition, splat by splat.
  VelocityScore expected() const {
    std::vector<std::uint32_t> source;
    const SplatCloud moment = moment_of(cloud_, photograph_.time_s, &source);
    const auto weights = weights_of(moment, photograph_.camera);
    double moving = 0, errors = 0, squares = 0, still = 0, speeds = 0;
    for (std::size_t k = 0; k < source.size(); ++k) {
      const std::size_t i = source[k];
      const glm::dvec3 own = velocity_of(i);
      for (std::size_t p = 0; p < moving_.pixels.size(); ++p) {
        const float* known = truth_.pixels.data() + 4 * p;
        if (known[3] == 0) continue;
        const glm::dvec3 truth(known[0], known[1], known[2]);
        const double weight = weights[k][p];
        (moving_.pixels[p] == 0 ? still : moving) += weight;
        if (moving_.pixels[p] == 0) {
          speeds += weight * glm::length(own);
        } else {
          errors += weight * glm::dot(own - truth, own - truth);
          squares += weight * glm::dot(truth, truth);
        }
      }
    }
    return {std::sqrt(errors / moving), std::sqrt(squares / moving), speeds / still};
  }

  /// The velocity in a field, by differences of places.
  glm::dvec3 velocity_of(std::size_t i) const {
    if (cloud_.deformation == nullptr) {
      return {cloud_.at(i, Field::velocity_x), cloud_.at(i, Field::velocity_y),
              cloud_.at(i, Field::velocity_z)};
    }
    constexpr double kStep_s = 1e-3;
    const auto place = [&](double time_s) {
      const SplatCloud moment = moment_of(cloud_, time_s);
      return glm::dvec3(moment.at(i, Field::mean_x), moment.at(i, Field::mean_y),
                        moment.at(i, Field::mean_z));
    };
    return (place(photograph_.time_s + kStep_s) - place(photograph_.time_s - kStep_s)) /
           (2 * kStep_s);
  }

  void expect_reference(double tolerance = 1e-4) {
    const VelocityScore score = found(), reference = expected();
    EXPECT_NEAR(score.error, reference.error, tolerance * reference.error);
    EXPECT_NEAR(score.truth, reference.truth, tolerance * reference.truth);
    EXPECT_NEAR(score.still_speed, reference.still_speed, tolerance * reference.still_speed + 1e-9);
  }

  fs::path folder_;
  std::unique_ptr<Backend> backend_;
  SplatCloud cloud_;
  Photograph photograph_;
  Image truth_, moving_;
};

TEST_F(Velocities, AgreeWithTheDoubleReference) {
  expect_reference();
}

TEST_F(Velocities, ThoseOfStillSplatsAreAllError) {
  for (std::size_t i = 0; i < cloud_.count(); ++i) {
    for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
      cloud_.at(i, field) = 0;
    }
  }
  expect_reference();
  const VelocityScore score = found();
  EXPECT_NEAR(score.error, score.truth, 1e-5);
  EXPECT_LT(score.still_speed, 1e-9);
  cloud_ = random_cloud(20, 2, 3);  // without a motion
  const VelocityScore still = found();
  EXPECT_NEAR(still.error, still.truth, 1e-5);
}

TEST_F(Velocities, ThoseOfADeformationFieldAreItsDerivatives) {
  cloud_ = random_deformed_cloud(24, 0, 7);
  photograph_.time_s = 1.2;  // not near a time at which a neuron changes its sign
  expect_reference(2e-3);
  EXPECT_GT(found().still_speed, 0.01);
}

TEST_F(Velocities, AFileWithoutThemIsRefusedByName) {
  write_exr(moving_, {"Z"}, photograph_.scene_flow);
  try {
    found();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("flow.exr: has no channel X"), std::string::npos)
        << error.what();
  }
}

TEST_F(Velocities, AreInTheFilesOfAnEvaluation) {
  Evaluation evaluation;
  evaluation.views = {{.name = "a", .psnr_db = 20, .ssim = 0.5}};
  evaluation.velocity = VelocityScore{.error = 0.5, .truth = 2, .still_speed = 0.25};
  evaluation.flicker_psnr_db = 40;
  evaluation.moving_flicker_psnr_db = 30;
  evaluation.dynamic = {21, 0.75};
  evaluation.unseen_moments = {.views = 3, .psnr_db = 19, .ssim = 0.25, .dynamic = {}};
  const auto json = evaluation_json(evaluation);
  EXPECT_EQ(json["velocity"]["error"], 0.5);
  EXPECT_EQ(json["velocity"]["true"], 2);
  EXPECT_EQ(json["velocity"]["still_speed"], 0.25);
  EXPECT_EQ(json["flicker_psnr"], 40);
  EXPECT_EQ(json["flicker_psnr_dynamic"], 30);
  EXPECT_EQ(json["ssim_dynamic"], 0.75);
  EXPECT_EQ(json["unseen_moments"]["views"], 3);
  EXPECT_FALSE(json["unseen_moments"].contains("psnr_dynamic"));
  EXPECT_FALSE(json.contains("unseen_cameras"));
  EXPECT_EQ(motion_lines(evaluation).size(), 4u);
  EXPECT_TRUE(motion_lines({}).empty());
}

}  // namespace
}  // namespace mote
