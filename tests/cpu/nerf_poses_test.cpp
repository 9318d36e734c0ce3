// Gradients of a NeRF's loss by the cameras of its photographs for each instruction set, against
// differences of the loss.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"
#include "cpu/nerf_batch.h"
#include "support/field_differences.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

class NerfPoses : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }
  /// Whether networks of ReLUs are computed with rounded factors.
  static bool rounds() { return rounds_to_bf16(kernels().name); }
};

INSTANTIATE_TEST_SUITE_P(On, NerfPoses, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

/// A camera after a motion, p_cam -> rotation of p_cam + translation.
Camera moved(const Camera& camera, const glm::dvec3& rotation, const glm::dvec3& translation) {
  const double angle = glm::length(rotation);
  const glm::dmat3 turn =
      angle > 0 ? glm::mat3_cast(glm::angleAxis(angle, rotation / angle)) : glm::dmat3(1);
  Camera result = camera;
  result.cam_from_world = turn * camera.cam_from_world;
  result.translation = turn * camera.translation + translation;
  return result;
}

/// Puts the cameras at a distance, in the field's units, from the middle of the cube. In the cube,
/// rays begin at the cameras, so that samples keep their distances when a camera moves.
void place_cameras(FieldStepCase& own, double from_middle) {
  const glm::dvec3 center = world_from_field(own.field.placement, glm::dvec3(0.5));
  const double distance = from_middle / own.field.placement.scale;
  const std::array<glm::dvec3, 3> towards{{{1, 0, 0}, {-0.48, 0.8, 0.36}, {0, -0.6, -0.8}}};
  for (std::size_t i = 0; i < towards.size(); ++i) {
    look_at(own.photographs[i].camera, center + distance * towards[i], center, {0, 0, 1});
  }
}

/// A difference of the fourth order, as difference(); none if a ray has other samples where the
/// camera is moved, since the loss jumps there.
std::optional<double> smooth_difference(FieldStepper& stepper, std::uint64_t samples, double step,
                                        const std::function<void(double)>& move) {
  bool is_smooth = true;
  const auto loss_at = [&](double offset) {
    move(offset);
    const FieldStepResult result = stepper.forward();
    is_smooth = is_smooth && result.samples == samples;
    return 3 * result.loss;
  };
  const double fine = loss_at(step) - loss_at(-step);
  const double coarse = loss_at(2 * step) - loss_at(-2 * step);
  move(0);
  if (!is_smooth) return {};
  return (8 * fine - coarse) / (12 * step);
}

/// Compares the gradients by all cameras with differences where the loss is smooth. Returns the
/// number of comparisons with gradients that are not small.
int compare_with_differences(FieldStepCase& own, FieldStepper& stepper, double tolerance) {
  constexpr double kStep = 0x1p-9;
  const FieldStepResult result = stepper.step().result;
  int compared = 0;
  for (std::size_t photo = 0; photo < own.photographs.size(); ++photo) {
    const Camera before = own.photographs[photo].camera;
    for (const bool turns : {true, false}) {
      const FieldPhotoGradient& both = result.photographs[photo];
      const glm::dvec3 gradient = turns ? both.rotation : both.translation;
      const double size = glm::length(gradient);
      for (int axis = 0; axis < 3; ++axis) {
        const auto expected = smooth_difference(stepper, result.samples, kStep, [&](double offset) {
          glm::dvec3 along(0);
          along[axis] = offset;
          const glm::dvec3 none(0);
          own.photographs[photo].camera =
              turns ? moved(before, along, none) : moved(before, none, along);
        });
        if (!expected) continue;
        EXPECT_NEAR(gradient[axis], *expected, tolerance * size + 1e-3)
            << "photograph " << photo << (turns ? ", rotation " : ", translation ") << axis;
        if (size > 0.03) ++compared;
      }
    }
  }
  return compared;
}

/// The same with few rays at a time, of which most keep their samples.
void expect_differences_of_cases(FieldStepCase& own, const CpuKernels& kernels, double tolerance) {
  own.request.pose_gradients = true;
  FieldStepper stepper(own, kernels);
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    own.request.seed = seed;
    compared += compare_with_differences(own, stepper, tolerance);
  }
  EXPECT_GT(compared, 10) << "gradients that are large enough for a comparison";
}

TEST_P(NerfPoses, GradientsAreThoseOfDifferences) {
  FieldStepCase own(
      {.all_occupied = true, .scale = 1, .rays = 2, .interpolation = Interpolation::smoothstep});
  place_cameras(own, 0.3);
  expect_differences_of_cases(own, kernels(), 0.04);
}

TEST_P(NerfPoses, GradientsAreThoseOfDifferencesWithSeveralEncodingsAndLatents) {
  FieldStepCase own({.more_encoding = {{Frequency{2}, 0, 3}},
                     .latents = 3,
                     .all_occupied = true,
                     .scale = 1,
                     .rays = 2,
                     .interpolation = Interpolation::smoothstep});
  place_cameras(own, 0.3);
  expect_differences_of_cases(own, kernels(), 0.04);
}

TEST_P(NerfPoses, GradientsAreThoseOfDifferencesThroughLensAndShutter) {
  FieldStepCase own(
      {.all_occupied = true, .scale = 1, .rays = 2, .interpolation = Interpolation::smoothstep});
  place_cameras(own, 0.3);
  for (std::size_t i = 0; i < 2; ++i) {
    Camera& camera = own.photographs[i].camera;
    camera.lens = std::make_shared<const LensRays>(camera, Lens{LensKind::brown, {-0.1}}, "test");
  }
  const ShutterMotion motion{.turn_cam = {0.05, -0.1, 0.08},
                             .shift_cam = {0.2, 0.1, -0.1},
                             .by_column = 0.3,
                             .by_row = 0.6,
                             .by_exposure = 0.1};
  for (std::size_t i = 1; i < 3; ++i) {
    own.photographs[i].camera.motion = std::make_shared<const ShutterMotion>(motion);
  }
  expect_differences_of_cases(own, kernels(), 0.04);
}

TEST_P(NerfPoses, GradientsAreThoseOfDifferencesInAllOfSpace) {
  // Thin samples, so that rays do not end where losses jump.
  FieldStepCase own({.density = {.kind = DensityKind::softplus, .alpha = 0.2},
                     .scale = 1,
                     .rays = 2,
                     .proposals = true,
                     .interpolation = Interpolation::smoothstep});
  place_cameras(own, 0.45);
  own.request.distortion_weight = 0;  // its loss is not in that of the colours
  expect_differences_of_cases(own, kernels(), 0.04);
}

FieldStepOptions many_posed_rays() {
  return {.aabb_scale = 2, .latents = 2, .activation = LayerActivation::relu, .rays = 3000};
}

std::vector<float> pose_gradients(const FieldStepResult& result) {
  std::vector<float> all;
  for (const FieldPhotoGradient& gradient : result.photographs) {
    for (int axis = 0; axis < 3; ++axis) {
      all.push_back(static_cast<float>(gradient.rotation[axis]));
      all.push_back(static_cast<float>(gradient.translation[axis]));
    }
  }
  return all;
}

TEST_P(NerfPoses, TheNumberOfThreadsChangesNoBit) {
  FieldStepCase own(many_posed_rays());
  own.request.pose_gradients = true;
  const FieldStepResult expected = FieldStepper(own, kernels(), 1).step().result;
  for (const FieldPhotoGradient& gradient : expected.photographs) {
    EXPECT_GT(glm::length(gradient.rotation), 0);
    EXPECT_GT(glm::length(gradient.translation), 0);
  }
  for (const int threads : {2, 3}) {
    SCOPED_TRACE(threads);
    const FieldStepResult found = FieldStepper(own, kernels(), threads).step().result;
    for (std::size_t i = 0; i < expected.photographs.size(); ++i) {
      EXPECT_EQ(found.photographs[i].rotation, expected.photographs[i].rotation) << i;
      EXPECT_EQ(found.photographs[i].translation, expected.photographs[i].translation) << i;
    }
  }
}

TEST_P(NerfPoses, InstructionSetsAgree) {
  FieldStepCase own(many_posed_rays());
  own.request.pose_gradients = true;
  const auto found = pose_gradients(FieldStepper(own, kernels()).step().result),
             expected =
                 pose_gradients(FieldStepper(own, *usable_isas().front()->kernels).step().result);
  EXPECT_LT(relative_error(found, expected), rounds() ? 0.1 : 1e-2);
}

TEST_P(NerfPoses, ChangeNoOtherGradient) {
  FieldStepCase own(many_posed_rays());
  const FieldStepOutcome expected = FieldStepper(own, kernels()).step();
  for (const FieldPhotoGradient& gradient : expected.result.photographs) {
    EXPECT_EQ(gradient.rotation, glm::dvec3(0));
    EXPECT_EQ(gradient.translation, glm::dvec3(0));
  }
  own.request.pose_gradients = true;
  const FieldStepOutcome found = FieldStepper(own, kernels()).step();
  EXPECT_EQ(found.result.loss, expected.result.loss);
  EXPECT_EQ(found.density, expected.density);
  EXPECT_EQ(found.color, expected.color);
  EXPECT_EQ(found.table, expected.table);
  EXPECT_EQ(found.latents, expected.latents);
}

}  // namespace
}  // namespace mote
