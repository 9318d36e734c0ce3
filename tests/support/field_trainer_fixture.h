#pragma once

// Trainers of small NeRFs on pictures of a ball, on each device that a test program is linked with.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "backend/field_trainer.h"
#include "fields/applications/nerf_layout.h"
#include "fields/initial_parameters.h"
#include "fields/occupancy.h"
#include "fields/proposals/proposal_layout.h"
#include "math/counter_random.h"
#include "support/field_trainer_states.h"
#include "support/test_devices.h"

namespace mote {

inline constexpr double kBallRadius = 0.6;  // world units, around the origin

inline Camera ball_camera(const glm::dvec3& eye) {
  Camera camera;
  camera.width = 40;
  camera.height = 30;
  camera.focal_px = {48, 48};
  camera.center_px = {20, 15};
  look_at(camera, eye, {0, 0, 0}, {0, 0, 1});
  return camera;
}

/// Distance to the ball along a ray of length 1, if the ray hits it.
inline std::optional<double> hit_ball(const glm::dvec3& origin, const glm::dvec3& direction) {
  const double along = -glm::dot(origin, direction);
  const double square = kBallRadius * kBallRadius - glm::dot(origin, origin) + along * along;
  if (square < 0) return {};
  return along - std::sqrt(square);
}

/// A ball coloured by its normal, cut out.
inline PhotoPixels ball_photo(const Camera& camera) {
  PhotoPixels photo;
  photo.color.resize_discard(camera.width, camera.height, 4);
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const glm::dvec3 ray_cam{(x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                               (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1};
      const glm::dvec3 origin = camera.position_world(),
                       direction = glm::normalize(glm::transpose(camera.cam_from_world) * ray_cam);
      const std::optional<double> distance = hit_ball(origin, direction);
      std::uint8_t* pixel = photo.color.row(y) + 4 * x;
      std::fill(pixel, pixel + 4, std::uint8_t{0});
      if (!distance) continue;
      const glm::dvec3 normal = (origin + *distance * direction) / kBallRadius;
      for (int c = 0; c < 3; ++c) {
        pixel[c] = static_cast<std::uint8_t>(127.5 + 127 * normal[c]);
      }
      pixel[3] = 255;
    }
  }
  return photo;
}

/// An untrained field, small enough for tests.
inline NeuralField new_field(std::uint64_t seed, int latents = 0) {
  FieldConfig config;
  const GridConfig grid{.levels = 4,
                        .features = 2,
                        .log2_table_size = 13,
                        .base_resolution = 8,
                        .per_level_scale = 1.6};
  config.encoding = {.parts = {{GridEncoding{grid}, 0, 3}}};
  config.network = {.neurons = 16, .hidden_layers = 1};
  config.color_network = {.neurons = 16, .hidden_layers = 1};
  NeuralField field;
  field.config = with_latents(complete_nerf_config(config, 1), latents);
  field.parameters = initial_nerf_parameters(field.config, seed);
  field.placement = {.scale = 0.5, .offset = glm::dvec3(0.5)};
  field.render_box = field_cube(1);
  field.occupancy.values.assign(kOccupancyCells, 0.0f);
  return field;
}

/// The same in all of space, with two rounds that choose the samples.
inline NeuralField new_proposed_field(std::uint64_t seed) {
  NeuralField field = new_field(seed);
  field.aabb_scale = 2;
  field.render_box = field_cube(2);
  field.occupancy = {2, std::vector<float>(2 * kOccupancyCells, 0.0f)};
  field.proposals = initial_proposals(*field.config.optimizer, seed);
  for (ProposalRound& round : field.proposals->rounds) round.samples /= 2;
  return field;
}

/// The same with rounds of small grids.
inline NeuralField small_proposed_field(std::uint64_t seed) {
  NeuralField field = new_proposed_field(seed);
  for (ProposalRound& round : field.proposals->rounds) {
    GridConfig& grid = std::get<GridEncoding>(round.config.encoding->parts.front().kind).grid;
    grid.levels = 3;
    grid.log2_table_size = 11;
    round.parameters = initial_parameters(FieldApplication::sdf, round.config, seed++);
  }
  return field;
}

/// The field with samples only within `radius` of the middle of its cube, if no camera is given
/// beside it: most rays have few samples.
inline NeuralField with_cells_in_ball(NeuralField field, float radius) {
  std::vector<float>& values = field.occupancy.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Vec3<float> at = cell_position(static_cast<std::uint32_t>(i), {0.5f, 0.5f, 0.5f});
    const Vec3<float> from_middle = at - Vec3<float>{0.5f, 0.5f, 0.5f};
    if (dot(from_middle, from_middle) > radius * radius) values[i] = kUnseenDensity;
  }
  return field;
}

/// The trainer before its first step, which takes so many rays.
inline std::unique_ptr<FieldTrainer> with_first_rays(std::unique_ptr<FieldTrainer> trainer,
                                                     std::uint64_t rays) {
  MemoryBytes state = saved(*trainer);
  set_rays(state, rays);
  trainer->restore(state);
  return trainer;
}

/// So many that some hit the cells of with_cells_in_ball().
inline constexpr std::uint64_t kManyRays = 2048;

class OnBallPhotographs : public OnEachDevice {
 protected:
  void SetUp() override {
    OnEachDevice::SetUp();
    for (const glm::dvec3& eye : {glm::dvec3{3, 0, 1}, {-1, 3, 0}, {-2, -2, 1}, {1, -2, -2}}) {
      cameras_.push_back(ball_camera(eye));
    }
    for (const Camera& camera : cameras_) pixels_.push_back(ball_photo(camera));
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      photographs_.push_back({.camera = cameras_[i], .photo = &pixels_[i], .number = i});
    }
  }

  /// The fields of slow devices have samples in few cells, and few of them. They are not measured:
  /// tests take fewer than kFirstOccupancyUpdate steps.
  bool is_slow() const { return GetParam().is_slow; }
  /// A step of a slow device has 256 rays after the first one.
  FieldTrainerSettings settings() const {
    return is_slow() ? FieldTrainerSettings{.batch = 1 << 8, .first_steps = 8}
                     : FieldTrainerSettings{.batch = 1 << 13};
  }
  /// Those with a map of errors.
  FieldTrainerSettings mapped() const {
    FieldTrainerSettings own = settings();
    own.batch = is_slow() ? 1u << 10 : 1u << 13;
    own.mapped_photographs = photographs_.size();
    return own;
  }
  NeuralField untrained(std::uint64_t seed, int latents = 0) const {
    const NeuralField field = new_field(seed, latents);
    return is_slow() ? with_cells_in_ball(field, 0.13f) : field;
  }
  NeuralField any_untrained(bool proposed, std::uint64_t seed) const {
    if (!proposed) return untrained(seed);
    if (!is_slow()) return new_proposed_field(seed);
    NeuralField field = small_proposed_field(seed);
    int samples = 8;
    for (ProposalRound& round : field.proposals->rounds) round.samples = samples--;
    field.proposals->samples = 4;
    return field;
  }
  /// Whether a trainer's field() takes long: one with proposals measures all cells.
  bool is_field_slow(bool proposed) const { return is_slow() && proposed; }
  /// The cameras of a field that has samples wherever they see.
  std::span<const Camera> seeing() const {
    return is_slow() ? std::span<const Camera>() : std::span<const Camera>(cameras_);
  }
  /// The camera of a picture.
  Camera camera_at(const glm::dvec3& eye) const {
    return is_slow() ? resized(ball_camera(eye), 20, 15) : ball_camera(eye);
  }

  /// Its first step has rays that hit cells.
  std::unique_ptr<FieldTrainer> make_trainer(const NeuralField& field,
                                             const FieldTrainerSettings& settings) const {
    auto trainer = backend().make_field_trainer(field, settings, seeing());
    if (!is_slow() || field.proposals) return trainer;
    return with_first_rays(std::move(trainer), kManyRays);
  }
  std::unique_ptr<FieldTrainer> make_trainer(std::uint64_t seed,
                                             const FieldTrainerSettings& settings) const {
    return make_trainer(untrained(seed), settings);
  }
  std::unique_ptr<FieldTrainer> make_trainer(std::uint64_t seed = 1) const {
    return make_trainer(seed, settings());
  }
  std::unique_ptr<FieldTrainer> make_any_trainer(bool proposed, std::uint64_t seed = 1) const {
    return make_trainer(any_untrained(proposed, seed), settings());
  }

  FieldStepResult take_step(FieldTrainer& trainer, std::uint64_t step,
                            std::uint64_t seed = 1) const {
    return trainer.step({.photographs = photographs_,
                         .random_background = true,
                         .step = step,
                         .seed = random_bits(seed, step)});
  }
  /// Takes the steps first .. last and returns their losses.
  std::vector<double> train(FieldTrainer& trainer, std::uint64_t first, std::uint64_t last,
                            std::uint64_t seed = 1) const {
    std::vector<double> losses;
    for (std::uint64_t step = first; step <= last; ++step) {
      const FieldStepResult result = take_step(trainer, step, seed);
      EXPECT_EQ(result.non_finite, 0u) << step;
      EXPECT_GT(result.samples, 0u) << step;
      losses.push_back(result.loss);
    }
    return losses;
  }

  std::vector<Camera> cameras_;
  std::vector<PhotoPixels> pixels_;
  std::vector<FieldPhoto> photographs_;
};

/// The largest difference of two values of images of the same size.
inline float largest_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  float largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return largest;
}

}  // namespace mote
