#include "support/moving_training.h"

#include <algorithm>
#include <cmath>

#include "splats/motions/life.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {

SplatCloud moving_scene() {
  SplatCloud cloud = random_moving_cloud(26, 0, 3);
  cloud.times = {.duration_s = kMovingLast_s, .frames_per_second = 10};
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) cloud.at(i, field) = 0;
    cloud.at(i, Field::rotation_w) = 1;
    cloud.at(i, Field::logit_opacity) = 4;
    cloud.at(i, Field::log_time_plateau) = i == 1 ? -1.2f : kStaticLogPlateau - 1;
    cloud.at(i, Field::log_time_sigma) = -2;
    cloud.at(i, Field::time_mean) = i == 1 ? 1.1f : 0.7f;
    const bool is_ball = i < 2;
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) = is_ball ? -1.2f : -1.6f;
    }
    cloud.at(i, Field::mean_y) = is_ball ? -0.3f : 0.6f;
    cloud.at(i, Field::mean_x) =
        is_ball ? 0.7f * static_cast<float>(i) : 0.4f * static_cast<float>(i % 5) - 0.8f;
    cloud.at(i, Field::mean_z) = is_ball ? 0.0f : 0.4f * static_cast<float>(i / 5) - 1.2f;
    if (i == 0) {
      // Not only along the row of cameras, where clocks that are wrong look like another depth.
      cloud.at(i, Field::velocity_x) = 1;
      cloud.at(i, Field::velocity_y) = 0.6f;
    }
    for (int c = 0; c < 3; ++c) {
      cloud.sh(i, 0, c) = is_ball
                              ? (c == static_cast<int>(i) ? 1.5f : -1.0f)
                              : 0.3f * static_cast<float>((i + static_cast<std::size_t>(c)) % 3);
    }
  }
  return cloud;
}

void make_data(MovingData& data) {
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  const auto scene = backend->upload(moving_scene());
  Dataset& dataset = data.dataset;
  dataset.source = "a moving scene";
  for (int camera = 0; camera < kMovingCameras; ++camera) {
    dataset.camera_groups.push_back({.name = std::to_string(camera)});
    const double turn = 0.35 * camera - 0.8;
    for (int time = 0; time < kMovingTimes; ++time) {
      Photograph photograph;
      photograph.name = std::to_string(camera) + "_" + std::to_string(time);
      photograph.camera = training_camera({3 * std::sin(turn), -0.8, -3 * std::cos(turn)});
      photograph.camera.width = 75;
      photograph.camera.height = 55;
      photograph.camera.focal_px /= 2.0;
      photograph.camera.center_px /= 2.0;
      photograph.time_s = kMovingLast_s * time / (kMovingTimes - 1);
      photograph.camera_group = static_cast<std::uint32_t>(camera);
      const auto number = static_cast<std::uint32_t>(dataset.photographs.size());
      (camera == 2 ? dataset.test : dataset.train).push_back(number);
      const SceneInstance instance{.scene = scene.get(), .time_s = photograph.time_s};
      Frame frame;
      backend->render_scenes({&instance, 1}, photograph.camera, {}, frame);
      auto photo = std::make_shared<PhotoPixels>();
      photo->color.resize_discard(75, 55, 3);
      for (std::size_t i = 0; i < photo->color.pixels.size(); ++i) {
        const float value = std::clamp(frame.rgb.pixels[i], 0.0f, 1.0f);
        photo->color.pixels[i] = static_cast<std::uint8_t>(std::lround(255 * value));
      }
      data.photos.photos.push_back(std::move(photo));
      dataset.photographs.push_back(std::move(photograph));
    }
  }
  dataset.time = {.first_s = 0, .last_s = kMovingLast_s, .frames_per_second = 10};
}

TrainOptions moving_options(int steps) {
  TrainOptions options;
  options.steps = steps;
  options.init = "random";
  options.init_count = 400;
  options.sh_degree = 0;
  return options;
}

double MovingRun::psnr_db() {
  double sum = 0;
  for (const std::uint32_t index : data.dataset.test) {
    Frame frame;
    trainer.render_photograph(index, frame);
    const auto& truth = data.photos.photos[index]->color.pixels;
    double squares = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double off = static_cast<double>(frame.rgb.pixels[i]) - truth[i] / 255.0;
      squares += off * off;
    }
    sum += -10 * std::log10(squares / static_cast<double>(truth.size()));
  }
  return sum / static_cast<double>(data.dataset.test.size());
}

}  // namespace mote
