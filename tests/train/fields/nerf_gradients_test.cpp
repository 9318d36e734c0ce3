// Poses of a NeRF's photographs: a wrong one is found again by steps of training and by a fit, and
// gradients that a field does not have are refused.
#include "train/fields/nerf_gradients.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "cameras/camera_ray.h"
#include "core/error.h"
#include "devices/devices.h"
#include "support/field_trainer_fixture.h"
#include "support/field_trainer_states.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"
#include "train/run/pose_corrections.h"
#include "train/run/view_fit.h"

namespace mote {
namespace {

class NerfGradients : public testing::Test {
 protected:
  NerfGradients() : backend_(make_backend("cpu", {.threads = 2, .isa = {}})) {
    for (const glm::dvec3& eye : {glm::dvec3{3, 0, 1}, {-1, 3, 0}, {-2, -2, 1}, {1, -2, -2}}) {
      cameras_.push_back(ball_camera(eye));
    }
    for (const Camera& camera : cameras_) pixels_.push_back(ball_photo(camera));
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      photographs_.push_back({.camera = cameras_[i], .photo = &pixels_[i], .number = i});
    }
  }

  std::unique_ptr<FieldTrainer> make_trainer(NeuralField field) const {
    FieldTrainerSettings settings{.batch = 1 << 13, .pose_gradients = true};
    if (nerf_layout(field.config).latents > 0) settings.latent_photographs = {0, 1, 2, 3};
    return backend_->make_field_trainer(std::move(field), settings, cameras_);
  }
  void take_step(FieldTrainer& trainer, std::uint64_t step) const {
    trainer.step({.photographs = photographs_,
                  .random_background = true,
                  .step = step,
                  .seed = random_bits(1, step)});
  }
  std::unique_ptr<FieldTrainer> trained(NeuralField field, std::uint64_t steps) const {
    std::unique_ptr<FieldTrainer> trainer = make_trainer(std::move(field));
    for (std::uint64_t step = 1; step <= steps; ++step) take_step(*trainer, step);
    return trainer;
  }
  void expect_gradients_if_uploaded(const NeuralField& field) const;

  /// Enough for a ball that poses are found by, and for gradients that are not 0.
  static constexpr std::uint64_t kSteps = 150, kFewSteps = 20;

  const std::unique_ptr<Backend> backend_;
  std::vector<Camera> cameras_;
  std::vector<PhotoPixels> pixels_;
  std::vector<FieldPhoto> photographs_;
};

/// The ball is about a pixel away from its place in the photograph.
Camera wrong_camera(const Camera& camera) {
  const glm::dmat3 turn = glm::mat3_cast(glm::angleAxis(0.02, glm::dvec3(0, 1, 0)));
  Camera wrong = camera;
  wrong.cam_from_world = turn * camera.cam_from_world;
  wrong.translation = turn * camera.translation + glm::dvec3(0.02, -0.03, 0.02);
  return wrong;
}

/// Mean distance in pixels of the images of points of the ball.
double pixels_apart(const Camera& a, const Camera& b) {
  double sum = 0;
  int points = 0;
  for (const double side : {-kBallRadius, kBallRadius}) {
    for (int axis = 0; axis < 3; ++axis) {
      glm::dvec3 point(0);
      point[axis] = side;
      const auto of_a = pixel_of(a, point), of_b = pixel_of(b, point);
      EXPECT_TRUE(of_a && of_b);
      sum += glm::distance(*of_a, *of_b);
      ++points;
    }
  }
  return sum / points;
}

TEST_F(NerfGradients, StepsOfTrainingCorrectAWrongPose) {
  constexpr int kPoseSteps = 80;
  const auto trainer = trained(new_field(1), kSteps);
  const Camera wrong = wrong_camera(cameras_[0]);
  const double before = pixels_apart(wrong, cameras_[0]);
  ASSERT_GT(before, 0.5);
  PoseCorrections poses(1);
  for (int i = 0; i < kPoseSteps; ++i) {
    FieldPhoto photo = photographs_[0];
    photo.camera = poses.corrected(0, wrong);
    // The field keeps its parameters, so that it does not adapt to the wrong pose.
    const FieldStepResult result =
        trainer->step({.photographs = {&photo, 1},
                       .random_background = true,
                       .step = kSteps + 1 + static_cast<std::uint64_t>(i),
                       .seed = random_bits(2, static_cast<std::uint64_t>(i)),
                       .learning_rate = 0,
                       .pose_gradients = true});
    const double rate = 1.5e-3 * (1 - static_cast<double>(i) / kPoseSteps);
    poses.update(0, result.photographs[0].rotation, result.photographs[0].translation, rate, 1);
  }
  EXPECT_LT(pixels_apart(poses.corrected(0, wrong), cameras_[0]), 0.5 * before);
}

TEST_F(NerfGradients, AFitOfAViewCorrectsAWrongPose) {
  const auto trainer = trained(new_field(1), kSteps);
  NerfInTraining nerf(*trainer, {}, "a ball");
  const Camera wrong = wrong_camera(cameras_[0]);
  const double before = pixels_apart(wrong, cameras_[0]);
  const ViewFitting fitting{
      .pose = true,
      .render = [&](const View& view, Frame& frame) { nerf.render(view, {}, frame); },
      .differentiate = [&](const LearnRequest& request) { return nerf.differentiate(request); }};
  const FittedView fitted = fit_view(fitting, {.camera = wrong}, pixels_[0]);
  EXPECT_EQ(fitted.view.camera.width, wrong.width);
  EXPECT_LT(pixels_apart(fitted.view.camera, cameras_[0]), 0.5 * before);
}

LearnRequest request_for(const FieldPhoto& photo) {
  LearnRequest request;
  request.view.camera = photo.camera;
  request.photo = photo.photo;
  request.exposure = photo.exposure;
  request.pose_gradient = true;
  return request;
}

void expect_equal(const PhotoStepResult& found, const PhotoStepResult& expected) {
  EXPECT_EQ(found.loss, expected.loss);
  EXPECT_EQ(found.d_exposure, expected.d_exposure);
  EXPECT_EQ(found.d_pose_rotation, expected.d_pose_rotation);
  EXPECT_EQ(found.d_pose_translation, expected.d_pose_translation);
}

TEST_F(NerfGradients, AreTheSameInEachCallAndDoNotChangeTheRun) {
  const auto trainer = trained(new_field(1), kFewSteps), twin = make_trainer(new_field(1));
  MemoryBytes state = saved(*trainer);
  twin->restore(state);
  NerfInTraining nerf(*trainer, {}, "a ball");
  const PhotoStepResult first = nerf.differentiate(request_for(photographs_[0]));
  EXPECT_GT(glm::length(first.d_pose_rotation), 0);
  nerf.differentiate(request_for(photographs_[1]));
  expect_equal(nerf.differentiate(request_for(photographs_[0])), first);
  EXPECT_TRUE(saved(*trainer).bytes == state.bytes);
  // The next step is that of a trainer without such calls.
  take_step(*trainer, kFewSteps + 1);
  take_step(*twin, kFewSteps + 1);
  EXPECT_FALSE(saved(*trainer).bytes == state.bytes);
  EXPECT_TRUE(saved(*trainer).bytes == saved(*twin).bytes);
}

TEST_F(NerfGradients, LossesOfHiddenPixelsSayNothing) {
  const auto trainer = make_trainer(new_field(1));
  NerfInTraining nerf(*trainer, {}, "a ball");
  EXPECT_TRUE(nerf.differentiate(request_for(photographs_[0])).is_measured);
  PhotoPixels hidden = ball_photo(cameras_[0]);
  hidden.mask.resize_discard(hidden.width(), hidden.height(), 1);
  std::ranges::fill(hidden.mask.pixels.span(), std::uint8_t{0});
  const FieldPhoto photo{.camera = cameras_[0], .photo = &hidden};
  const PhotoStepResult result = nerf.differentiate(request_for(photo));
  EXPECT_EQ(result.loss, 0);
  EXPECT_FALSE(result.is_measured);
}

void NerfGradients::expect_gradients_if_uploaded(const NeuralField& field) const {
  const auto nerf = upload_nerf_for_gradients(*backend_, field, {});
  const PhotoStepResult found = nerf->differentiate(request_for(photographs_[0]));
  EXPECT_GT(glm::length(found.d_pose_rotation), 0);
  EXPECT_GT(glm::length(found.d_pose_translation), 0);
  nerf->differentiate(request_for(photographs_[1]));
  expect_equal(nerf->differentiate(request_for(photographs_[0])), found);
  // The picture is that of the field, with its occupancy or its proposals, and its latents.
  Frame own, drawn;
  nerf->render({.camera = cameras_[0]}, {}, own);
  backend_->upload_field(field)->render(cameras_[0], {}, drawn);
  EXPECT_LT(largest_difference(own.rgb, drawn.rgb), 2e-3f);
}

TEST_F(NerfGradients, AnUploadedFieldHasThem) {
  expect_gradients_if_uploaded(trained(new_field(1), kFewSteps)->field());
}

TEST_F(NerfGradients, AnUploadedFieldWithLatentsHasThem) {
  const NeuralField field = trained(new_field(1, 3), kFewSteps)->field();
  EXPECT_EQ(field.latents.size(), 12u);
  expect_gradients_if_uploaded(field);
  // The trainer of a trained field gives its latents back.
  const auto again = backend_->make_field_trainer(field, {.is_trained = true}, {});
  EXPECT_EQ(again->field().latents, field.latents);
}

TEST_F(NerfGradients, AnUploadedFieldWithProposalsHasThem) {
  expect_gradients_if_uploaded(trained(small_proposed_field(1), kFewSteps)->field());
}

TEST(NerfGradientsOfOtherFields, AreRefused) {
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  NeuralField nearest = new_field(1);
  std::get<GridEncoding>(nearest.config.encoding->parts.front().kind).grid.interpolation =
      Interpolation::nearest;
  HostField of_nearest(nearest);
  const std::uint64_t bytes = of_nearest.memory_bytes();
  const Error of_grid = thrown_by([&] { of_nearest.upload_for_gradients(*backend, {}, false); });
  EXPECT_NE(of_grid.problem().find("no slope"), std::string::npos) << of_grid.what();
  EXPECT_EQ(of_grid.where(), "--fit");
  EXPECT_EQ(of_grid.remedy(), "give none or exposure");
  EXPECT_EQ(of_nearest.memory_bytes(), bytes);  // the field is still there
  HostField image(tiny_field(FieldApplication::image, 1));
  const Error of_image = thrown_by([&] { image.upload_for_gradients(*backend, {}, false); });
  EXPECT_EQ(of_image.where(), "--fit");
}

}  // namespace
}  // namespace mote
