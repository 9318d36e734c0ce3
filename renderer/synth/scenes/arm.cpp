// `arm`: a robot arm with four joints turns a cube above a table with still things.
#include <cmath>

#include "synth/sampling.h"
#include "synth/scenes/moving_materials.h"
#include "synth/scenes/robot_arm.h"

namespace mote::synth {
namespace {

/// Still things around the arm.
void add_still_things(Scene& scene) {
  using namespace moving;
  const auto red = scene.add_material(patterned({0.45f, 0.06f, 0.05f}, {0.8f, 0.7f, 0.5f}, 7));
  const auto green = scene.add_material(patterned({0.07f, 0.30f, 0.12f}, {0.7f, 0.75f, 0.4f}, 8));
  const auto blocks = scene.add_material(tiles);
  add_placed(scene.mesh, ball_at_origin(red, 0.13f, 24), {mat3(1), {0.82f, 0.52f, 0.13f}});
  add_placed(scene.mesh, box_around_origin(blocks, {0.12f, 0.12f, 0.16f}),
             {turn_about({0, 0, 1}, 0.5f), {-0.85f, 0.45f, 0.16f}});
  add_placed(scene.mesh, rod_along_z(green, 0.09f, 0.30f), {mat3(1), {-0.70f, -0.62f, 0}});
  add_placed(scene.mesh, box_around_origin(blocks, {0.10f, 0.16f, 0.07f}),
             {turn_about({0, 0, 1}, -0.4f), {0.78f, -0.60f, 0.07f}});
}

Scene make_arm(double time) {
  Scene scene;
  moving::add_table_in_studio(scene);
  scene.distance = 2.8f;
  add_still_things(scene);
  moving::add_robot_arm(scene, {}, 1.0f, static_cast<float>(time));
  return scene;
}

}  // namespace

extern const SceneEntry kArmScene{
    "arm", "a robot arm with four joints turns a cube above a table; moves", true, make_arm};

}  // namespace mote::synth
