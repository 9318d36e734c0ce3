// `orrery`: planets of stone and enamel on brass arms around a golden sun, above a star map. All of
// them rotate with the time.
#include <cmath>
#include <functional>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/sampling.h"
#include "synth/scenes/orrery_materials.h"
#include "synth/shapes.h"
#include "synth/studio.h"

namespace mote::synth {
namespace {

constexpr float kSunHeight = 0.66f, kSunRadius = 0.155f;

vec3 turned(vec3 p, float angle) {
  const float c = std::cos(angle), s = std::sin(angle);
  return {c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

/// A planet on an arm around the middle.
struct Planet {
  float radius, orbit, arm_height;  // world
  float start_turns, turns;         // angle at time 0, and its change until time 1
  float spins;                      // rotations about its own axis, over the same time
  Surface (*surface)(vec3 direction);
};

constexpr Planet kPlanets[] = {
    {0.042f, 0.25f, 0.420f, 0.05f, 1.00f, 0.0f, orrery::rock},
    {0.062f, 0.37f, 0.375f, 0.43f, 0.70f, 0.5f, orrery::marble},
    {0.070f, 0.50f, 0.330f, 0.72f, 0.50f, 2.0f, orrery::sea_and_land},
    {0.054f, 0.62f, 0.285f, 0.24f, 0.36f, 1.5f, orrery::rust},
    {0.120f, 0.76f, 0.240f, 0.93f, 0.22f, 2.5f, orrery::banded},
    {0.096f, 0.91f, 0.195f, 0.55f, 0.14f, 2.0f, orrery::pale_banded},
};
constexpr std::size_t kEarth = 2, kSaturn = 5;

Texture world_place() {
  return [](vec2, vec3 position) { return position; };
}

/// Texture coordinates without the rotation, so that a texture rotates with its body.
Texture turned_back(float angle) {
  return [angle](vec2, vec3 position) { return turned(position, -angle); };
}

void add_rod(Mesh& mesh, std::uint16_t material, vec3 from, vec3 to, float radius) {
  const vec3 along = glm::normalize(to - from);
  const vec3 reference = std::abs(along.z) < 0.9f ? vec3(0, 0, 1) : vec3(1, 0, 0);
  add_tube(mesh, {10, 12, material, world_place()},
           {.path = [from, to](float t) { return glm::mix(from, to, t); },
            .radius = [radius](float) { return radius; },
            .reference = reference});
}

void add_ball(Mesh& mesh, std::uint16_t material, vec3 center, float radius, float spin, int rows) {
  add_blob(mesh,
           {rows * 3 / 2, rows, material,
            [center, radius, spin](vec2, vec3 position) {
              return turned((position - center) / radius, -spin);
            }},
           {.center = center, .radius = radius});
}

void add_drum(Scene& scene) {
  const auto material = scene.add_material(orrery::drum);
  add_turned(scene.mesh, {144, 104, material, world_place()}, vec3(0),
             {{1.16f, -0.42f}, {1.20f, -0.42f},  {1.21f, -0.39f}, {1.17f, -0.36f},  {1.11f, -0.34f},
              {1.08f, -0.30f}, {1.06f, -0.22f},  {1.06f, -0.16f}, {1.08f, -0.10f},  {1.13f, -0.07f},
              {1.16f, -0.05f}, {1.165f, -0.02f}, {1.15f, 0.0f},   {1.125f, 0.004f}, {1.10f, 0.0f},
              {1.09f, 0.0f},   {0.98f, 0.0f},    {0.84f, 0.0f},   {0.70f, 0.0f},    {0.56f, 0.0f},
              {0.42f, 0.0f},   {0.28f, 0.0f},    {0.14f, 0.0f},   {0.0f, 0.0f}});
}

/// A gear; `angle` rotates it.
struct Gear {
  vec3 center;
  float radius, height;
  int teeth;
  float angle;
};

void add_gear(Mesh& mesh, std::uint16_t material, const Gear& gear) {
  const auto profile = std::vector<vec2>{{0.30f, 0.0f}, {1.0f, 0.0f},  {1.0f, 0.0f},  {1.0f, 1.0f},
                                         {1.0f, 1.0f},  {0.80f, 1.0f}, {0.80f, 1.0f}, {0.76f, 0.7f},
                                         {0.40f, 0.7f}, {0.34f, 1.4f}, {0.0f, 1.4f}};
  Patch patch{.columns = gear.teeth * 8,
              .rows = 14,
              .closed_u = true,
              .material = material,
              .position = {},
              .texture = turned_back(gear.angle)};
  patch.position = [&gear, &profile](vec2 uv) {
    const vec2 at = curve_at(profile, uv.y);
    const float tooth = std::sin(2 * kPi * uv.x * static_cast<float>(gear.teeth));
    const float rim = glm::smoothstep(0.85f, 0.95f, at.x);
    const float radius = gear.radius * std::max(at.x, 0.0f) *
                         (1 + rim * 0.07f * glm::smoothstep(-0.5f, 0.5f, tooth));
    const float angle = 2 * kPi * uv.x + gear.angle;
    return gear.center +
           vec3(radius * std::cos(angle), radius * std::sin(angle), gear.height * at.y);
  };
  add_patch(mesh, patch);
}

void add_clockwork(Mesh& mesh, std::uint16_t brass, float time) {
  const float angle = 2 * kPi * time;
  add_gear(mesh, brass, {{0, 0, 0.012f}, 0.185f, 0.030f, 36, 0.5f * angle});
  add_gear(mesh, brass, {{0, 0, 0.075f}, 0.120f, 0.026f, 24, angle});
  const float meshing = 0.305f;  // distance of the axes
  for (const float place : {0.6f, 2.9f, 4.7f}) {
    const vec3 center(meshing * std::cos(place), meshing * std::sin(place), 0.012f);
    add_gear(mesh, brass, {center, 0.110f, 0.030f, 22, -0.5f * angle * 36 / 22 + place});
    add_rod(mesh, brass, center, center + vec3(0, 0, 0.085f), 0.016f);
    add_ball(mesh, brass, center + vec3(0, 0, 0.095f), 0.024f, 0, 14);
  }
}

void add_pillar(Scene& scene, std::uint16_t brass) {
  add_turned(scene.mesh, {44, 90, brass, world_place()}, vec3(0),
             {{0.060f, 0.10f},
              {0.060f, 0.13f},
              {0.045f, 0.15f},
              {0.040f, 0.17f},
              {0.036f, 0.30f},
              {0.033f, 0.43f},
              {0.031f, 0.445f},
              {0.048f, 0.455f},
              {0.048f, 0.465f},
              {0.022f, 0.48f},
              {0.020f, 0.52f},
              {0.0f, 0.53f}});
  const auto sun = scene.add_material(orrery::sun);
  add_ball(scene.mesh, sun, {0, 0, kSunHeight}, kSunRadius, 0, 44);
}

/// The arm of one planet, from its collar on the pillar to the planet.
void add_planet(Scene& scene, std::uint16_t brass, const Planet& planet, float time) {
  const float angle = 2 * kPi * (planet.start_turns + planet.turns * time);
  const float spin = 2 * kPi * planet.spins * time;
  const vec3 outward(std::cos(angle), std::sin(angle), 0);
  const vec3 center = outward * planet.orbit + vec3(0, 0, kSunHeight);
  const vec3 elbow = outward * planet.orbit + vec3(0, 0, planet.arm_height);
  Mesh& mesh = scene.mesh;
  add_turned(mesh, {28, 14, brass, turned_back(angle)}, {0, 0, planet.arm_height},
             {{0.036f, -0.018f},
              {0.058f, -0.018f},
              {0.062f, -0.010f},
              {0.062f, 0.010f},
              {0.058f, 0.018f},
              {0.036f, 0.018f}});
  add_rod(mesh, brass, outward * 0.05f + vec3(0, 0, planet.arm_height), elbow, 0.0095f);
  add_rod(mesh, brass, outward * -0.05f + vec3(0, 0, planet.arm_height),
          outward * -0.15f + vec3(0, 0, planet.arm_height), 0.0095f);
  add_ball(mesh, brass, outward * -0.165f + vec3(0, 0, planet.arm_height), 0.026f, angle, 16);
  add_ball(mesh, brass, elbow, 0.018f, angle, 14);
  add_rod(mesh, brass, elbow, center - vec3(0, 0, planet.radius * 0.98f), 0.0075f);
  add_ball(mesh, scene.add_material(planet.surface), center, planet.radius, spin, 32);
}

void add_moon(Scene& scene, std::uint16_t brass, float time) {
  const Planet& earth = kPlanets[kEarth];
  const float angle = 2 * kPi * (earth.start_turns + earth.turns * time);
  const float around = 2 * kPi * (0.1f + 1.5f * time);
  const vec3 stand =
      earth.orbit * vec3(std::cos(angle), std::sin(angle), 0) + vec3(0, 0, kSunHeight - 0.115f);
  const vec3 end = stand + 0.115f * vec3(std::cos(around), std::sin(around), 0);
  add_ball(scene.mesh, brass, stand, 0.015f, 0, 14);
  add_rod(scene.mesh, brass, stand, end, 0.005f);
  add_rod(scene.mesh, brass, end, end + vec3(0, 0, 0.095f), 0.005f);
  add_ball(scene.mesh, scene.add_material(orrery::rock), end + vec3(0, 0, 0.115f), 0.024f, around,
           24);
}

void add_saturn_rings(Scene& scene, float time) {
  const Planet& saturn = kPlanets[kSaturn];
  const float angle = 2 * kPi * (saturn.start_turns + saturn.turns * time);
  const vec3 center =
      saturn.orbit * vec3(std::cos(angle), std::sin(angle), 0) + vec3(0, 0, kSunHeight);
  const Frame3 frame(glm::normalize(vec3(0.35f, 0.12f, 1)));
  // Relative to the planet's radius.
  constexpr float kInner = 1.3f, kOuter = 2.05f, kHalfHeight = 0.012f;
  Patch patch{.columns = 96,
              .rows = 24,
              .closed_u = true,
              .closed_v = true,
              .material = scene.add_material(orrery::dust),
              .position = {},
              .texture = {}};
  patch.position = [&](vec2 uv) {
    const float turn = 2 * kPi * uv.x, section = 2 * kPi * uv.y;
    const float radius = 0.5f * (kInner + kOuter) + 0.5f * (kOuter - kInner) * std::cos(section);
    return center + saturn.radius * frame({radius * std::cos(turn), radius * std::sin(turn),
                                           kHalfHeight * std::sin(section)});
  };
  patch.texture = [](vec2 uv, vec3) { return vec3(0.5f + 0.5f * std::cos(2 * kPi * uv.y), 0, 0); };
  add_patch(scene.mesh, patch);
}

/// Two tilted rings with scales around the model.
void add_hoops(Scene& scene, std::uint16_t brass) {
  const auto material = scene.add_material(orrery::scale_ring);
  constexpr float kRadius = 1.085f;
  const Frame3 frame(glm::normalize(vec3(0.16f, -0.26f, 1)));
  const vec3 center(0, 0, kSunHeight - 0.06f);
  add_tube(scene.mesh, {10, 200, material, [](vec2 uv, vec3) { return vec3(uv.y, uv.x, 0); }},
           {.path =
                [frame, center](float t) {
                  const float angle = 2 * kPi * t;
                  return center + kRadius * frame({std::cos(angle), std::sin(angle), 0});
                },
            .radius = [](float) { return 0.012f; },
            .reference = frame.z,
            .section = {2.6f, 0.7f},
            .closed = true});
  for (const float place : {0.35f, 1.92f, 3.49f, 5.06f}) {
    const vec3 top = center + kRadius * frame({std::cos(place), std::sin(place), 0});
    const vec3 foot(1.02f * glm::normalize(vec2(top.x, top.y)), 0.0f);
    add_turned(
        scene.mesh, {24, 20, brass, world_place()}, foot,
        {{0.045f, 0.001f}, {0.048f, 0.012f}, {0.040f, 0.02f}, {0.016f, 0.03f}, {0.012f, 0.06f}});
    add_rod(scene.mesh, brass, foot + vec3(0, 0, 0.03f), top, 0.010f);
    add_ball(scene.mesh, brass, top, 0.027f, 0, 18);
  }
}

Scene make_orrery(double time) {
  const auto t = static_cast<float>(time);
  Scene scene;
  scene.target = {0, 0, 0.28f};
  scene.distance = 3.5f;
  scene.low_rad = 0.12f;
  scene.high_rad = 1.05f;
  add_studio(scene, {.floor_albedo = {0.20f, 0.22f, 0.24f},
                     .floor_height = -0.42f,
                     .horizon = {0.13f, 0.155f, 0.185f},
                     .zenith = {0.24f, 0.28f, 0.35f},
                     .overhead = {1.6f, 1.6f, 1.65f},
                     .fill = {1.9f, 1.5f, 1.1f},
                     .key_position = {-2.4f, -1.7f, 3.0f},
                     .key_radiance = {33.0f, 28.0f, 22.5f},
                     .key_size = 1.3f});
  add_drum(scene);
  const auto brass = scene.add_material(orrery::brass);
  add_clockwork(scene.mesh, brass, t);
  add_pillar(scene, brass);
  for (const Planet& planet : kPlanets) add_planet(scene, brass, planet, t);
  add_moon(scene, brass, t);
  add_saturn_rings(scene, t);
  add_hoops(scene, brass);
  return scene;
}

}  // namespace

extern const SceneEntry kOrreryScene{
    "orrery", "planets on brass arms around a golden sun, over a map of stars; they can move", true,
    make_orrery, 4.0};

}  // namespace mote::synth
