// `stage`: things appear and vanish at once, a lamp flickers, and a pendulum casts a moving shadow
// beside still things.
#include <array>
#include <cmath>

#include "synth/boxes.h"
#include "synth/noise.h"
#include "synth/sampling.h"
#include "synth/scenes/moving_materials.h"
#include "synth/scenes/robot_arm.h"

namespace mote::synth {
namespace {

/// Seconds within which a thing is present, of each period.
struct Presence {
  float from_s, until_s, period_s;

  bool holds(float time_s) const {
    const float at = time_s - period_s * std::floor(time_s / period_s);
    return from_s < until_s ? at >= from_s && at < until_s : at >= from_s || at < until_s;
  }
};

struct Guest {
  Presence presence;
  vec3 place;
  int shape;  // 0: ball, 1: box, 2: column
  vec3 first, second;
};

// The times lie between the frames of 30 a second, so that no clock offset of less than half a
// frame moves one across.
constexpr std::array<Guest, 5> kGuests{{
    {{0.25f, 1.05f, 2.0f}, {-0.55f, -0.35f, 0.17f}, 0, {0.5f, 0.1f, 0.05f}, {0.8f, 0.7f, 0.3f}},
    {{0.85f, 1.65f, 2.0f}, {0.05f, -0.60f, 0.14f}, 1, {0.05f, 0.2f, 0.45f}, {0.7f, 0.75f, 0.8f}},
    {{1.35f, 0.45f, 2.0f}, {0.60f, -0.30f, 0.0f}, 2, {0.1f, 0.35f, 0.1f}, {0.75f, 0.7f, 0.35f}},
    {{0.45f, 0.75f, 1.0f}, {0.30f, 0.15f, 0.12f}, 0, {0.4f, 0.05f, 0.35f}, {0.8f, 0.8f, 0.7f}},
    {{0.15f, 1.85f, 3.0f}, {-0.15f, 0.10f, 0.16f}, 1, {0.45f, 0.35f, 0.05f}, {0.1f, 0.1f, 0.2f}},
}};

Mesh shape_of(const Guest& guest, std::uint16_t material) {
  if (guest.shape == 0) return moving::ball_at_origin(material, 0.17f, 28);
  if (guest.shape == 1) return moving::box_around_origin(material, vec3(0.14f), 0.05f);
  return moving::rod_along_z(material, 0.11f, 0.42f);
}

/// The brightness of the lamp.
float flicker(float time_s) {
  const float steps = time_s * 9;
  return 0.25f + 1.5f * noise({steps, 0.5f, 7.5f}) * noise({2.3f * steps, 4.5f, 1.5f});
}

void add_lamp(Scene& scene, float time_s) {
  using namespace moving;
  const auto stand = scene.add_material(steel);
  const auto bulb = scene.add_material(glow(vec3(22, 15, 7) * flicker(time_s)));
  add_placed(scene.mesh, rod_along_z(stand, 0.02f, 0.62f), {mat3(1), {0.82f, 0.42f, 0}});
  add_placed(scene.mesh, rod_along_z(stand, 0.11f, 0.03f), {mat3(1), {0.82f, 0.42f, 0}});
  add_placed(scene.mesh, ball_at_origin(bulb, 0.085f, 24), {mat3(1), {0.82f, 0.42f, 0.70f}});
}

void add_pendulum(Scene& scene, float time_s) {
  using namespace moving;
  const auto metal = scene.add_material(steel);
  const auto weight = scene.add_material(patterned({0.3f, 0.3f, 0.33f}, {0.7f, 0.5f, 0.1f}, 8));
  const vec3 top(-0.55f, 0.30f, 1.18f);
  for (const float x : {-0.95f, -0.15f}) {
    add_placed(scene.mesh, rod_along_z(metal, 0.022f, 1.20f), {mat3(1), {x, 0.30f, 0}});
  }
  add_placed(scene.mesh, rod_along_z(metal, 0.022f, 0.84f),
             {turn_about({0, 1, 0}, 0.5f * kPi), {-0.97f, 0.30f, 1.19f}});
  const Placement hanging{turn_about({1, 0, 0}, 0.75f * std::sin(2 * kPi * time_s / 1.6f)), top};
  const Placement down = hanging * Placement{turn_about({1, 0, 0}, kPi), {}};
  add_placed(scene.mesh, rod_along_z(metal, 0.010f, 0.72f), down);
  add_placed(scene.mesh, ball_at_origin(weight, 0.13f, 28),
             down * Placement{mat3(1), {0, 0, 0.8f}});
}

Scene make_stage(double time) {
  using namespace moving;
  const auto time_s = static_cast<float>(time);
  Scene scene;
  add_table_in_studio(scene);
  scene.target = {0, 0, 0.42f};
  scene.soft_rays = 2;
  const auto wall = scene.add_material(plaster), blocks = scene.add_material(tiles);
  add_placed(scene.mesh, box_around_origin(wall, {0.95f, 0.03f, 0.40f}, 0.06f),
             {mat3(1), {0, 0.82f, 0.40f}});
  add_placed(scene.mesh, box_around_origin(blocks, {0.14f, 0.14f, 0.20f}),
             {turn_about({0, 0, 1}, 0.3f), {0.92f, -0.12f, 0.20f}});
  add_lamp(scene, time_s);
  add_pendulum(scene, time_s);
  for (const Guest& guest : kGuests) {
    const auto material = scene.add_material(patterned(guest.first, guest.second, 7));
    const Placement place =
        guest.presence.holds(time_s) ? Placement{mat3(1), guest.place} : out_of_sight();
    add_placed(scene.mesh, shape_of(guest, material), place);
  }
  return scene;
}

}  // namespace

extern const SceneEntry kStageScene{
    "stage", "things appear and vanish, a lamp flickers, a pendulum casts a shadow; moves", true,
    make_stage};

}  // namespace mote::synth
