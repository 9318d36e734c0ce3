// `throw`: balls fly between two walls and bounce, 20 to 50 pixels a frame at 480 pixels across.
#include <array>
#include <cmath>

#include "synth/sampling.h"
#include "synth/scenes/moving_materials.h"
#include "synth/scenes/robot_arm.h"

namespace mote::synth {
namespace {

constexpr float kHalfWay = 0.98f;  // between the walls, world

struct Throw {
  float radius, depth;       // its place along y
  float speed, phase;        // along x, world/s, and the part of the way there and back at time 0
  float height, bounces_hz;  // of the bounces above the table
  vec3 first, second;
};

constexpr std::array<Throw, 5> kThrows{{
    {0.090f, -0.55f, 3.6f, 0.10f, 0.75f, 1.28f, {0.50f, 0.08f, 0.05f}, {0.85f, 0.75f, 0.4f}},
    {0.075f, -0.28f, 5.2f, 0.55f, 0.95f, 1.14f, {0.06f, 0.22f, 0.48f}, {0.85f, 0.85f, 0.8f}},
    {0.105f, 0.00f, 4.3f, 0.85f, 0.60f, 1.43f, {0.10f, 0.36f, 0.12f}, {0.85f, 0.60f, 0.2f}},
    {0.070f, 0.28f, 6.6f, 0.30f, 0.85f, 1.20f, {0.60f, 0.45f, 0.05f}, {0.1f, 0.08f, 0.2f}},
    {0.085f, 0.55f, 7.8f, 0.70f, 0.50f, 1.57f, {0.42f, 0.08f, 0.40f}, {0.75f, 0.8f, 0.7f}},
}};

/// From 0 to 1 and back, once for each 1 of `phase`.
float there_and_back(float phase) {
  const float at = phase - std::floor(phase);
  return at < 0.5f ? 2 * at : 2 - 2 * at;
}

Placement place_of(const Throw& one, float time_s) {
  const float way = 2 * (kHalfWay - one.radius);
  const float x = -0.5f * way + way * there_and_back(one.phase + time_s * one.speed / (2 * way));
  const float bounce = time_s * one.bounces_hz + one.phase;
  const float s = 2 * (bounce - std::floor(bounce)) - 1;
  const float z = one.radius + one.height * (1 - s * s);
  const vec3 axis(0.36f, 0.8f, 0.48f);
  return {turn_about(axis, 2 * kPi * (1.1f * time_s + one.phase)), {x, one.depth, z}};
}

Scene make_throw(double time) {
  using namespace moving;
  const auto time_s = static_cast<float>(time);
  Scene scene;
  add_table_in_studio(scene);
  scene.target = {0, 0, 0.45f};
  scene.arc_rad = 1.2f;  // cameras farther to a side would see a wall from behind
  const auto wall = scene.add_material(plaster), blocks = scene.add_material(tiles);
  for (const float side : {-1.0f, 1.0f}) {
    add_placed(scene.mesh, box_around_origin(wall, {0.04f, 0.72f, 0.42f}, 0.06f),
               {mat3(1), {side * (kHalfWay + 0.04f), 0, 0.42f}});
  }
  add_placed(scene.mesh, box_around_origin(blocks, {0.30f, 0.08f, 0.10f}),
             {mat3(1), {0.1f, 0.95f, 0.10f}});
  for (const Throw& one : kThrows) {
    const auto material = scene.add_material(patterned(one.first, one.second, 8));
    add_placed(scene.mesh, ball_at_origin(material, one.radius, 28), place_of(one, time_s));
  }
  return scene;
}

}  // namespace

extern const SceneEntry kThrowScene{"throw", "balls fly and bounce between two walls, fast; moves",
                                    true, make_throw};

}  // namespace mote::synth
