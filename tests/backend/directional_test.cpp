// Splats that depend on the direction of view on each device that the test program is linked with
// (test_devices.h): a picture and the gradient of a step are those of the slice for the camera.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "splats/moment.h"
#include "splats/motions/motions.h"
#include "splats/transform.h"
#include "support/fake_training.h"
#include "support/image_difference.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"
#include "support/splat_trainer_steps.h"
#include "support/test_devices.h"

namespace mote {
namespace {

class Directional : public OnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, Directional, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

using Whole = MovingKind<Gaussian, Conditional>;

SliceQuery<double> query_of(const Camera& camera) {
  const glm::dvec3 eye = camera.position_world();
  return {0, {eye.x, eye.y, eye.z}};
}

Frame picture(Backend& backend, const SplatCloud& cloud, const Camera& camera,
              const Similarity& world_from_scene = {}) {
  const auto scene = backend.upload(with_sh_degree(cloud, cloud.sh_degree()));
  const SceneInstance instance{.scene = scene.get(), .world_from_scene = world_from_scene};
  Frame frame;
  backend.render_scenes({&instance, 1}, camera, {}, frame);
  return frame;
}

TEST_P(Directional, APictureIsThatOfTheSliceForTheCamera) {
  const SplatCloud cloud = random_directional_cloud(600, 1, 21);
  Frame last;
  for (const double distance : {1.2, 2.5, -2.5}) {
    const Camera camera = camera_at(distance, 100, 80);
    const Frame found = picture(backend(), cloud, camera);
    const SplatCloud slice = slice_of(cloud, query_of(camera));
    EXPECT_GT(slice.count(), 100u);
    EXPECT_LT(slice.count(), 590u);
    EXPECT_LT(mean_difference(found.rgb, picture(backend(), slice, camera).rgb), 2e-5) << distance;
    SplatCloud plain = with_sh_degree(cloud, 1);
    for (std::size_t i = 0; i < plain.count(); ++i) plain.at(i, Field::slope_xx) = 0;
    EXPECT_GT(mean_difference(found.rgb, picture(backend(), plain, camera).rgb), 1e-3);
  }
}

TEST_P(Directional, APlacedSceneIsSeenFromTheCameraInItsOwnFrame) {
  const SplatCloud cloud = random_directional_cloud(500, 1, 6);
  const Similarity place{.scale = 0.5,
                         .rotation = rotation_about_axes({0.3, -0.8, 0.5}),
                         .translation = {0.2, 0, 0.1}};
  SplatCloud moved = with_sh_degree(cloud, 1);
  transform(moved, place);
  const Camera camera = camera_at(1.5, 100, 80);
  const Frame placed = picture(backend(), cloud, camera, place);
  EXPECT_LT(mean_difference(placed.rgb, picture(backend(), moved, camera).rgb), 1e-4);
}

StoredSplat<Whole, double> stored_of(const SplatCloud& cloud, std::size_t i) {
  return load_stored<Whole, double>(
      [&](int plane) { return static_cast<double>(cloud.at(i, Whole::field(plane))); });
}

StepRequest directional_request(const PhotoPixels& photo) {
  StepRequest request = request_of(training_camera({3, 0.5, 2}), photo, 1);
  request.noise = 0;
  request.pose_gradient = true;
  return request;
}

/// The gradient of each splat of `cloud` through the slice, from that of the slice; zero for splats
/// that are not seen.
struct ExpectedGradients {
  std::vector<StoredSplat<Whole, double>> splats;
  glm::dvec3 d_pose_translation{0};
};

ExpectedGradients expected_gradients(const SplatCloud& cloud, const StepRequest& request,
                                     SplatTrainer& slice, StepResult& result) {
  const SplatCloud d_slice = slice.gradients(request, result);
  const SplatCloud splats = slice.cloud();
  std::map<float, std::size_t> places;  // by the first harmonic, since orders differ
  for (std::size_t i = 0; i < splats.count(); ++i) places[splats.sh(i, 0, 0)] = i;
  ExpectedGradients expected{std::vector<StoredSplat<Whole, double>>(cloud.count()),
                             result.d_pose_translation};
  const SliceQuery<double> query = query_of(request.camera);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto place = places.find(cloud.sh(i, 0, 0));
    if (place == places.end()) continue;
    const auto d_at = load_stored<Gaussian, double>([&](int plane) {
      return static_cast<double>(d_slice.at(place->second, Gaussian::field(plane)));
    });
    const auto splat = stored_of(cloud, i);
    expected.splats[i] = Conditional::at_vjp(splat, query, d_at);
    const Vec3<double> d_offset = Conditional::direction_vjp(splat, query, d_at);
    expected.d_pose_translation +=
        request.camera.cam_from_world * glm::dvec3(d_offset.x, d_offset.y, d_offset.z);
  }
  return expected;
}

TEST_P(Directional, GradientsAreThoseOfTheSliceThroughTheDirection) {
  const PhotoPixels photo = grey_photo();
  const auto trainer = backend().make_trainer(random_directional_cloud(300, 1, 5), {});
  const StepRequest request = directional_request(photo);
  StepResult result, slice_result;
  const SplatCloud found = trainer->gradients(request, result);
  const SplatCloud cloud = trainer->cloud();
  EXPECT_EQ(cloud.motion(), SplatMotion::conditional);
  EXPECT_EQ(result.d_time, 0);
  const auto slice = backend().make_trainer(slice_of(cloud, query_of(request.camera)), {});
  const ExpectedGradients expected = expected_gradients(cloud, request, *slice, slice_result);
  EXPECT_NEAR(result.loss, slice_result.loss, 1e-6);
  const double size = glm::length(expected.d_pose_translation);
  EXPECT_LT(glm::length(result.d_pose_translation - expected.d_pose_translation), 2e-3 * size);
  EXPECT_GT(glm::length(result.d_pose_translation - slice_result.d_pose_translation), 1e-2 * size);
  for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
    double largest = 0;
    for (const auto& splat : expected.splats) {
      largest = std::max(largest, std::abs(splat.value[plane]));
    }
    ASSERT_GT(largest, 0) << "plane " << plane;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      ASSERT_NEAR(found.at(i, Whole::field(plane)), expected.splats[i].value[plane], 2e-3 * largest)
          << "plane " << plane << ", splat " << i;
    }
  }
}

TEST_P(Directional, TrainAndContinueAfterASavedState) {
  const PhotoPixels photo = grey_photo();
  const auto steps = [&](SplatTrainer& trainer, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t step = first; step <= last; ++step) {
      const auto angle = static_cast<double>(step);
      StepRequest request =
          request_of(training_camera({4 * std::cos(angle), 0.5, 4 * std::sin(angle)}), photo, step);
      request.rates.direction_mean = request.rates.direction_sigma = 1e-3f;
      request.rates.slope = 1e-3f;
      request.noise = 1e-3f;
      request.noise_seed = step;
      trainer.step(request);
    }
  };
  const auto whole = backend().make_trainer(random_directional_cloud(200, 0, 5), {});
  const SplatCloud before = whole->cloud();
  steps(*whole, 1, 2);
  MemoryBytes saved;
  whole->save(saved);
  steps(*whole, 3, 5);
  const auto resumed = backend().make_trainer(random_directional_cloud(3, 0, 1), {});
  resumed->restore(saved);
  steps(*resumed, 3, 5);
  const SplatCloud after = whole->cloud();
  EXPECT_TRUE(equal(after, resumed->cloud()));
  for (const Field field : after.info().stored()) {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < after.count(); ++i) {
      changed += after.at(i, field) != before.at(i, field) ? 1 : 0;
    }
    EXPECT_GT(changed, 20u) << "field " << static_cast<int>(field);
  }
}

TEST_P(Directional, ADensityChangeOfTheDeviceCopiesDirections) {
  const auto trainer = backend().make_trainer(random_directional_cloud(200, 0, 5), {});
  std::map<float, std::size_t> known;  // by the spread of the directions
  const SplatCloud before = trainer->cloud();
  for (std::size_t i = 0; i < before.count(); ++i) {
    known[before.at(i, Field::log_direction_sigma)] = i;
  }
  const McmcOutcome outcome = trainer->change({.dead_opacity = 0.1, .count = 260}, {}, 3);
  EXPECT_GT(outcome.relocated + outcome.added, 20u);
  const SplatCloud after = trainer->cloud();
  ASSERT_EQ(after.count(), 260u);
  for (std::size_t i = 0; i < after.count(); ++i) {
    const auto same = known.find(after.at(i, Field::log_direction_sigma));
    ASSERT_NE(same, known.end());
    for (const Field field : {Field::direction_mean_y, Field::slope_zx}) {
      EXPECT_EQ(after.at(i, field), before.at(same->second, field));
    }
  }
}

TEST_P(Directional, ChangedSplatsAreDrawnWithTheirNewDirections) {
  SplatCloud cloud = random_directional_cloud(600, 0, 8);
  const auto scene = backend().upload(with_sh_degree(cloud, 0));
  std::vector<std::uint32_t> changed;
  for (std::uint32_t i = 0; i < 600; i += 7) {
    changed.push_back(i);
    cloud.at(i, Field::direction_mean_x) *= -1;
    cloud.at(i, Field::slope_yy) += 2;
  }
  backend().update(*scene, changed, reordered(cloud, changed));
  const Camera camera = camera_at(2.5, 100, 80);
  const SceneInstance instance{.scene = scene.get()};
  Frame frame;
  backend().render_scenes({&instance, 1}, camera, {}, frame);
  EXPECT_LT(mean_difference(frame.rgb, picture(backend(), cloud, camera).rgb), 1e-6);
}

}  // namespace
}  // namespace mote
