// Complete trainings on the CPU of a scene whose highlight moves with the camera.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/splats/scene_format.h"
#include "support/files/format_samples.h"
#include "support/moving_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

constexpr int kViews = 17, kWidth = 75, kHeight = 55;

void set_splat(SplatCloud& cloud, std::size_t i, const glm::dvec3& mean, float log_scale,
               const glm::vec3& color) {
  for (const Field field : cloud.info().stored()) cloud.at(i, field) = 0;
  cloud.at(i, Field::rotation_w) = 1;
  cloud.at(i, Field::logit_opacity) = 4;
  for (int k = 0; k < 3; ++k) {
    cloud.at(i, static_cast<Field>(k)) = static_cast<float>(mean[k]);
    cloud.at(i, static_cast<Field>(3 + k)) = log_scale;
    cloud.sh(i, 0, k) = color[k];
  }
}

/// A dark ball with the highlight of a distant light, where the surface's normal is halfway between
/// light and camera, above a floor. The place of the highlight is no linear function of the
/// direction.
SplatCloud shiny_ball(const glm::dvec3& eye) {
  constexpr double kRadius = 0.6;
  const glm::dvec3 center(0, 0, 0), light = glm::normalize(glm::dvec3(0.3, -0.8, -0.6));
  const glm::dvec3 normal = glm::normalize(glm::normalize(eye - center) + light);
  SplatCloud cloud(27, 0);
  set_splat(cloud, 0, center, -1.3f, {-1.0f, -0.8f, -0.2f});
  set_splat(cloud, 1, center + kRadius * 1.25 * normal, -2.6f, {1.7f, 1.7f, 1.5f});
  for (std::size_t i = 2; i < cloud.count(); ++i) {
    const auto k = static_cast<int>(i) - 2;
    set_splat(cloud, i, {0.5 * (k % 5) - 1, 0.8, 0.5 * (k / 5) - 1}, -1.5f,
              {0.3f * static_cast<float>(k % 3), 0.2f, 0.3f * static_cast<float>(k % 2)});
  }
  return cloud;
}

/// Every fourth view is for testing.
void make_shiny_data(MovingData& data) {
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  data.dataset.source = "a shiny ball";
  for (int view = 0; view < kViews; ++view) {
    const double turn = 0.13 * view - 1.04, rise = 0.4 * std::sin(1.7 * view);
    Photograph photograph;
    photograph.name = std::to_string(view);
    photograph.camera = training_camera({3 * std::sin(turn), rise - 0.9, -3 * std::cos(turn)});
    photograph.camera.width = kWidth;
    photograph.camera.height = kHeight;
    photograph.camera.focal_px /= 2.0;
    photograph.camera.center_px /= 2.0;
    (view % 4 == 2 ? data.dataset.test : data.dataset.train)
        .push_back(static_cast<std::uint32_t>(view));
    const auto scene = backend->upload(shiny_ball(photograph.camera.position_world()));
    const SceneInstance instance{.scene = scene.get()};
    Frame frame;
    backend->render_scenes({&instance, 1}, photograph.camera, {}, frame);
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(kWidth, kHeight, 3);
    for (std::size_t i = 0; i < photo->color.pixels.size(); ++i) {
      const float value = std::clamp(frame.rgb.pixels[i], 0.0f, 1.0f);
      photo->color.pixels[i] = static_cast<std::uint8_t>(std::lround(255 * value));
    }
    data.photos.photos.push_back(std::move(photo));
    data.dataset.photographs.push_back(std::move(photograph));
  }
}

TrainOptions shiny_options(const char* motion, int steps) {
  TrainOptions options = moving_options(steps);
  options.motion = motion;
  options.strategy = "mcmc";
  options.target_splats = 400;
  options.sh_degree = 2;
  return options;
}

TEST(DirectionalTraining, AMovingHighlightIsLearnedBetterThanByColoursAlone) {
  MovingData data;
  make_shiny_data(data);
  MovingRun directional(data, shiny_options("conditional", 1500), 2);
  directional.steps(1500);
  MovingRun still(data, shiny_options("still", 1500), 2);
  still.steps(1500);
  EXPECT_EQ(directional.cloud().motion(), SplatMotion::conditional);
  EXPECT_EQ(directional.cloud().count(), still.cloud().count());
  const double directional_db = directional.psnr_db(), still_db = still.psnr_db();
  RecordProperty("directional_db", std::to_string(directional_db));
  RecordProperty("still_db", std::to_string(still_db));
  EXPECT_GT(directional_db, still_db + 0.5);
}

TEST(DirectionalTraining, EachStrategyContinuesAfterResumingAsIfUninterrupted) {
  MovingData data;
  make_shiny_data(data);
  for (const StrategyEntry* strategy : strategies()) {
    SCOPED_TRACE(strategy->name);
    TrainOptions options = shiny_options("conditional", 330);
    options.strategy = strategy->name;
    options.densify.from = 20;
    options.densify.every = 50;
    options.target_splats = 450;
    MovingRun whole(data, options, 1), before(data, options, 2),
        after(data, as_resumed(options), 3);
    whole.steps(250);
    before.steps(170);
    hand_over(before.trainer, after.trainer);
    after.steps(80);
    EXPECT_TRUE(equal(whole.cloud(), after.cloud()));
    EXPECT_GT(whole.cloud().count(), 400u);
    double slopes = 0;
    const SplatCloud cloud = whole.cloud();
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      slopes += std::abs(static_cast<double>(cloud.at(i, Field::slope_xy)));
    }
    EXPECT_GT(slopes, 0);
  }
}

TEST(DirectionalTraining, BeginsWithStillSplatsOfAFile) {
  MovingData data;
  make_shiny_data(data);
  const samples::TemporaryFile file(".ply"), moving(".ply");
  const SplatCloud splats = random_cloud(60, 2, 3);
  save_scene(splats, file.path());
  TrainOptions options = shiny_options("conditional", 100);
  options.target_splats = 0;
  options.init = file.path().string();
  MovingRun run(data, options, 1);
  const SplatCloud first = run.cloud();
  ASSERT_EQ(first.motion(), SplatMotion::conditional);
  ASSERT_EQ(first.count(), 60u);
  for (std::size_t i = 0; i < first.count(); ++i) {
    EXPECT_EQ(first.at(i, Field::slope_yz), 0);
    EXPECT_GT(first.at(i, Field::log_direction_sigma), 0);
    const double length =
        std::hypot(first.at(i, Field::direction_mean_x), first.at(i, Field::direction_mean_y),
                   first.at(i, Field::direction_mean_z));
    EXPECT_GT(length, 0.3) << "all cameras are on one side";
    EXPECT_LE(length, 1 + 1e-6);
    EXPECT_GT(first.at(i, Field::direction_mean_z), 0);
  }
  save_scene(random_moving_cloud(60, 2, 3), moving.path());
  options.init = moving.path().string();
  try {
    MovingRun refused(data, options, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("conditional"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mote
