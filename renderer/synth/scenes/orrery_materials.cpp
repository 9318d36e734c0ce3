#include "synth/scenes/orrery_materials.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/noise.h"
#include "synth/sampling.h"

namespace mote::synth::orrery {
namespace {

const vec3 kGold{0.90f, 0.63f, 0.26f};

float inside(float distance, float edge) {
  return 1 - glm::smoothstep(-edge, edge, distance);
}

/// Distance of `value` from the nearest integer, 0 to 0.5.
float from_whole(float value) {
  return std::abs(value - std::round(value));
}

/// Fraction of gold on the map: orbits, a scale at the edge, spokes, and stars joined by lines.
float gilding(vec2 p) {
  constexpr float kLine = 0.0030f, kEdge = 0.0012f;
  const float radius = glm::length(p), turn = std::atan2(p.y, p.x) / (2 * kPi);
  float gold = 0;
  for (const float orbit : {0.25f, 0.37f, 0.50f, 0.62f, 0.76f, 0.91f, 0.985f, 1.055f}) {
    gold = std::max(gold, inside(std::abs(radius - orbit) - kLine, kEdge));
  }
  if (radius > 0.985f && radius < 1.055f) {
    const float tick = from_whole(turn * 180) / 180 * 2 * kPi * radius;
    const bool is_long = from_whole(turn * 36) < 0.02f * 36 / 10;
    if (is_long || radius > 1.025f) gold = std::max(gold, inside(tick - 0.0022f, kEdge));
  }
  if (radius > 0.25f && radius < 0.91f) {
    const float spoke = from_whole(turn * 12) / 12 * 2 * kPi * radius;
    gold = std::max(gold, 0.6f * inside(spoke - 0.0016f, kEdge));
  }
  const vec2 cells = p * 7.5f, cell = glm::floor(cells);
  const auto star_of = [](vec2 at) {
    const vec3 chance = hash(glm::ivec3(at, 21));
    return at + 0.2f + 0.6f * vec2(chance.x, chance.y);
  };
  const vec2 star = star_of(cell), offset = cells - star;
  const float size = 0.035f + 0.07f * hash(glm::ivec3(cell, 22)).x;
  const float rays = std::abs(offset.x) * std::abs(offset.y) * 40 + glm::length(offset) * 0.55f;
  gold = std::max(gold, inside(rays - size, 0.012f));
  for (const vec2 step : {vec2(1, 0), vec2(0, 1)}) {  // lines to some of the neighbours
    for (const vec2 from : {cell, cell - step}) {
      if (hash(glm::ivec3(from, step.x > 0 ? 31 : 32)).x > 0.38f) continue;
      const vec2 a = star_of(from), b = star_of(from + step);
      const float along =
          std::clamp(glm::dot(cells - a, b - a) / glm::dot(b - a, b - a), 0.0f, 1.0f);
      const float away = glm::length(cells - glm::mix(a, b, along));
      gold = std::max(gold, 0.8f * inside(away - 0.010f, 0.008f));
    }
  }
  return gold;
}

vec3 walnut(vec3 p) {
  const float turn = std::atan2(p.y, p.x);
  const vec3 q(2.2f * std::cos(turn), 2.2f * std::sin(turn), p.z * 9);
  const float rings = 0.5f + 0.5f * std::sin(26 * fractal_noise(q * 0.8f) + 6 * p.z);
  const float fibre = noise(q * vec3(9, 9, 14));
  return glm::mix(vec3(0.085f, 0.036f, 0.016f), vec3(0.25f, 0.125f, 0.06f), rings) *
         (0.75f + 0.4f * fibre);
}

}  // namespace

Surface drum(vec3 p) {
  const float radius = glm::length(vec2(p.x, p.y));
  if (p.z < -0.006f || radius > 1.09f) {
    return {.albedo = walnut(p), .specular = 0.045f, .roughness = 0.16f};
  }
  const float gold = gilding(vec2(p.x, p.y));
  if (gold > 0.5f) return {.albedo = kGold, .roughness = 0.24f, .metal = true};
  const float cloud = fractal_noise(vec3(p.x * 2.6f, p.y * 2.6f, 3));
  vec3 enamel = glm::mix(vec3(0.010f, 0.022f, 0.075f), vec3(0.03f, 0.085f, 0.20f),
                         glm::smoothstep(0.3f, 0.75f, cloud));
  enamel = glm::mix(enamel, kGold * 0.5f, gold);
  return {.albedo = enamel, .specular = 0.045f, .roughness = 0.16f};
}

Surface brass(vec3 p) {
  const float grain = noise(vec3(p.z * 160, glm::length(vec2(p.x, p.y)) * 90, 5));
  const float worn = fractal_noise(p * 4.0f);
  return {.albedo = glm::mix(vec3(0.89f, 0.64f, 0.28f), vec3(0.70f, 0.45f, 0.18f), worn * worn) *
                    (0.94f + 0.06f * grain),
          .roughness = 0.13f + 0.08f * worn,
          .metal = true};
}

Surface scale_ring(vec3 uv) {
  const float tick = from_whole(uv.x * 60), tenth = from_whole(uv.x * 12);
  const float across = std::cos(2 * kPi * uv.y);  // along the wide side of the section
  const bool engraved = (tick < 0.035f && across > 0.5f) || (tenth < 0.008f && across > -0.3f);
  return {.albedo = engraved ? vec3(0.10f, 0.06f, 0.03f) : vec3(0.87f, 0.62f, 0.28f),
          .roughness = 0.17f,
          .metal = true};
}

Surface sun(vec3 d) {
  const float flames = fractal_noise(d * 3.5f + 0.6f * vec3(noise(d * 5.0f)));
  return {.albedo = glm::mix(vec3(1.0f, 0.72f, 0.24f), vec3(0.95f, 0.45f, 0.10f),
                             glm::smoothstep(0.35f, 0.7f, flames)),
          .roughness = 0.14f + 0.2f * glm::smoothstep(0.45f, 0.6f, flames),
          .metal = true};
}

Surface rock(vec3 d) {
  const float stone = fractal_noise(d * 5.0f), pits = noise(d * 11.0f);
  return {.albedo = glm::mix(vec3(0.20f, 0.18f, 0.17f), vec3(0.52f, 0.48f, 0.44f), stone) *
                    (pits > 0.68f ? 0.55f : 1.0f),
          .specular = 0.03f,
          .roughness = 0.4f};
}

Surface marble(vec3 d) {
  const float veins = std::abs(std::sin(7 * d.z + 9 * fractal_noise(d * 2.2f)));
  return {.albedo = glm::mix(vec3(0.55f, 0.33f, 0.14f), vec3(0.82f, 0.70f, 0.50f),
                             glm::smoothstep(0.0f, 0.45f, veins)),
          .specular = 0.05f,
          .roughness = 0.08f};
}

Surface sea_and_land(vec3 d) {
  const float land = fractal_noise(d * 2.4f + 5.0f) + 0.10f * (noise(d * 14.0f) - 0.5f);
  const float clouds = fractal_noise(d * vec3(3, 3, 7) + 9.0f);
  vec3 color = glm::mix(vec3(0.015f, 0.07f, 0.26f), vec3(0.03f, 0.20f, 0.38f), noise(d * 4.0f));
  if (land > 0.53f) {
    color = glm::mix(vec3(0.09f, 0.22f, 0.06f), vec3(0.42f, 0.32f, 0.16f),
                     glm::smoothstep(0.55f, 0.68f, land));
  }
  color = glm::mix(color, vec3(0.80f), glm::smoothstep(0.80f, 0.88f, std::abs(d.z)));
  color = glm::mix(color, vec3(0.82f), 0.85f * glm::smoothstep(0.56f, 0.70f, clouds));
  return {.albedo = color, .specular = 0.05f, .roughness = 0.07f};
}

Surface rust(vec3 d) {
  const float dust = fractal_noise(d * 3.2f + 2.0f);
  vec3 color = glm::mix(vec3(0.30f, 0.075f, 0.028f), vec3(0.62f, 0.27f, 0.11f), dust);
  color = glm::mix(color, vec3(0.80f), glm::smoothstep(0.90f, 0.94f, d.z + 0.05f * dust));
  return {.albedo = color, .specular = 0.04f, .roughness = 0.22f};
}

Surface banded(vec3 d) {
  const float swirl = fractal_noise(d * vec3(4, 4, 2) + 7.0f);
  const float height = d.z + 0.07f * (swirl - 0.5f);
  const float band = 0.5f + 0.5f * std::sin(21 * height) * std::cos(8 * height + 0.7f);
  vec3 color = glm::mix(vec3(0.40f, 0.19f, 0.09f), vec3(0.80f, 0.68f, 0.52f), band);
  const float storm = glm::length(vec2(d.y * 1.0f, (d.z + 0.33f) * 1.9f)) + (d.x > 0 ? 0.0f : 9.0f);
  color = glm::mix(color, vec3(0.55f, 0.13f, 0.06f), inside(storm - 0.22f, 0.05f));
  return {.albedo = color, .specular = 0.05f, .roughness = 0.09f};
}

Surface pale_banded(vec3 d) {
  const float height = d.z + 0.03f * fractal_noise(d * 3.0f);
  const float band = 0.5f + 0.5f * std::sin(15 * height + 1);
  return {.albedo = glm::mix(vec3(0.62f, 0.46f, 0.24f), vec3(0.82f, 0.71f, 0.50f), band),
          .specular = 0.05f,
          .roughness = 0.10f};
}

Surface dust(vec3 share) {
  const float x = share.x;
  const float band = 0.5f + 0.25f * std::sin(x * 33) + 0.25f * std::sin(x * 57 + 2);
  const bool gap = x > 0.60f && x < 0.67f;
  return {.albedo = gap ? vec3(0.06f, 0.05f, 0.04f)
                        : glm::mix(vec3(0.38f, 0.27f, 0.16f), vec3(0.78f, 0.66f, 0.47f), band),
          .specular = 0.04f,
          .roughness = 0.3f};
}

}  // namespace mote::synth::orrery
