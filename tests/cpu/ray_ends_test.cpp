// Rays through a fog end where less than 1 % of their light is left, in pictures and in training.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/field_trainer.h"
#include "devices/devices.h"
#include "fields/marching.h"
#include "support/constant_field.h"

namespace mote {
namespace {

constexpr double kLeft = 0.01;

/// Number of samples of this optical thickness after which less light is left.
double samples_until_the_end(double thickness) {
  return std::ceil(std::log(1 / kLeft) / thickness);
}

/// Sees only the middle of the cube, so that all rays have a long way in it.
Camera narrow_camera() {
  return oblique_camera(12, 10, 200);
}

class RayEnds : public testing::Test {
 protected:
  const std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}});
};

TEST_F(RayEnds, OfPicturesAreAtOnePercent) {
  for (const float log_density : {5.0f, 5.6875f, 6.5f}) {
    SCOPED_TRACE(log_density);
    const float outputs[] = {log_density};
    const auto field = backend_->upload_field(constant_field(FieldApplication::nerf, outputs));
    RenderSettings settings;
    settings.outputs.overdraw = settings.outputs.alpha = true;
    Frame frame;
    field->render(narrow_camera(), settings, frame);
    const double expected =
        samples_until_the_end(std::exp(double{log_density}) * double{kSmallestStep});
    for (const float samples : frame.overdraw.pixels.span()) ASSERT_EQ(samples, expected);
    for (const float alpha : frame.alpha.pixels.span()) ASSERT_EQ(alpha, 1);
  }
}

TEST_F(RayEnds, OfTrainingAreAtOnePercent) {
  constexpr double kFirstSteps = 8;  // while little is known of the field
  for (const float log_density : {3.0f, 3.609375f, 4.5f}) {
    SCOPED_TRACE(log_density);
    const float outputs[] = {log_density};
    const auto trainer = backend_->make_field_trainer(
        constant_field(FieldApplication::nerf, outputs), {.batch = 1 << 16}, {});
    PhotoPixels pixels;
    pixels.color.resize_discard(12, 10, 3);
    std::ranges::fill(pixels.color.pixels.span(), std::uint8_t{99});
    const FieldPhoto photographs[] = {{.camera = narrow_camera(), .photo = &pixels}};
    const FieldStepResult result = trainer->step({.photographs = photographs, .seed = 3});
    ASSERT_GT(result.rays, 500u);
    const double expected =
        samples_until_the_end(std::exp(double{log_density}) * kFirstSteps * double{kSmallestStep});
    EXPECT_EQ(static_cast<double>(result.samples), expected * static_cast<double>(result.rays));
  }
}

}  // namespace
}  // namespace mote
