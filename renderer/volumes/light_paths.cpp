#include "volumes/light_paths.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <numbers>

#include "core/error.h"

namespace mote {
namespace {

/// Places of a path whose light is weighted by the albedo; later ones end it at random instead.
constexpr int kWeighted = 8;
constexpr int kMostPlaces = 1 << 14;  // of a path, for an albedo of 1

}  // namespace

LinearColor VolumeLight::sky(const glm::vec3& direction) const {
  const float height = 0.5f + 0.5f * glm::dot(direction, up);
  LinearColor color{};
  for (std::size_t c = 0; c < 3; ++c) color[c] = nadir[c] + height * (zenith[c] - nadir[c]);
  return color;
}

glm::vec3 PathRandom::direction() {
  const float z = 1 - 2 * next(), turn = 2 * std::numbers::pi_v<float> * next();
  const float ring = std::sqrt(std::max(1 - z * z, 0.0f));
  return {ring * std::cos(turn), ring * std::sin(turn), z};
}

LightPaths::LightPaths(const DensityVolume& volume, float extinction, const VolumeLight& light)
    : volume_(volume),
      light_(light),
      extinction_(extinction),
      low_(volume.first_voxel() - 1),
      high_(volume.last_voxel() + 1) {
  light_.sun_direction = glm::normalize(light_.sun_direction);
}

std::array<float, 2> LightPaths::inside(const glm::vec3& origin, const glm::vec3& direction) const {
  float from = 0, to = std::numeric_limits<float>::max();
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0) {
      if (origin[axis] < low_[axis] || origin[axis] > high_[axis]) to = -1;
      continue;
    }
    const float a = (low_[axis] - origin[axis]) / direction[axis];
    const float b = (high_[axis] - origin[axis]) / direction[axis];
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return {from, to};
}

template <class Visit>
void LightPaths::for_candidates(const glm::vec3& origin, const glm::vec3& direction,
                                PathRandom& random, const Visit& visit) const {
  const auto [from, to] = inside(origin, direction);
  if (!(from < to)) return;
  float depth = -std::log(random.next());  // optical, to the next place
  volume_.for_bricks_along(origin, direction, from, to, [&](float begin, float end, float largest) {
    const float rate = extinction_ * largest;
    for (float t = begin + depth / rate; t < end; t += depth / rate) {
      const glm::vec3 place = origin + t * direction;
      if (!visit(place, volume_.density(place) / largest)) return false;
      begin = t;
      depth = -std::log(random.next());
    }
    depth = std::max(depth - rate * (end - begin), 0.0f);
    return true;
  });
}

bool LightPaths::collide(glm::vec3& at, const glm::vec3& direction, PathRandom& random) const {
  bool collides = false;
  for_candidates(at, direction, random, [&](const glm::vec3& place, float share) {
    collides = random.next() < share;
    if (collides) at = place;
    return !collides;
  });
  return collides;
}

/// Ratio tracking: the product of the chances that no place is a collision.
float LightPaths::transmittance(const glm::vec3& from, const glm::vec3& direction,
                                PathRandom& random) const {
  constexpr float kLow = 0.05f;  // below, the path ends at random
  float left = 1;
  for_candidates(from, direction, random, [&](const glm::vec3&, float share) {
    left *= 1 - std::min(share, 1.0f);
    if (left < kLow) {
      left = random.next() * kLow < left ? kLow : 0;
    }
    return left > 0;
  });
  return left;
}

std::size_t LightPaths::trace(const glm::vec3& from, PathRandom& random,
                              std::span<ScatterPoint> points) const {
  constexpr float kIsotropic = 0.25f * std::numbers::inv_pi_v<float>;
  std::size_t count = 0;
  std::array<float, 8> weights{};  // of the light that reaches each point
  CHECK(points.size() <= weights.size());
  const auto add = [&](const LinearColor& color, float factor) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < 3; ++c) points[i].radiance[c] += weights[i] * factor * color[c];
    }
  };
  glm::vec3 at = from;
  for (int place = 0; place < kMostPlaces; ++place) {
    if (count < points.size()) {
      points[count] = {at, {0, 0, 0}};
      weights[count++] = 1;
    }
    float scattered = light_.albedo;
    if (place >= kWeighted) {
      if (random.next() >= scattered) return count;
      scattered = 1;
    }
    for (std::size_t i = 0; i < count; ++i) weights[i] *= scattered;
    add(light_.sun, kIsotropic * transmittance(at, light_.sun_direction, random));
    const glm::vec3 direction = random.direction();
    if (!collide(at, direction, random)) {
      add(light_.sky(direction), 1);
      return count;
    }
  }
  return count;
}

void LightPaths::outer_ray(PathRandom& random, glm::vec3& origin, glm::vec3& direction) const {
  direction = random.direction();
  const glm::vec3 helper = std::abs(direction.x) < 0.5f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  const glm::vec3 across = glm::normalize(glm::cross(direction, helper));
  const glm::vec3 down = glm::cross(direction, across);
  const float radius = 0.5f * glm::distance(low_, high_);
  const float turn = 2 * std::numbers::pi_v<float> * random.next();
  const float aside = radius * std::sqrt(random.next());
  origin = 0.5f * (low_ + high_) - radius * direction +
           aside * (std::cos(turn) * across + std::sin(turn) * down);
}

}  // namespace mote
