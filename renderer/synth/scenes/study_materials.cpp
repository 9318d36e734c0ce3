#include "synth/scenes/study_materials.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/noise.h"
#include "synth/sampling.h"

namespace mote::synth::study {
namespace {

/// 1 where |x| is below `half`, 0 beyond, with a soft transition.
float stripe(float x, float half, float edge) {
  return 1 - glm::smoothstep(half - edge, half + edge, std::abs(x));
}

/// Distance to the nearest multiple of `period`, with its sign.
float wrapped(float x, float period) {
  return x - period * std::round(x / period);
}

/// Wood whose fibres run along x.
vec3 wood(vec3 p, vec3 dark, vec3 light) {
  const float grain = fractal_noise(p * vec3(1.6f, 14, 14));
  const float rings = 0.5f + 0.5f * std::sin(26 * grain);
  const float pores = noise(p * vec3(9, 160, 160));
  return glm::mix(dark, light, 0.25f + 0.5f * rings + 0.25f * pores);
}

vec3 damask(vec2 p) {
  const vec3 ground(0.42f, 0.50f, 0.43f), motif(0.60f, 0.64f, 0.50f);
  const float row = std::round(p.y / 0.22f);
  const vec2 f(wrapped(p.x + 0.11f * row, 0.22f) / 0.11f, wrapped(p.y, 0.22f) / 0.11f);
  const float radius = glm::length(f * vec2(1.2f, 0.9f)), turn = std::atan2(f.y, f.x);
  const float flower = radius - 0.42f - 0.24f * std::cos(6 * turn) * std::cos(turn);
  const float ring = std::abs(radius - 0.80f) - 0.06f - 0.03f * std::cos(12 * turn);
  const float shape = std::min(std::max(flower, 0.12f - radius), ring);
  return glm::mix(motif, ground, glm::smoothstep(-0.03f, 0.03f, shape));
}

/// White panels with grooves, up to the height of a table.
vec3 wainscot(float along, float height) {
  const vec3 white(0.74f, 0.72f, 0.66f);
  const float x = std::abs(wrapped(along, 0.55f)) - 0.22f, z = std::abs(height - 0.48f) - 0.28f;
  const float frame = std::max(x, z);
  const float groove = stripe(frame, 0.008f, 0.004f) + stripe(frame + 0.03f, 0.004f, 0.003f);
  const float skirting = stripe(height - 0.11f, 0.006f, 0.003f);
  return white * (1 - 0.45f * std::min(groove + skirting, 1.0f));
}

}  // namespace

Surface floor(vec3 p) {
  constexpr float kWidth = 0.13f, kLength = 1.1f;
  const float row = std::floor(p.y / kWidth), shift = hash(glm::ivec3(row, 1, 0)).x * kLength;
  const float column = std::floor((p.x + shift) / kLength);
  const vec3 chance = hash(glm::ivec3(column, row, 9));
  const vec3 color = wood(p + 7.0f * chance, {0.24f, 0.125f, 0.055f}, {0.45f, 0.27f, 0.13f});
  const float seam = std::max(stripe(wrapped(p.y, kWidth), 0.002f, 0.0015f),
                              stripe(wrapped(p.x + shift, kLength), 0.002f, 0.0015f));
  return {.albedo = color * (0.75f + 0.4f * chance.y) * (1 - 0.75f * seam),
          .specular = 0.04f,
          .roughness = 0.18f + 0.12f * noise(p * 6.0f)};
}

Surface rug(vec3 p) {
  const vec3 red(0.36f, 0.045f, 0.05f), blue(0.05f, 0.09f, 0.22f), cream(0.62f, 0.52f, 0.36f);
  const vec2 mirrored = glm::abs(vec2(p.x, p.y));
  const float border = std::max(mirrored.x - 1.45f, mirrored.y - 1.0f);  // below 0 inside
  vec3 color = red;
  const float waves = std::sin(38 * p.x) * std::sin(38 * p.y) + 0.3f * std::cos(19 * (p.x + p.y));
  color = glm::mix(color, cream, glm::smoothstep(0.55f, 0.62f, waves));
  const float radius = glm::length(vec2(p.x, 1.3f * p.y)), turn = std::atan2(p.y, p.x);
  const float medal = radius - 0.48f - 0.06f * std::cos(8 * turn);
  color = glm::mix(blue, color, glm::smoothstep(-0.01f, 0.01f, medal));
  color = glm::mix(color, cream, stripe(medal + 0.05f, 0.018f, 0.006f));
  color =
      glm::mix(color, cream, stripe(radius - 0.22f - 0.05f * std::cos(12 * turn), 0.03f, 0.01f));
  if (border > -0.20f)
    color = std::sin(42 * (p.x + p.y)) * std::sin(42 * (p.x - p.y)) > 0.2f ? cream : blue;
  color = glm::mix(color, cream, stripe(border + 0.20f, 0.012f, 0.004f));
  const float pile = 0.8f + 0.4f * noise(p * 180.0f);
  return {.albedo = color * pile, .roughness = 1};
}

Surface walls(vec3 p) {
  const bool is_long = std::abs(p.y) > kHalfWidth - 0.01f;  // along x
  const float along = is_long ? p.x : p.y;
  if (p.z < 0.86f) {
    return {.albedo = wainscot(along, p.z), .specular = 0.03f, .roughness = 0.4f};
  }
  if (p.z < 0.92f || p.z > kHeight - 0.09f) {
    const float line =
        stripe(p.z - 0.89f, 0.006f, 0.003f) + stripe(p.z - (kHeight - 0.05f), 0.005f, 0.003f);
    return {.albedo = vec3(0.74f, 0.72f, 0.66f) * (1 - 0.4f * line), .roughness = 0.6f};
  }
  return {.albedo = damask({along, p.z}) * (0.93f + 0.07f * fractal_noise(p * 9.0f)),
          .roughness = 1};
}

Surface ceiling(vec3 p) {
  const float radius = glm::length(vec2(p.x, p.y));
  const float rose =
      stripe(radius - 0.42f - 0.03f * std::cos(16 * std::atan2(p.y, p.x)), 0.012f, 0.006f) +
      stripe(radius - 0.55f, 0.008f, 0.004f) + stripe(radius - 0.60f, 0.004f, 0.003f);
  const float edge = std::max(std::abs(p.x) - kHalfLength, std::abs(p.y) - kHalfWidth);
  const float line = stripe(edge + 0.28f, 0.010f, 0.004f) + stripe(edge + 0.34f, 0.005f, 0.003f);
  return {.albedo = vec3(0.80f, 0.78f, 0.73f) * (1 - 0.35f * std::min(rose + line, 1.0f)) *
                    (0.96f + 0.04f * fractal_noise(p * 12.0f)),
          .roughness = 1};
}

Surface paint(vec3 p) {
  return {.albedo = vec3(0.76f, 0.75f, 0.70f) * (0.95f + 0.05f * noise(p * 40.0f)),
          .specular = 0.04f,
          .roughness = 0.25f};
}

Surface dark_wood(vec3 p) {
  return {
      .albedo = wood(vec3(p.z, p.x, p.y) * 0.8f, {0.075f, 0.030f, 0.014f}, {0.19f, 0.085f, 0.04f}),
      .specular = 0.045f,
      .roughness = 0.22f};
}

Surface cloth(vec3 p) {
  const vec3 green(0.08f, 0.16f, 0.12f), gold(0.42f, 0.33f, 0.15f);
  const float lines = stripe(wrapped(p.x + p.y, 0.16f), 0.012f, 0.004f) +
                      stripe(wrapped(p.x + p.y + 0.03f, 0.16f), 0.004f, 0.002f);
  const float weave = 0.7f + 0.6f * noise(p * vec3(150, 150, 220));
  return {.albedo = glm::mix(green, gold, 0.8f * std::min(lines, 1.0f)) * weave, .roughness = 1};
}

Surface curtain(vec3 p) {
  const vec3 ground(0.46f, 0.12f, 0.07f), figure(0.62f, 0.36f, 0.16f);
  const vec2 f(wrapped(p.x, 0.12f), wrapped(p.z, 0.16f));
  const float sprig =
      glm::length(f * vec2(1.4f, 1)) - 0.03f - 0.012f * std::cos(5 * std::atan2(f.y, f.x));
  const float hem = stripe(p.z - 0.14f, 0.02f, 0.004f);
  const float share = std::max(1 - glm::smoothstep(-0.004f, 0.004f, sprig), hem);
  return {.albedo = glm::mix(ground, figure, share) * (0.85f + 0.3f * noise(p * 160.0f)),
          .roughness = 1};
}

Surface book(vec3 p) {
  const vec3 chance = hash(glm::ivec3(static_cast<int>(p.x), 2, 8));
  const vec3 tones[] = {{0.30f, 0.05f, 0.04f}, {0.05f, 0.12f, 0.22f}, {0.06f, 0.17f, 0.09f},
                        {0.38f, 0.24f, 0.10f}, {0.55f, 0.47f, 0.34f}, {0.12f, 0.07f, 0.06f},
                        {0.40f, 0.13f, 0.04f}, {0.20f, 0.20f, 0.23f}};
  const vec3 leather = tones[static_cast<int>(chance.x * 7.99f)] * (0.75f + 0.5f * chance.y);
  float gold = 0;
  for (const float at : {0.10f, 0.30f, 0.72f, 0.92f}) gold += stripe(p.z - at, 0.012f, 0.004f);
  const bool has_title = chance.z > 0.3f && std::abs(p.z - 0.5f) < 0.13f && std::abs(p.y) < 0.33f;
  const float letters = std::sin(150 * p.z) > 0.2f && noise({p.y * 22, p.z * 70, p.x}) > 0.45f;
  if (has_title) gold += letters;
  return {.albedo = glm::mix(leather * (0.85f + 0.3f * noise(p * vec3(1, 12, 40))),
                             vec3(0.66f, 0.47f, 0.18f), std::min(gold, 1.0f)),
          .specular = 0.03f,
          .roughness = 0.55f};
}

Surface picture(vec3 p) {
  const float hill = 0.42f + 0.18f * fractal_noise({p.x * 3, p.z * 11, 0.5f});
  const float far_hill = 0.55f + 0.15f * fractal_noise({p.x * 2 + 5, p.z * 7, 1.5f});
  const float sun = glm::distance(vec2(p.x, p.y), vec2(0.3f + 0.1f * p.z, 0.74f));
  vec3 color = glm::mix(vec3(0.75f, 0.46f, 0.24f), vec3(0.20f, 0.33f, 0.50f),
                        glm::smoothstep(0.5f, 1.0f, p.y + 0.2f * fractal_noise(p * 6.0f)));
  color = glm::mix(vec3(0.85f, 0.72f, 0.38f), color, glm::smoothstep(0.07f, 0.09f, sun));
  if (p.y < far_hill) color = glm::mix(vec3(0.19f, 0.22f, 0.30f), vec3(0.30f, 0.27f, 0.28f), p.x);
  if (p.y < hill)
    color = glm::mix(vec3(0.07f, 0.12f, 0.04f), vec3(0.28f, 0.27f, 0.07f),
                     fractal_noise(vec3(p.x * 12, p.y * 30, p.z)));
  return {.albedo = color * (0.8f + 0.4f * noise(p * vec3(90, 40, 1))),
          .specular = 0.03f,
          .roughness = 0.4f};
}

Surface gilt(vec3 p) {
  return {.albedo = vec3(0.52f, 0.36f, 0.14f) * (0.8f + 0.3f * noise(p * 60.0f)),
          .specular = 0.05f,
          .roughness = 0.6f};
}

Surface brass(vec3) {
  return {.albedo = {0.76f, 0.55f, 0.25f}, .roughness = 0.16f, .metal = true};
}

Surface porcelain(vec3 p) {
  const float turn = std::atan2(p.y, p.x);
  const float vine = std::sin(5 * turn + 22 * p.z) + 0.6f * std::sin(9 * turn - 31 * p.z);
  const float band = stripe(wrapped(p.z, 0.11f), 0.006f, 0.002f);
  const float blue = std::max(glm::smoothstep(1.0f, 1.1f, vine), band);
  return {.albedo = glm::mix(vec3(0.80f, 0.79f, 0.74f), vec3(0.05f, 0.11f, 0.34f), blue),
          .specular = 0.05f,
          .roughness = 0.08f};
}

Surface globe(vec3 p) {
  const vec3 d = glm::normalize(p);
  const float land = fractal_noise(d * 2.6f + 3.1f);
  vec3 color = glm::mix(vec3(0.10f, 0.22f, 0.30f), vec3(0.47f, 0.38f, 0.20f),
                        glm::smoothstep(0.53f, 0.55f, land));
  const float latitude = std::asin(std::clamp(d.z, -1.0f, 1.0f)), longitude = std::atan2(d.y, d.x);
  const float grid = stripe(wrapped(latitude, kPi / 9), 0.008f, 0.004f) +
                     stripe(wrapped(longitude, kPi / 9) * std::cos(latitude), 0.008f, 0.004f);
  color *= 1 - 0.5f * std::min(grid, 1.0f);
  return {.albedo = color, .specular = 0.04f, .roughness = 0.15f};
}

Surface leaf(vec3 p) {
  const float vein = stripe(wrapped(p.x, 0.5f), 0.02f, 0.02f);
  return {.albedo = glm::mix(vec3(0.05f, 0.16f, 0.035f), vec3(0.16f, 0.30f, 0.07f),
                             0.6f * p.y + 0.4f * vein),
          .specular = 0.03f,
          .roughness = 0.35f};
}

Surface clay(vec3 p) {
  return {.albedo = vec3(0.46f, 0.20f, 0.11f) * (0.8f + 0.4f * fractal_noise(p * 25.0f)),
          .roughness = 0.8f};
}

Surface lantern(vec3 p) {
  const float rib = stripe(wrapped(p.y, 1 / 14.0f), 0.004f, 0.002f);
  const float paper = 0.9f + 0.1f * fractal_noise(p * vec3(60, 40, 1));
  return {.albedo = vec3(0.6f, 0.55f, 0.45f),
          .roughness = 1,
          .emission = vec3(3.4f, 2.55f, 1.6f) * (paper * (1 - 0.6f * rib))};
}

Surface shade(vec3 p) {
  const float fold = 0.5f + 0.5f * std::sin(2 * kPi * 24 * p.x);
  return {.albedo = vec3(0.6f, 0.5f, 0.35f),
          .roughness = 1,
          .emission = vec3(4.2f, 2.6f, 1.25f) * (0.7f + 0.3f * fold) * (1 - 0.45f * p.y)};
}

Surface outdoors(vec3 p) {
  const vec3 d = glm::normalize(p);
  const float turn = std::atan2(d.x, d.y);
  const float cloud = fractal_noise(d * vec3(5, 5, 13) + 4.0f);
  vec3 light =
      glm::mix(vec3(2.6f, 2.9f, 3.2f), vec3(0.9f, 1.6f, 3.0f), glm::smoothstep(0.0f, 0.6f, d.z));
  light = glm::mix(light, vec3(4.2f, 4.1f, 3.9f), glm::smoothstep(0.52f, 0.70f, cloud));
  const float mountains = 0.10f + 0.11f * fractal_noise({turn * 4, 1.5f, 0.5f});
  const float trees =
      0.02f + 0.05f * fractal_noise({turn * 15, 6.5f, 0.5f}) + 0.015f * noise({turn * 80, 2, 0});
  if (d.z < mountains)
    light = glm::mix(vec3(0.55f, 0.75f, 1.0f), vec3(1.1f, 1.3f, 1.5f), d.z / mountains);
  if (d.z < trees)
    light =
        glm::mix(vec3(0.10f, 0.22f, 0.07f), vec3(0.40f, 0.52f, 0.15f), fractal_noise(d * 60.0f));
  if (d.z < -0.03f) light = vec3(0.50f, 0.75f, 0.22f) * (0.6f + 0.8f * fractal_noise(d * 30.0f));
  return {.albedo = vec3(0), .roughness = 1, .emission = light};
}

}  // namespace mote::synth::study
