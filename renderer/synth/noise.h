#pragma once

// Value noise and cell noise for procedural textures and shapes.

#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace mote::synth {

/// Three values in 0..1 for a cell of the integer lattice: three rounds of the PCG3D hash of
/// Jarzynski and Olano, 2020.
inline glm::vec3 hash(glm::ivec3 cell) {
  std::uint32_t x = static_cast<std::uint32_t>(cell.x) * 1664525u + 1013904223u;
  std::uint32_t y = static_cast<std::uint32_t>(cell.y) * 1664525u + 1013904223u;
  std::uint32_t z = static_cast<std::uint32_t>(cell.z) * 1664525u + 1013904223u;
  for (int round = 0; round < 2; ++round) {
    x += y * z;
    y += z * x;
    z += x * y;
    x ^= x >> 16;
    y ^= y >> 16;
    z ^= z >> 16;
  }
  return glm::vec3(x >> 8, y >> 8, z >> 8) / 16777216.0f;
}

/// Smooth noise in 0..1 with features of size one.
inline float noise(glm::vec3 p) {
  const glm::vec3 floor = glm::floor(p), f = p - floor, w = f * f * (3.0f - 2.0f * f);
  const glm::ivec3 cell(floor);
  float sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const glm::ivec3 at(corner & 1, (corner >> 1) & 1, corner >> 2);
    const glm::vec3 weight = glm::mix(1.0f - w, w, glm::vec3(at));
    sum += hash(cell + at).x * weight.x * weight.y * weight.z;
  }
  return sum;
}

/// Four octaves of noise, 0..1.
inline float fractal_noise(glm::vec3 p) {
  return (noise(p) * 8 + noise(p * 2.03f) * 4 + noise(p * 4.01f) * 2 + noise(p * 8.05f)) / 15;
}

/// Distance to the nearest wall between the cells of a jittered lattice of cell size one.
inline float distance_to_crack(glm::vec3 p) {
  const glm::ivec3 cell(glm::floor(p));
  glm::vec3 nearest(0), second(0);
  float nearest_distance = 1e9f, second_distance = 1e9f;
  for (int i = 0; i < 27; ++i) {
    const glm::ivec3 at = cell + glm::ivec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    const glm::vec3 seed = glm::vec3(at) + hash(at);
    const float distance = glm::dot(seed - p, seed - p);
    if (distance < nearest_distance) {
      second = nearest, second_distance = nearest_distance;
      nearest = seed, nearest_distance = distance;
    } else if (distance < second_distance) {
      second = seed, second_distance = distance;
    }
  }
  return (second_distance - nearest_distance) / (2 * glm::distance(nearest, second));
}

}  // namespace mote::synth
