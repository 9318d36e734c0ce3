#include "synth/scenes/pottery_materials.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/noise.h"
#include "synth/sampling.h"

namespace mote::synth::pottery {
namespace {

/// 1 inside, 0 outside, with a soft transition of width `edge` on both sides of zero.
float inside(float distance, float edge) {
  return 1 - glm::smoothstep(-edge, edge, distance);
}

/// Azulejo: a quatrefoil within a ring, a star at each corner. `p` in tiles.
Surface tile(vec2 p) {
  constexpr float kEdge = 0.012f;
  const vec2 cell = glm::floor(p), f = 2.0f * (p - cell) - 1.0f;
  const vec3 chance = hash(glm::ivec3(cell, 7));
  const vec3 white = vec3(0.80f, 0.78f, 0.71f) * (0.94f + 0.06f * chance.x);
  const vec3 cobalt = glm::mix(vec3(0.035f, 0.085f, 0.30f), vec3(0.05f, 0.13f, 0.38f),
                               fractal_noise(vec3(p * 5.0f, 2)));
  const vec3 ochre(0.62f, 0.32f, 0.06f), sky(0.28f, 0.47f, 0.62f);
  const float radius = glm::length(f), turn = std::atan2(f.y, f.x);
  vec3 color = white;
  const float ring = std::abs(radius - 0.86f) - 0.045f;
  color = glm::mix(color, sky, inside(ring, kEdge));
  const float petals = radius - (0.42f + 0.27f * std::cos(4 * turn));
  color = glm::mix(color, cobalt, inside(petals, kEdge));
  const float inner = radius - (0.27f + 0.16f * std::cos(4 * turn));
  color = glm::mix(color, white, inside(inner, kEdge));
  const float buds = glm::length(glm::abs(f) - vec2(0.40f)) - 0.085f;
  color = glm::mix(color, ochre, inside(buds, kEdge));
  color = glm::mix(color, ochre, inside(radius - 0.10f, kEdge));
  const vec2 from_corner = 1.0f - glm::abs(f);
  const float corner = glm::length(from_corner),
              corner_turn = std::atan2(from_corner.y, from_corner.x);
  const float star = corner - (0.27f + 0.10f * std::cos(8 * corner_turn));
  color = glm::mix(color, cobalt, inside(star, kEdge));
  color = glm::mix(color, ochre, inside(corner - 0.11f, kEdge));
  const float grout = std::min(from_corner.x, from_corner.y);
  if (grout < 0.022f) return {.albedo = vec3(0.42f, 0.38f, 0.33f), .roughness = 1};
  return {.albedo = color, .specular = 0.045f, .roughness = 0.12f + 0.06f * chance.y};
}

vec3 oak(vec3 p) {
  const float turn = std::atan2(p.y, p.x);
  const float plank = std::floor(turn * 28 / (2 * kPi));
  const vec3 chance = hash(glm::ivec3(static_cast<int>(plank), 3, 5));
  const float seam = std::abs(turn * 28 / (2 * kPi) - plank - 0.5f);
  const float grain = fractal_noise(vec3(turn * 46, chance.x * 50, p.z * 3.5f));
  const float rings = 0.5f + 0.5f * std::sin(40 * grain + 6 * chance.y);
  const vec3 wood = glm::mix(vec3(0.30f, 0.165f, 0.075f), vec3(0.46f, 0.28f, 0.14f), rings);
  return wood * (0.8f + 0.35f * chance.z) * (seam > 0.475f ? 0.35f : 1.0f);
}

}  // namespace

Surface plinth(vec3 p) {
  if (p.z > -0.012f && glm::length(vec2(p.x, p.y)) < 1.115f)
    return tile(vec2(p.x, p.y) * 3.1f + 0.5f);
  if (p.z > -0.05f) return {.albedo = vec3(0.78f, 0.55f, 0.24f), .roughness = 0.22f, .metal = true};
  return {.albedo = oak(p), .specular = 0.03f, .roughness = 0.4f};
}

Surface vase(vec3 p) {
  const float turn = std::atan2(p.y, p.x);
  const vec3 around(2 * std::cos(turn), 2 * std::sin(turn), 0);
  const float drip = 0.30f - 0.17f * fractal_noise(around * 1.7f + 3.0f) +
                     0.06f * std::sin(9 * turn + 4 * noise(around)) - 0.05f * noise(around * 6.0f);
  const float above = p.z - drip;
  const float speckle = noise(p * 95.0f);
  if (above < 0) {
    const vec3 clay = glm::mix(vec3(0.46f, 0.29f, 0.185f), vec3(0.58f, 0.41f, 0.28f),
                               fractal_noise(p * vec3(6, 6, 40)));
    return {.albedo = speckle > 0.8f ? clay * 0.35f : clay, .specular = 0.02f, .roughness = 0.6f};
  }
  const float depth = fractal_noise(p * vec3(7, 7, 2.5f) + 11.0f);
  vec3 glaze = glm::mix(vec3(0.012f, 0.12f, 0.14f), vec3(0.07f, 0.34f, 0.32f), depth);
  // Thick where it collects at the lower edge, thin and brown at the lip.
  glaze =
      glm::mix(glaze, vec3(0.16f, 0.46f, 0.42f), inside(std::abs(above - 0.012f) - 0.008f, 0.01f));
  glaze = glm::mix(glaze, vec3(0.24f, 0.11f, 0.045f),
                   glm::smoothstep(0.765f, 0.80f, p.z + 0.02f * depth));
  if (speckle > 0.84f) glaze *= 0.55f;
  return {.albedo = glaze, .specular = 0.055f, .roughness = 0.07f};
}

Surface bowl(vec3 p) {
  constexpr float kEdge = 0.004f;
  const vec3 white(0.82f, 0.83f, 0.82f);
  const vec3 cobalt =
      glm::mix(vec3(0.02f, 0.045f, 0.22f), vec3(0.06f, 0.12f, 0.42f), noise(p * 30.0f));
  const float turn = std::atan2(p.y, p.x) / (2 * kPi);
  vec3 color = white;
  for (const float height : {0.022f, 0.034f, 0.165f}) {
    color = glm::mix(color, cobalt, inside(std::abs(p.z - height) - 0.003f, 0.002f));
  }
  // An ornament of waves that meet and separate, with leaves between them.
  const float along = turn * 12, wave = 0.098f + 0.022f * std::sin(along * 2 * kPi);
  color = glm::mix(color, cobalt, inside(std::abs(p.z - wave) - 0.004f, kEdge * 0.5f));
  const float u = along - std::floor(along);
  for (const float side : {0.25f, 0.75f}) {
    const vec2 q((u - side) * 0.11f, p.z - (side < 0.5f ? 0.080f : 0.116f));
    color = glm::mix(color, cobalt, inside(glm::length(q * vec2(1, 1.7f)) - 0.017f, kEdge * 0.5f));
    color = glm::mix(color, white, inside(glm::length(q * vec2(1, 1.7f)) - 0.008f, kEdge * 0.5f));
  }
  if (p.z > 0.176f) color = vec3(0.40f, 0.24f, 0.10f);
  return {.albedo = color, .specular = 0.05f, .roughness = 0.06f};
}

Surface brass(vec3 p) {
  const float worn = fractal_noise(p * 5.0f);
  const vec3 color = glm::mix(vec3(0.86f, 0.60f, 0.25f), vec3(0.64f, 0.40f, 0.15f),
                              glm::smoothstep(0.5f, 0.75f, worn));
  return {.albedo = color, .roughness = 0.15f + 0.10f * worn, .metal = true};
}

Surface wax(vec3 p) {
  return {.albedo = vec3(0.80f, 0.74f, 0.60f) * (0.95f + 0.05f * noise(p * 20.0f)),
          .specular = 0.035f,
          .roughness = 0.35f};
}

Surface wicker(vec3 along_across_number) {
  const vec3 p = along_across_number;
  const vec3 chance = hash(glm::ivec3(static_cast<int>(p.z), 1, 9));
  const float fibre = noise(vec3(p.x * 60, p.y * 24, p.z * 13));
  const vec3 color = glm::mix(vec3(0.36f, 0.19f, 0.075f), vec3(0.60f, 0.38f, 0.17f),
                              0.55f * fibre + 0.45f * chance.x);
  return {.albedo = color, .specular = 0.035f, .roughness = 0.38f};
}

Surface lemon(vec3 p) {
  const float pores = noise(p * 110.0f), tone = fractal_noise(p * 9.0f);
  const vec3 color = glm::mix(vec3(0.84f, 0.55f, 0.03f), vec3(0.86f, 0.66f, 0.09f), tone);
  return {.albedo = color * (0.80f + 0.22f * pores), .specular = 0.04f, .roughness = 0.26f};
}

Surface plum(vec3 p) {
  const float bloom = fractal_noise(p * 13.0f);
  const vec3 skin =
      glm::mix(vec3(0.10f, 0.012f, 0.035f), vec3(0.26f, 0.03f, 0.05f), noise(p * 6.0f));
  return {.albedo = glm::mix(skin, vec3(0.22f, 0.20f, 0.30f),
                             glm::smoothstep(0.45f, 0.75f, bloom) * 0.7f),
          .specular = 0.04f,
          .roughness = 0.16f + 0.25f * bloom};
}

Surface leaf(vec3 uv_number) {
  const float across = std::cos(2 * kPi * uv_number.x), v = uv_number.y;
  const vec3 chance = hash(glm::ivec3(static_cast<int>(uv_number.z), 2, 4));
  vec3 color = glm::mix(vec3(0.10f, 0.20f, 0.125f), vec3(0.22f, 0.33f, 0.24f), chance.x);
  color = glm::mix(color, vec3(0.34f, 0.20f, 0.14f),
                   0.5f * chance.y * chance.y * glm::smoothstep(0.6f, 1.0f, v));
  const float rib = std::abs(across);
  const float veins = std::abs(std::sin((v * 7 + 2.2f * rib) * kPi));
  color *= 1 + 0.35f * inside(rib - 0.05f, 0.03f) + 0.12f * inside(veins - 0.12f, 0.1f);
  return {.albedo = color, .specular = 0.04f, .roughness = 0.34f};
}

Surface stem(vec3 p) {
  return {
      .albedo = glm::mix(vec3(0.20f, 0.11f, 0.06f), vec3(0.30f, 0.22f, 0.12f), noise(p * 30.0f)),
      .roughness = 1};
}

Surface linen(vec3 across_along) {
  const float x = across_along.x, y = across_along.y;
  const float thread = 0.5f + 0.25f * std::sin(x * 520) + 0.25f * std::sin(y * 520);
  const vec3 natural(0.66f, 0.60f, 0.50f), rust(0.42f, 0.085f, 0.045f);
  const float from_middle = std::abs(x);
  float stripe = inside(std::abs(from_middle - 0.175f) - 0.028f, 0.002f);
  stripe = std::max(stripe, inside(std::abs(from_middle - 0.125f) - 0.006f, 0.002f));
  stripe = std::max(stripe, inside(std::abs(from_middle - 0.225f) - 0.006f, 0.002f));
  const vec3 color = glm::mix(natural, rust, stripe);
  return {
      .albedo = color * (0.72f + 0.36f * thread) * (0.9f + 0.2f * noise(vec3(x * 60, y * 14, 0))),
      .roughness = 1};
}

}  // namespace mote::synth::pottery
