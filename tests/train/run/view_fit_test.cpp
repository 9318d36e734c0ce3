// Fits to the left half of a test photograph: their gain on the right half, and cases without a
// gain.
#include "train/run/view_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "core/random.h"
#include "devices/devices.h"
#include "memory_photos.h"
#include "support/dataset_fixture.h"
#include "train/run/evaluation.h"
#include "train/run/exposures.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

constexpr std::array<float, 3> kGrey{0.4f, 0.4f, 0.4f};
constexpr TinyDataset kTiny{.views = 6, .width = 160, .height = 120, .splats = 300};

class FittingViews : public ::testing::Test {
 protected:
  FittingViews()
      : backend_(make_backend("cpu", {})),
        model_(HostSplats(tiny_cloud(kTiny)).upload_for_gradients(*backend_, {}, false)) {
    for (const View& view : tiny_views(kTiny)) {
      Photograph photograph;
      photograph.name = view.name;
      photograph.camera = view.camera;
      dataset_.photographs.push_back(photograph);
      photos_.photos.push_back(photo_of(view.camera, kNeutralExposure));
    }
    dataset_.test = {0, 3};
    dataset_.train = {1, 2, 4, 5};
  }

  /// On grey, where noise is not clamped.
  void render(const View& view, Frame& frame) {
    RenderSettings settings;
    settings.background = kGrey;
    model_->render(view, settings, frame);
  }

  /// With noise, so that the quality of the fit has a limit.
  std::shared_ptr<PhotoPixels> photo_of(const Camera& camera, const Exposure& exposure) {
    Frame frame;
    render({.camera = camera}, frame);
    apply_exposure(exposure, frame.rgb);
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(camera.width, camera.height, 3);
    Random random(7);
    for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
      const double noise = 0.02 * random.normal();
      const double value = static_cast<double>(frame.rgb.pixels[i]) + noise;
      photo->color.pixels[i] = static_cast<std::uint8_t>(255 * std::clamp(value, 0.0, 1.0) + 0.5);
    }
    return photo;
  }

  Evaluation evaluated(bool exposure, bool pose) {
    ViewFitting fitting{.exposure = exposure, .pose = pose, .extent = 4, .background = kGrey};
    fitting.render = [this](const View& view, Frame& frame) { render(view, frame); };
    fitting.differentiate = [this](const LearnRequest& request) {
      return model_->differentiate(request);
    };
    return evaluate({.dataset = dataset_, .photos = photos_, .fitting = fitting},
                    [this](std::uint32_t index, Frame& frame) {
                      render(view_of(dataset_.photographs[index]), frame);
                    });
  }

  /// The exposure of the test photographs differs from the scene's.
  void expose_otherwise() {
    const Exposure darker{0.6f, 0.05f, 0, 0.02f, 0, 0.7f, 0, 0.05f, 0.02f, 0, 0.5f, 0};
    for (const std::uint32_t i : dataset_.test) {
      photos_.photos[i] = photo_of(dataset_.photographs[i].camera, darker);
    }
  }
  /// The poses of the test photographs are wrong by half a degree and a hundredth of the distance.
  void move_cameras() {
    for (const std::uint32_t i : dataset_.test) {
      Camera& camera = dataset_.photographs[i].camera;
      const glm::dmat4 turn =
          glm::rotate(glm::dmat4(1), 0.009, glm::normalize(glm::dvec3(0.5, 1, i)));
      camera.cam_from_world = glm::dmat3(turn) * camera.cam_from_world;
      camera.translation = glm::dmat3(turn) * camera.translation + glm::dvec3(0.02, -0.03, 0.01);
    }
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Differentiable> model_;
  Dataset dataset_;
  MemoryPhotos photos_;
};

TEST_F(FittingViews, AnExposureFittedToTheLeftHalfCorrectsTheRightHalf) {
  const Evaluation ideal = evaluated(true, false);
  expose_otherwise();
  const Evaluation result = evaluated(true, false);
  ASSERT_TRUE(result.right_halves.has_value());
  EXPECT_GT(result.right_halves->psnr_db, result.right_halves->plain_psnr_db + 5);
  EXPECT_GT(result.right_halves->ssim, result.right_halves->plain_ssim);
  EXPECT_NEAR(result.right_halves->psnr_db, ideal.right_halves->psnr_db, 0.5);
  EXPECT_LT(result.psnr_db, ideal.psnr_db - 5) << "the plain figure forgives nothing";
}

TEST_F(FittingViews, APoseFittedToTheLeftHalfCorrectsTheRightHalf) {
  const Evaluation ideal = evaluated(false, true);
  move_cameras();
  const Evaluation result = evaluated(false, true);
  ASSERT_TRUE(result.right_halves.has_value());
  EXPECT_GT(result.right_halves->psnr_db, result.right_halves->plain_psnr_db + 3);
  EXPECT_NEAR(result.right_halves->psnr_db, ideal.right_halves->psnr_db, 1);
}

TEST_F(FittingViews, BothAreFittedTogether) {
  const Evaluation ideal = evaluated(true, true);
  expose_otherwise();
  move_cameras();
  const Evaluation pose_alone = evaluated(false, true), both = evaluated(true, true);
  EXPECT_GT(both.right_halves->psnr_db, pose_alone.right_halves->psnr_db + 3);
  EXPECT_NEAR(both.right_halves->psnr_db, ideal.right_halves->psnr_db, 1);
}

TEST_F(FittingViews, AFitDoesNotChangeTheScoreOfAnIdealSet) {
  const Evaluation result = evaluated(true, true);
  ASSERT_TRUE(result.right_halves.has_value());
  EXPECT_NEAR(result.right_halves->psnr_db, result.right_halves->plain_psnr_db, 0.1);
  EXPECT_NEAR(result.right_halves->ssim, result.right_halves->plain_ssim, 0.005);
}

TEST_F(FittingViews, ScoresWithAndWithoutAFitAreSeparate) {
  const auto json = evaluation_json(evaluated(true, true));
  EXPECT_EQ(json["fitted_on_left_half"], "exposure and pose");
  for (const auto& one : {json, json["views"][0]}) {
    EXPECT_TRUE(one["right_half"].contains("psnr_fitted"));
    EXPECT_TRUE(one["right_half"].contains("psnr"));
    EXPECT_NE(one["psnr"], one["right_half"]["psnr"]);
  }
  EXPECT_EQ(fitted_lines(evaluated(true, false)).size(), 1u);
  EXPECT_NE(fitted_lines(evaluated(true, false))[0].find("exposure fitted on their left halves"),
            std::string::npos);
}

TEST_F(FittingViews, LossesOfNoPixelsDoNotChooseThePose) {
  const View view = tiny_views(kTiny).front();
  int calls = 0;
  ViewFitting fitting{.pose = true, .extent = 4};
  fitting.differentiate = [&](const LearnRequest&) {
    ++calls;
    PhotoStepResult result;
    result.is_measured = calls % 2 == 1;
    result.loss = result.is_measured ? static_cast<double>(calls) : 0;
    result.d_pose_translation = {1, 0, 0};
    return result;
  };
  const FittedView fitted = fit_view(fitting, view, *photos_.photos.front());
  EXPECT_GT(calls, 2);
  EXPECT_LT(glm::distance(fitted.view.camera.position_world(), view.camera.position_world()), 1e-9);
}

TEST_F(FittingViews, NothingIsFittedWithoutARequestOrToTrainingViews) {
  const Evaluation plain = evaluated(false, false);
  EXPECT_FALSE(plain.right_halves.has_value());
  EXPECT_FALSE(evaluation_json(plain).contains("right_half"));
  EXPECT_TRUE(fitted_lines(plain).empty());
  dataset_.test.clear();
  EXPECT_FALSE(evaluated(true, false).right_halves.has_value());
}

}  // namespace
}  // namespace mote
