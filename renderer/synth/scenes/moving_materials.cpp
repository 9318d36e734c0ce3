#include "synth/scenes/moving_materials.h"

#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/noise.h"
#include "synth/sampling.h"

namespace mote::synth::moving {
namespace {

/// 1 inside of |value| < width, 0 outside, with a soft edge.
float line_at(float value, float width) {
  return 1 - glm::smoothstep(width, 1.5f * width, std::abs(value));
}

/// Distance from the nearest whole number.
float off_whole(float value) {
  return std::abs(value - std::round(value));
}

}  // namespace

Surface planks(vec3 p) {
  const float row = std::floor(p.y / 0.16f);
  const vec3 chance = hash(glm::ivec3(static_cast<int>(row), 5, 1));
  const float grain = fractal_noise({3 * p.x + 9 * chance.x, 40 * p.y, 7 * chance.y});
  const float rings = 0.5f + 0.5f * std::sin(30 * fractal_noise({1.5f * p.x, 6 * p.y, row}));
  vec3 color =
      glm::mix(vec3(0.16f, 0.085f, 0.04f), vec3(0.42f, 0.26f, 0.14f), 0.6f * grain + 0.4f * rings);
  color *= 0.7f + 0.5f * chance.z;
  const float joint = line_at(off_whole(p.y / 0.16f) * 0.16f, 0.003f);
  return {.albedo = glm::mix(color, vec3(0.03f), joint), .specular = 0.03f, .roughness = 0.35f};
}

Surface tiles(vec3 p) {
  constexpr float kSize = 0.13f;
  const vec3 q = p / kSize;
  const glm::ivec3 cell(glm::floor(q));
  const vec3 tint = hash(cell);
  const vec3 f = q - glm::floor(q) - 0.5f;
  const vec3 away = glm::abs(f);
  const float edge = std::max({away.x < 0.499f ? away.x : 0.0f, away.y < 0.499f ? away.y : 0.0f,
                               away.z < 0.499f ? away.z : 0.0f});
  vec3 color = glm::mix(vec3(0.10f, 0.16f, 0.28f), vec3(0.55f, 0.42f, 0.25f), tint.x);
  color = glm::mix(color, vec3(0.5f, 0.12f, 0.08f), tint.y > 0.8f ? 0.8f : 0.0f);
  color *= 0.75f + 0.5f * fractal_noise(9.0f * q);
  const float ring = line_at(glm::length(f) - 0.28f, 0.035f);
  color = glm::mix(color, vec3(0.75f), 0.6f * ring);
  return {.albedo = glm::mix(color, vec3(0.65f), glm::smoothstep(0.46f, 0.48f, edge)),
          .specular = 0.03f,
          .roughness = 0.3f};
}

Surface plaster(vec3 p) {
  const float a = (p.x + p.y + p.z) / 0.21f, b = (p.x + p.y - p.z) / 0.21f;
  const float lozenge = std::max(line_at(off_whole(a), 0.035f), line_at(off_whole(b), 0.035f));
  const glm::ivec3 cell(static_cast<int>(std::floor(a)), static_cast<int>(std::floor(b)), 3);
  const vec3 tint = hash(cell);
  vec3 color = glm::mix(vec3(0.36f, 0.45f, 0.40f), vec3(0.62f, 0.56f, 0.44f), tint.x);
  color *= 0.8f + 0.35f * fractal_noise(14.0f * p);
  return {.albedo = glm::mix(color, vec3(0.20f, 0.12f, 0.09f), 0.8f * lozenge)};
}

Surface enamel(vec3 p) {
  const float worn = glm::smoothstep(0.56f, 0.62f, fractal_noise(13.0f * p));
  const float stripe = line_at(off_whole((p.x + p.z) * 4.5f), 0.12f);
  vec3 color = glm::mix(vec3(0.75f, 0.30f, 0.03f), vec3(0.05f, 0.05f, 0.06f), stripe);
  color = glm::mix(color, vec3(0.42f, 0.38f, 0.34f), worn);
  return {.albedo = color, .specular = 0.04f, .roughness = 0.25f};
}

Surface steel(vec3 p) {
  const float brushed = noise(p * vec3(90, 90, 9));
  return {.albedo = vec3(0.62f, 0.63f, 0.66f) * (0.75f + 0.3f * brushed),
          .roughness = 0.32f,
          .metal = true};
}

Surface water(vec3 p) {
  const float foam = glm::smoothstep(0.52f, 0.75f, fractal_noise(11.0f * p));
  return {.albedo = glm::mix(vec3(0.02f, 0.10f, 0.14f), vec3(0.45f, 0.55f, 0.58f), 0.5f * foam),
          .specular = 0.05f,
          .roughness = 0.12f};
}

Surface drop(vec3) {
  return {.albedo = vec3(0.38f, 0.58f, 0.70f), .specular = 0.05f, .roughness = 0.2f};
}

Material patterned(vec3 first, vec3 second, float scale) {
  return [=](vec3 p) {
    const vec3 q = p * scale;
    const float band = line_at(off_whole(q.z * 1.5f + 0.2f * std::sin(4 * q.x)) - 0.25f, 0.10f);
    const glm::ivec3 cell(glm::floor(3.0f * q));
    const vec3 middle = (vec3(cell) + 0.3f + 0.4f * hash(cell)) / 3.0f;
    const float dot = 1 - glm::smoothstep(0.07f, 0.09f, glm::length(q - middle));
    vec3 color = glm::mix(first, second, std::max(band, dot));
    color *= 0.75f + 0.45f * fractal_noise(6.0f * q);
    return Surface{.albedo = color, .specular = 0.04f, .roughness = 0.25f};
  };
}

Surface cloth(vec3 uv) {
  const int stripe = static_cast<int>(std::floor(uv.y * 7));
  vec3 color = stripe % 2 == 0 ? vec3(0.52f, 0.05f, 0.06f) : vec3(0.72f, 0.66f, 0.52f);
  const vec2 at = (vec2(uv.x, uv.y) - vec2(0.3f, 0.55f)) * vec2(1.5f, 1.0f);
  const float turn = std::atan2(at.y, at.x), radius = glm::length(at);
  const float star = 0.20f + 0.06f * std::cos(5 * turn);
  color = glm::mix(color, vec3(0.05f, 0.10f, 0.34f), 1 - glm::smoothstep(0.31f, 0.32f, radius));
  color =
      glm::mix(color, vec3(0.80f, 0.58f, 0.10f), 1 - glm::smoothstep(star, star + 0.01f, radius));
  const float weave = 0.85f + 0.15f * std::sin(260 * uv.x) * std::sin(180 * uv.y);
  return {.albedo = color * weave * (0.85f + 0.3f * fractal_noise({9 * uv.x, 6 * uv.y, 2}))};
}

Surface jelly(vec3 p) {
  const vec3 q = 11.0f * p;
  const glm::ivec3 cell(glm::floor(q));
  const vec3 chance = hash(cell);
  const float near = glm::length(q - (vec3(cell) + 0.35f + 0.3f * chance));
  const float fruit = chance.x > 0.45f ? 1 - glm::smoothstep(0.30f, 0.34f, near) : 0.0f;
  vec3 color =
      glm::mix(vec3(0.50f, 0.03f, 0.10f), vec3(0.72f, 0.25f, 0.30f), fractal_noise(5.0f * p));
  color =
      glm::mix(color, glm::mix(vec3(0.75f, 0.6f, 0.1f), vec3(0.2f, 0.45f, 0.1f), chance.y), fruit);
  return {.albedo = color, .specular = 0.05f, .roughness = 0.08f};
}

Material glow(vec3 radiance) {
  return [radiance](vec3) { return Surface{.albedo = vec3(0.2f), .emission = radiance}; };
}

}  // namespace mote::synth::moving
