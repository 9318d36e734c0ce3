// `fountain`: 5,000 drops rise from five jets and fall into a basin, whose surface swells and
// ripples where they fall.
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/sampling.h"
#include "synth/scenes/drops.h"
#include "synth/scenes/moving_materials.h"
#include "synth/scenes/robot_arm.h"
#include "synth/shapes.h"

namespace mote::synth {
namespace {

constexpr float kLevel = 0.17f, kWaterRadius = 0.84f;  // of the water

/// The places where most drops of the outer jets fall.
std::array<vec2, 4> landings() {
  std::array<vec2, 4> result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float angle = 0.5f * kPi * (static_cast<float>(i) + 0.5f);
    result[i] = 0.62f * vec2(std::cos(angle), std::sin(angle));
  }
  return result;
}

/// The height of the water above its level. The swelling in the middle merges with the jet.
float swell_at(vec2 p, float time_s) {
  const float radius = glm::length(p);
  const float beat = std::sin(2 * kPi * 1.6f * time_s);
  float height = (0.10f + 0.03f * beat) * std::exp(-radius * radius / 0.012f);
  height += 0.016f * std::sin(26 * radius - 2 * kPi * 2.0f * time_s) * std::exp(-2.2f * radius);
  for (const vec2 landing : landings()) {
    const float away = glm::length(p - landing);
    height += 0.020f * std::sin(34 * away - 2 * kPi * 2.5f * time_s) * std::exp(-6 * away);
  }
  return height * glm::smoothstep(kWaterRadius, 0.8f * kWaterRadius, radius);
}

Mesh water_at_rest(std::uint16_t material) {
  Mesh part;
  Patch patch{.columns = 120,
              .rows = 56,
              .closed_u = true,
              .material = material,
              .position = {},
              .texture = [](vec2, vec3 position) { return position; }};
  patch.position = [](vec2 uv) {
    const float radius = kWaterRadius * (1 - uv.y), angle = 2 * kPi * uv.x;
    return vec3(radius * std::cos(angle), radius * std::sin(angle), kLevel);
  };
  add_patch(part, patch);
  return part;
}

void add_basin(Scene& scene) {
  const auto stone = scene.add_material(moving::tiles);
  add_turned(scene.mesh, {128, 64, stone, [](vec2, vec3 position) { return position; }}, vec3(0),
             {{0.92f, 0.0f},
              {0.98f, 0.02f},
              {0.95f, 0.12f},
              {0.97f, 0.22f},
              {1.0f, 0.25f},
              {0.95f, 0.27f},
              {0.87f, 0.26f},
              {0.85f, 0.22f},
              {0.85f, 0.10f},
              {0.80f, 0.03f},
              {0.4f, 0.02f},
              {0.0f, 0.02f}});
}

Scene make_fountain(double time) {
  using namespace moving;
  const auto time_s = static_cast<float>(time);
  Scene scene;
  add_table_in_studio(scene);
  scene.target = {0, 0, 0.45f};
  add_basin(scene);
  add_bent(scene.mesh, water_at_rest(scene.add_material(water)), [time_s](vec3 p) {
    return p + vec3(0, 0, swell_at({p.x, p.y}, time_s));
  });
  const auto drops = scene.add_material(drop);
  add_drops(scene, drops,
            {.place = {0, 0, kLevel + 0.08f},
             .velocity = {0, 0, 2.5f},
             .spread = 0.16f,
             .floor = kLevel,
             .drops = 2200,
             .seed = 3},
            time_s);
  std::uint32_t seed = 5;
  for (const vec2 landing : landings()) {
    add_drops(scene, drops,
              {.place = {0.12f * landing.x, 0.12f * landing.y, kLevel + 0.05f},
               .velocity = {0.62f * landing.x, 0.62f * landing.y, 1.72f},
               .spread = 0.06f,
               .floor = kLevel,
               .drops = 700,
               .radius = 0.010f,
               .seed = seed++},
              time_s);
  }
  return scene;
}

}  // namespace

extern const SceneEntry kFountainScene{
    "fountain", "5,000 drops rise and fall into a basin of water; moves", true, make_fountain};

}  // namespace mote::synth
