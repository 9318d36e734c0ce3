#include "places.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

namespace mote::garden {
namespace {

float uniform(Random& random, double low, double high) {
  return static_cast<float>(random.uniform(low, high));
}

float random_angle(Random& random) {
  return uniform(random, 0, 2 * std::numbers::pi);
}

vec3 around(float angle) {
  return {std::cos(angle), std::sin(angle), 0};
}

}  // namespace

vec3 random_direction(Random& random) {
  const float z = uniform(random, -1, 1);
  return std::sqrt(1 - z * z) * around(random_angle(random)) + vec3(0, 0, z);
}

Place on_disc(vec3 center, float radius, Random& random) {
  const float r = radius * std::sqrt(uniform(random, 0, 1));
  return {.position = center + r * around(random_angle(random))};
}

Place on_ground(float near, float radius, Random& random) {
  // Inverts the integral of r / (near^2 + r^2).
  const float span = std::log1p(radius * radius / (near * near));
  const float r = near * std::sqrt(std::expm1(span * uniform(random, 0, 1)));
  const float crowding = radius * radius / (span * (near * near + r * r));
  return {.position = r * around(random_angle(random)), .crowding = crowding};
}

Place on_column(vec3 foot, float height, float low, float high, Random& random) {
  const float up = uniform(random, 0, 1);
  const float radius = low + (high - low) * up;
  const vec3 outward = around(random_angle(random));
  return {.position = foot + radius * outward + vec3(0, 0, height * up),
          .normal = glm::normalize(outward + vec3(0, 0, (low - high) / height)),
          .crowding = 0.5f * (low + high) / std::max(radius, 1e-3f)};
}

Place on_ring(vec3 center, float radius, float tube, Random& random) {
  const vec3 outward = around(random_angle(random));
  const float turn = random_angle(random);
  const vec3 normal = std::cos(turn) * outward + vec3(0, 0, std::sin(turn));
  return {.position = center + radius * outward + tube * normal, .normal = normal};
}

Place on_ball(vec3 center, float radius, float flat, Random& random) {
  const vec3 direction = random_direction(random);
  return {.position = center + radius * vec3(direction.x, direction.y, flat * direction.z),
          .normal = glm::normalize(vec3(direction.x, direction.y, direction.z / flat))};
}

Place in_crown(vec3 center, float radius, float flat, Random& random) {
  constexpr double kHollow = 0.55;  // fraction of the radius
  const vec3 direction = random_direction(random);
  const float depth = uniform(random, kHollow, 1);
  return {.position = center + depth * radius * vec3(direction.x, direction.y, flat * direction.z),
          .normal = random_direction(random)};
}

Place on_wall(vec3 corner, vec3 along, float up, Random& random) {
  const float u = uniform(random, 0, 1), v = uniform(random, 0, 1);
  return {.position = corner + u * along + vec3(0, 0, up * v),
          .normal = glm::normalize(vec3(along.y, -along.x, 0))};
}

}  // namespace mote::garden
