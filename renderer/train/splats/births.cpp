#include "train/splats/births.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>
#include <optional>
#include <utility>

#include "io/splats/cloud_building.h"
#include "math/activations.h"
#include "scene/photo_light.h"
#include "splats/cubic_path.h"
#include "splats/density/error_births.h"
#include "splats/life_range.h"
#include "train/run/exposures.h"
#include "train/run/view_fit.h"
#include "train/splats/initial_motion.h"
#include "train/splats/neighbours.h"

namespace mote {
namespace {

/// Splats that are asked whether they live. Trainers sort splats by place, so that every nth is
/// near all places.
constexpr std::size_t kAskedForVelocities = 65536;
constexpr std::size_t kNearForVelocities = 4;

/// The exposure that undoes another one; empty if it maps colours to a plane.
std::optional<Exposure> undoing(const Exposure& exposure) {
  glm::dmat3 matrix;  // [column][row]
  glm::dvec3 offset;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      matrix[column][row] =
          static_cast<double>(exposure[static_cast<std::size_t>(kExposureRow * row + column)]);
    }
    offset[row] = static_cast<double>(exposure[static_cast<std::size_t>(kExposureRow * row + 3)]);
  }
  constexpr double kLeastDeterminant = 1e-3;
  // Phrased positively, so that NaN fails.
  if (!(std::abs(glm::determinant(matrix)) > kLeastDeterminant)) return {};
  const glm::dmat3 inverse = glm::inverse(matrix);
  const glm::dvec3 back = inverse * offset;
  Exposure result{};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      result[static_cast<std::size_t>(kExposureRow * row + column)] =
          static_cast<float>(inverse[column][row]);
    }
    result[static_cast<std::size_t>(kExposureRow * row + 3)] = static_cast<float>(-back[row]);
  }
  return result;
}

/// Multiplies the mask of a photograph with its alpha: what is transparent has no splats.
Image birth_weights(const PhotoPixels& photo, Image mask) {
  if (photo.channels() != 4) return mask;
  if (mask.pixels.empty()) {
    mask.resize_discard(photo.width(), photo.height(), 1);
    std::ranges::fill(mask.pixels.span(), 1.0f);
  }
  const PhotoPixels shown = photo.is_linear() ? displayed(photo) : PhotoPixels();
  const Image8& color = photo.is_linear() ? shown.color : photo.color;
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) {
    mask.pixels[i] *= static_cast<float>(color.pixels[4 * i + 3]) / 255;
  }
  return mask;
}

SplatBirth birth_at(const BirthPlace& place, const glm::dvec3& velocity, double time_s,
                    const BirthStyle& style) {
  const auto log_scale = static_cast<float>(std::log(style.scale * place.size_world));
  SplatBirth birth{.geometry = {.mean = {static_cast<float>(place.position_world.x),
                                         static_cast<float>(place.position_world.y),
                                         static_cast<float>(place.position_world.z)},
                                .log_scale = {log_scale, log_scale, log_scale},
                                .rotation = {1, 0, 0, 0},
                                .logit_opacity = static_cast<float>(logit(style.opacity))},
                   .motion = first_motion(time_s, style.sigma_s, velocity),
                   .sh_0 = {}};
  for (std::size_t c = 0; c < 3; ++c) {
    const double color = std::clamp(place.color[c], 0.0, 1.0);
    birth.sh_0[c] = (static_cast<float>(color) - 0.5f) / kShC0;
  }
  return birth;
}

}  // namespace

std::vector<glm::dvec3> velocities_near(std::span<const glm::dvec3> places, double time_s,
                                        const SplatsToRelocate& splats) {
  constexpr double kFarthest = 1e30;  // of splats that are still usable
  std::vector<glm::dvec3> positions, velocities;
  const std::size_t stride = splats.geometry.size() / kAskedForVelocities + 1;
  for (std::size_t i = 0; i < splats.motions.size(); i += stride) {
    const SplatGeometry& splat = splats.geometry[i];
    const MotionValues& motion = splats.motions[i];
    if (!life_range(motion, splat.logit_opacity).has(time_s)) continue;
    const double d = time_s - static_cast<double>(motion[Field::time_mean]);
    glm::dvec3 position, velocity;
    for (int axis = 0; axis < 3; ++axis) {
      const CubicPath path = path_of(splat, motion, axis);
      position[axis] = path.at(d);
      velocity[axis] = path.velocity + d * (2 * path.quadratic + d * 3 * path.cubic);
    }
    // Phrased positively, so that NaN fails.
    if (!(glm::length(position) < kFarthest && glm::length(velocity) < kFarthest)) continue;
    positions.push_back(position);
    velocities.push_back(velocity);
  }
  std::vector<glm::dvec3> found(places.size(), glm::dvec3(0));
  if (positions.empty()) return found;
  const auto nearest = nearest_points(positions, places, kNearForVelocities);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const std::uint32_t near : nearest[i]) found[i] += velocities[near];
    found[i] /= static_cast<double>(std::max<std::size_t>(nearest[i].size(), 1));
  }
  return found;
}

std::vector<SplatBirth> births_from(const LearnRequest& photograph, const BirthStyle& style,
                                    const SplatsToRelocate& splats, SplatTrainer& trainer,
                                    bool antialiased, std::size_t count, std::uint64_t seed) {
  const std::optional<Exposure> undo = undoing(photograph.exposure);
  if (count == 0 || !undo) return {};
  RenderSettings settings;
  settings.background = photograph.background;
  settings.antialiased = antialiased;
  settings.max_sh_degree = photograph.detail.value_or(kMaxShDegree);
  settings.outputs.alpha = settings.outputs.depth = true;
  Frame frame;
  trainer.render(photograph.view, settings, frame);
  PhotoFloats photo = photo_floats(*photograph.photo, photograph.background);
  if (photograph.exposure != kNeutralExposure) apply_exposure(*undo, photo.color);
  const Image weight = birth_weights(*photograph.photo, std::move(photo.mask));
  const std::vector<BirthPlace> places = error_births({.camera = photograph.view.camera,
                                                       .rgb = frame.rgb,
                                                       .alpha = frame.alpha,
                                                       .depth_median = frame.depth_median,
                                                       .truth = photo.color,
                                                       .weight = weight},
                                                      count, seed);
  std::vector<glm::dvec3> positions;
  for (const BirthPlace& place : places) positions.push_back(place.position_world);
  const double time_s = photograph.view.time_s;
  const std::vector<glm::dvec3> velocities = velocities_near(positions, time_s, splats);
  std::vector<SplatBirth> births;
  for (std::size_t i = 0; i < places.size(); ++i) {
    births.push_back(birth_at(places[i], velocities[i], time_s, style));
  }
  return births;
}

}  // namespace mote
