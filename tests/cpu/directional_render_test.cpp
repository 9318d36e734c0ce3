// Splats that depend on the direction of view, drawn by the CPU with each instruction set, in
// addition to tests/backend/directional_test.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/backend.h"
#include "devices/devices.h"
#include "splats/moment.h"
#include "support/image_difference.h"
#include "support/random_cloud.h"
#include "support/reference/reference_renderer.h"
#include "support/reference/render_checks.h"
#include "support/splat_trainer_steps.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

SplatCloud slice_for(const SplatCloud& cloud, const Camera& camera) {
  const glm::dvec3 eye = camera.position_world();
  return slice_of(cloud, {0, {eye.x, eye.y, eye.z}});
}

TEST(DirectionalRender, EachInstructionSetDrawsTheSlice) {
  const SplatCloud cloud = random_directional_cloud(4000, 2, 21);
  for (const IsaEntry* isa : usable_isas()) {
    const auto backend = make_backend("cpu", {.threads = 2, .isa = isa->kernels->name, .index = 0});
    for (const double distance : {0.6, 2.5}) {
      SCOPED_TRACE(testing::Message() << isa->kernels->name << " from " << distance);
      const Camera camera = camera_at(distance, 200, 150);
      const Frame found = render(*backend, cloud, camera, {});
      const Frame slice = render(*backend, slice_for(cloud, camera), camera, {});
      // Splats at the limit of sight may be on either side of it; they are nearly invisible.
      EXPECT_LT(mean_difference(found.rgb, slice.rgb), 1e-5);
      EXPECT_GT(
          mean_difference(found.rgb,
                          render(*backend, slice_for(cloud, camera_at(-2, 9, 9)), camera, {}).rgb),
          1e-2);
    }
  }
}

TEST(DirectionalRender, ThreadsDoNotChangePixels) {
  const SplatCloud cloud = random_directional_cloud(9000, 1, 8);
  const Camera camera = camera_at(1.2, 330, 270);
  const auto one = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  const auto many = make_backend("cpu", {.threads = 3, .isa = {}, .index = 0});
  const Frame a = render(*one, cloud, camera, {}), b = render(*many, cloud, camera, {});
  ASSERT_EQ(a.rgb.pixels.size(), b.rgb.pixels.size());
  EXPECT_EQ(
      std::memcmp(a.rgb.pixels.data(), b.rgb.pixels.data(), a.rgb.pixels.size() * sizeof(float)),
      0);
}

TEST(DirectionalTrainer, InstructionSetsAndThreadsAgree) {
  const PhotoPixels photo = grey_photo();
  std::vector<SplatCloud> gradients;
  std::vector<SplatCloud> trained;
  for (const IsaEntry* isa : usable_isas()) {
    for (const int threads : {1, 3}) {
      const auto backend =
          make_backend("cpu", {.threads = threads, .isa = isa->kernels->name, .index = 0});
      const auto trainer = backend->make_trainer(random_directional_cloud(1500, 2, 5), {});
      StepResult result;
      gradients.push_back(
          trainer->gradients(request_of(training_camera({3, 0.5, 2}), photo, 1), result));
      StepRequest request = request_of(training_camera({3, 0.5, 2}), photo, 1);
      request.rates.slope = request.rates.direction_mean = 1e-3f;
      trainer->step(request);
      trained.push_back(trainer->cloud());
    }
  }
  for (std::size_t run = 0; run + 1 < trained.size(); run += 2) {
    EXPECT_TRUE(equal(trained[run], trained[run + 1])) << "threads change nothing";
  }
  for (const Field field : gradients[0].info().stored()) {
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < gradients[0].count(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(gradients[0].at(i, field))));
      for (const SplatCloud& other : gradients) {
        worst = std::max(worst, std::abs(static_cast<double>(other.at(i, field)) -
                                         static_cast<double>(gradients[0].at(i, field))));
      }
    }
    EXPECT_GT(largest, 0);
    EXPECT_LT(worst, 1e-3 * largest) << "field " << static_cast<int>(field);
  }
}

}  // namespace
}  // namespace mote
