// First steps of a NeRF's training on the CPU, in which all rays have a long way through a fog:
// they are trained, however small the batch is.
#include <gtest/gtest.h>

#include "backend/field_trainer.h"
#include "devices/devices.h"
#include "fields/training_schedule.h"
#include "support/constant_field.h"

namespace mote {
namespace {

class FirstSteps : public testing::Test {
 protected:
  /// Photographs from `eye`, towards the middle of the cube.
  void expect_trained(const NeuralField& field, const glm::dvec3& eye, std::uint64_t batch) const {
    SCOPED_TRACE(batch);
    Camera camera = oblique_camera(12, 10, 200);
    look_at(camera, eye, {0, 0, 0}, {0, -1, 0});
    PhotoPixels pixels;
    pixels.color.resize_discard(12, 10, 3);
    std::ranges::fill(pixels.color.pixels.span(), std::uint8_t{99});
    const FieldPhoto photographs[] = {{.camera = camera, .photo = &pixels}};
    const auto trainer = backend_->make_field_trainer(field, {.batch = batch}, {});
    for (std::uint64_t step = 1; step <= 3; ++step) {
      SCOPED_TRACE(step);
      const FieldStepResult result = trainer->step(
          {.photographs = photographs, .step = step, .seed = step, .learning_rate = 0});
      EXPECT_GT(result.rays, 0u);
      EXPECT_GT(result.samples, batch / 4);
      EXPECT_LE(result.samples, kTrainingSpace * batch);
    }
  }

  static constexpr float kFogDensity[] = {-3};  // its logarithm: little light is lost

  const std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}});
};

TEST_F(FirstSteps, OfSmallBatchesTrain) {
  const NeuralField field = constant_field(FieldApplication::nerf, kFogDensity);
  for (const std::uint64_t batch : {1u << 10, 1u << 13, 1u << 16}) {
    expect_trained(field, {2.1, -1.7, 2.9}, batch);
  }
}

TEST_F(FirstSteps, OfRaysWithMoreSamplesThanAWaveTrain) {
  constexpr int kSide = 8;
  NeuralField field = constant_field(FieldApplication::nerf, kFogDensity);
  field.aabb_scale = kSide;
  field.render_box = field_cube(kSide);
  field.occupancy.cascades = cascades_of(kSide);
  field.occupancy.values.assign(
      static_cast<std::size_t>(field.occupancy.cascades) * kOccupancyCells, 1.0f);
  // From near a corner, through the middle, to the other one.
  expect_trained(field, glm::dvec3(-7.9), 1u << 12);
}

}  // namespace
}  // namespace mote
