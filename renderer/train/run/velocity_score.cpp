#include "train/run/velocity_score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>
#include <string>

#include "io/images/exr_reading.h"
#include "splats/deformation.h"

namespace mote {
namespace {

constexpr double kFirstHarmonic = 0.28209479177387814;  // Y_00

/// 0 if it is not finite, as in a damaged file.
glm::dvec3 splat_velocity(const SplatCloud& splats, std::size_t i) {
  if (!splats.info().stores(Field::velocity_x)) return glm::dvec3(0);
  const glm::dvec3 velocity(splats.at(i, Field::velocity_x), splats.at(i, Field::velocity_y),
                            splats.at(i, Field::velocity_z));
  return std::isfinite(glm::length(velocity)) ? velocity : glm::dvec3(0);
}

double largest_speed(const SplatCloud& splats) {
  double most = 1e-12;
  for (std::size_t i = 0; i < splats.count(); ++i) {
    most = std::max(most, glm::length(splat_velocity(splats, i)));
  }
  return most;
}

/// The splats in other colours, 0 to 1. color(velocity) is that of a splat.
template <class Color>
SplatCloud colored(const SplatCloud& splats, const Color& color) {
  SplatCloud result(splats.count(), {splats.kind(), 0, splats.motion()});
  result.antialiased = splats.antialiased;
  result.times = splats.times;
  for (std::size_t i = 0; i < splats.count(); ++i) {
    for (const Field field : splats.info().stored()) result.at(i, field) = splats.at(i, field);
    const glm::dvec3 of_splat = color(splat_velocity(splats, i));
    for (int c = 0; c < 3; ++c) {
      result.sh(i, 0, c) = static_cast<float>((of_splat[c] - 0.5) / kFirstHarmonic);
    }
  }
  return result;
}

}  // namespace

bool has_true_velocities(const Dataset& dataset, std::span<const std::uint32_t> views) {
  return std::ranges::any_of(
      views, [&](std::uint32_t i) { return !dataset.photographs[i].scene_flow.empty(); });
}

VelocityPictures::VelocityPictures(Backend& backend, const SplatCloud& splats, bool antialiased)
    : backend_(backend) {
  settings_.antialiased = antialiased;
  settings_.outputs.alpha = true;
  if (splats.deformation != nullptr) {
    deformed_ = with_sh_degree(splats, 0);
  } else {
    show(splats);
  }
}

void VelocityPictures::show(const SplatCloud& splats) {
  most_ = largest_speed(splats);
  vectors_ = backend_.upload(
      colored(splats, [&](const glm::dvec3& velocity) { return 0.5 + 0.5 * velocity / most_; }));
  speeds_ = backend_.upload(colored(splats, [&](const glm::dvec3& velocity) {
    const double speed = glm::length(velocity) / most_;
    return glm::dvec3(speed * speed, speed, 0);
  }));
}

void VelocityPictures::add(const Photograph& photograph, const Image& moving, Sums& sums) {
  if (photograph.scene_flow.empty() || moving.pixels.empty()) return;
  const std::array<std::string, 4> names{"X", "Y", "Z", "V"};
  const Image truth = read_exr_channels(photograph.scene_flow, names);
  const Camera& camera = photograph.camera;
  if (deformed_ && moment_s_ != photograph.time_s) {
    show(deformed_with_velocities(*deformed_, photograph.time_s));
    moment_s_ = photograph.time_s;
  }
  const auto draw = [&](const DeviceScene& scene, Frame& frame) {
    const SceneInstance instance{.scene = &scene, .time_s = photograph.time_s};
    backend_.render_scenes({&instance, 1}, camera, settings_, frame);
  };
  draw(*vectors_, vector_frame_);
  draw(*speeds_, speed_frame_);
  for (int y = 0; y < camera.height; ++y) {
    const float* truth_row =
        truth.row(static_cast<int>(std::int64_t{y} * truth.height / camera.height));
    for (int x = 0; x < camera.width; ++x) {
      const float* known = truth_row + 4 * (std::int64_t{x} * truth.width / camera.width);
      if (!(known[3] > 0.5f)) continue;
      const float *vector = vector_frame_.rgb.row(y) + 3 * x,
                  *speed = speed_frame_.rgb.row(y) + 3 * x;
      const auto weight = static_cast<double>(vector_frame_.alpha.row(y)[x]);
      const glm::dvec3 sum = most_ * (2.0 * glm::dvec3(vector[0], vector[1], vector[2]) - weight);
      if (moving.row(y)[x] == 0) {
        sums.still += weight;
        sums.speeds += most_ * static_cast<double>(speed[1]);
        continue;
      }
      const glm::dvec3 expected(known[0], known[1], known[2]);
      const double true_square = glm::dot(expected, expected);
      const double square = most_ * most_ * static_cast<double>(speed[0]);
      sums.moving += weight;
      sums.true_squares += weight * true_square;
      sums.error_squares +=
          std::max(square - 2 * glm::dot(expected, sum) + weight * true_square, 0.0);
    }
  }
}

std::unique_ptr<VelocityPictures> velocity_pictures(Backend& backend, const HostModel& model,
                                                    bool antialiased) {
  const SplatCloud* splats = model.splats();
  if (splats == nullptr) return nullptr;
  return std::make_unique<VelocityPictures>(backend, *splats, antialiased);
}

std::optional<VelocityScore> velocity_score(const VelocityPictures::Sums& sums) {
  if (!(sums.moving > 0)) return {};
  return VelocityScore{.error = std::sqrt(sums.error_squares / sums.moving),
                       .truth = std::sqrt(sums.true_squares / sums.moving),
                       .still_speed = sums.still > 0 ? sums.speeds / sums.still : 0};
}

}  // namespace mote
