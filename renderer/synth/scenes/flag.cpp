// `flag`: a flag waves on its pole, and a jelly wobbles on a plate: smooth deformations.
#include <cmath>
#include <glm/common.hpp>

#include "synth/sampling.h"
#include "synth/scenes/moving_materials.h"
#include "synth/scenes/robot_arm.h"
#include "synth/shapes.h"

namespace mote::synth {
namespace {

constexpr vec3 kPole{-0.75f, 0.25f, 0};

/// A flat cloth in the plane of x and z, closed around its edges: x 0 to 1.05, z 0 to 0.62.
Mesh flat_cloth(std::uint16_t material) {
  Mesh part;
  Patch patch{.columns = 120,
              .rows = 40,
              .closed_u = true,
              .material = material,
              .position = {},
              .texture = {}};
  // Around the cloth: half of the turn along its front, the other half back along its rear.
  const auto along = [](float u) { return 0.5f - 0.5f * std::cos(2 * kPi * u); };
  patch.position = [along](vec2 uv) {
    const float thick = 0.006f * std::sin(2 * kPi * uv.x);
    return vec3(1.05f * along(uv.x), -thick, 0.62f * uv.y);
  };
  patch.texture = [along](vec2 uv, vec3) { return vec3(along(uv.x), uv.y, 0); };
  add_patch(part, patch);
  return part;
}

vec3 waved(vec3 p, float time_s) {
  const float along = p.x / 1.05f;
  const float wave = 0.16f * along *
                     (std::sin(2 * kPi * (1.35f * along - 1.3f * time_s)) +
                      0.45f * std::sin(2 * kPi * (2.6f * along - 2.1f * time_s + 0.8f * p.z)));
  const float sag = -0.07f * along * along * (1 + 0.5f * std::sin(2 * kPi * 0.6f * time_s));
  const float shorter = p.x * (1 - 0.10f * along);
  return kPole + vec3(0.02f + shorter, p.y + wave, 0.72f + p.z + sag);
}

vec3 wobbled(vec3 p, float time_s) {
  const float height = p.z / 0.38f;
  const float beat = std::sin(2 * kPi * 1.7f * time_s), other = std::sin(2 * kPi * 1.25f * time_s);
  const float squeeze = 1 + 0.12f * std::sin(2 * kPi * 2.2f * time_s);
  const vec3 swayed(0.12f * height * height * beat, 0.09f * height * height * other, 0);
  const float wide = 1 + (1 / std::sqrt(squeeze) - 1) * glm::smoothstep(0.0f, 0.4f, height);
  return vec3(0.42f, -0.42f, 0.045f) + vec3(p.x * wide, p.y * wide, p.z * squeeze) + swayed;
}

Mesh pudding(std::uint16_t material) {
  Mesh part;
  Patch patch{.columns = 96,
              .rows = 48,
              .closed_u = true,
              .material = material,
              .position = {},
              .texture = [](vec2, vec3 position) { return position; }};
  const std::vector<vec2> profile{{0.0f, 0.0f},   {0.27f, 0.0f},  {0.28f, 0.02f}, {0.25f, 0.18f},
                                  {0.21f, 0.31f}, {0.17f, 0.37f}, {0.08f, 0.38f}, {0.0f, 0.37f}};
  patch.position = [profile](vec2 uv) {
    const vec2 at = curve_at(profile, uv.y);
    const float angle = 2 * kPi * uv.x, ribs = 1 + 0.05f * std::cos(10 * angle);
    const float radius = std::max(at.x, 0.0f) * ribs;
    return vec3(radius * std::cos(angle), radius * std::sin(angle), at.y);
  };
  add_patch(part, patch);
  return part;
}

Scene make_flag(double time) {
  using namespace moving;
  const auto time_s = static_cast<float>(time);
  Scene scene;
  add_table_in_studio(scene);
  scene.target = {0, 0, 0.55f};
  scene.distance = 3.7f;
  const auto metal = scene.add_material(steel);
  const auto plate = scene.add_material(patterned({0.65f, 0.66f, 0.62f}, {0.1f, 0.2f, 0.45f}, 6));
  add_placed(scene.mesh, rod_along_z(metal, 0.022f, 1.42f), {mat3(1), kPole});
  add_placed(scene.mesh, rod_along_z(scene.add_material(tiles), 0.16f, 0.06f), {mat3(1), kPole});
  add_placed(scene.mesh, ball_at_origin(metal, 0.045f, 20), {mat3(1), kPole + vec3(0, 0, 1.45f)});
  add_placed(scene.mesh, rod_along_z(plate, 0.40f, 0.04f), {mat3(1), {0.42f, -0.42f, 0}});
  add_bent(scene.mesh, flat_cloth(scene.add_material(cloth)),
           [time_s](vec3 p) { return waved(p, time_s); });
  add_bent(scene.mesh, pudding(scene.add_material(jelly)),
           [time_s](vec3 p) { return wobbled(p, time_s); });
  return scene;
}

}  // namespace

extern const SceneEntry kFlagScene{
    "flag", "a flag waves and a jelly wobbles: smooth deformations; moves", true, make_flag};

}  // namespace mote::synth
