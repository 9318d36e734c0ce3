// `room`: a still room with three walls, in which an arm turns a cube and a spout pours into a
// bowl.
#include <cmath>

#include "synth/boxes.h"
#include "synth/sampling.h"
#include "synth/scenes/drops.h"
#include "synth/scenes/moving_materials.h"
#include "synth/scenes/robot_arm.h"
#include "synth/shapes.h"
#include "synth/studio.h"

namespace mote::synth {
namespace {

void add_walls(Scene& scene) {
  using namespace moving;
  const auto paint = scene.add_material(plaster), boards = scene.add_material(planks);
  const Finish walls{paint, 0.09f}, floor{boards, 0.07f};
  add_box(scene.mesh, floor, {-1.6f, -1.25f, -0.05f}, {1.6f, 1.3f, 0});
  add_box(scene.mesh, walls, {-1.6f, 1.25f, 0}, {1.6f, 1.3f, 1.5f});
  add_box(scene.mesh, walls, {-1.65f, -0.6f, 0}, {-1.6f, 1.3f, 1.5f});
  add_box(scene.mesh, walls, {1.6f, -0.6f, 0}, {1.65f, 1.3f, 1.5f});
}

void add_furniture(Scene& scene) {
  using namespace moving;
  const auto wood = scene.add_material(planks), blocks = scene.add_material(tiles);
  const auto red = scene.add_material(patterned({0.45f, 0.07f, 0.05f}, {0.8f, 0.7f, 0.5f}, 6));
  const auto blue = scene.add_material(patterned({0.08f, 0.16f, 0.40f}, {0.7f, 0.7f, 0.75f}, 7));
  const Finish planed{wood, 0.08f}, tiled{blocks, 0.08f};
  for (const float z : {0.35f, 0.75f, 1.15f}) {
    add_box(scene.mesh, planed, {-1.3f, 0.98f, z}, {-0.2f, 1.24f, z + 0.04f});
  }
  for (const float x : {-1.32f, -0.20f}) {
    add_box(scene.mesh, planed, {x, 0.98f, 0}, {x + 0.04f, 1.24f, 1.3f});
  }
  for (int i = 0; i < 9; ++i) {
    const auto at = static_cast<float>(i);
    const float z = i < 5 ? 0.39f : 0.79f, x = -1.2f + 0.18f * (i < 5 ? at : at - 5);
    const auto material = i % 3 == 0 ? red : i % 3 == 1 ? blue : blocks;
    add_placed(scene.mesh,
               box_around_origin(material,
                                 {0.05f + 0.01f * static_cast<float>(i % 4), 0.09f,
                                  0.10f + 0.02f * static_cast<float>(i % 3)},
                                 0.06f),
               {mat3(1), {x, 1.10f, z + 0.13f}});
  }
  add_box(scene.mesh, tiled, {0.35f, 0.55f, 0}, {1.35f, 1.15f, 0.40f});
  add_placed(scene.mesh, ball_at_origin(red, 0.16f, 26), {mat3(1), {-1.2f, -0.3f, 0.16f}});
  add_placed(scene.mesh, box_around_origin(blue, vec3(0.15f)),
             {turn_about({0, 0, 1}, 0.5f), {1.2f, -0.35f, 0.15f}});
}

/// The spout above the cupboard, its bowl, and the stream.
void add_pouring(Scene& scene, float time_s) {
  using namespace moving;
  const auto metal = scene.add_material(steel);
  const auto china = scene.add_material(patterned({0.65f, 0.65f, 0.6f}, {0.1f, 0.15f, 0.4f}, 9));
  const vec3 bowl(0.85f, 0.85f, 0.40f);
  add_turned(scene.mesh, {64, 32, china, [](vec2, vec3 position) { return position; }}, bowl,
             {{0.10f, 0.0f},
              {0.12f, 0.01f},
              {0.20f, 0.08f},
              {0.25f, 0.17f},
              {0.26f, 0.18f},
              {0.23f, 0.17f},
              {0.18f, 0.09f},
              {0.0f, 0.04f}});
  add_placed(scene.mesh, rod_along_z(metal, 0.025f, 0.75f), {mat3(1), {1.15f, 1.0f, 0.40f}});
  add_placed(scene.mesh, rod_along_z(metal, 0.025f, 0.34f),
             {turn_about({0, 1, 0}, -0.5f * kPi), {1.16f, 1.0f, 1.14f}});
  add_drops(scene, scene.add_material(drop),
            {.place = {0.85f, 0.96f, 1.10f},
             .velocity = {0, -0.14f, -0.2f},
             .spread = 0.05f,
             .floor = bowl.z + 0.08f,
             .drops = 500,
             .radius = 0.014f,
             .seed = 9},
            time_s);
}

Scene make_room(double time) {
  const auto time_s = static_cast<float>(time);
  Scene scene;
  scene.target = {0, 0.25f, 0.52f};
  scene.distance = 3.6f;
  scene.low_rad = 0.14f;
  scene.high_rad = 0.60f;
  scene.arc_rad = 1.4f;
  scene.front_only = true;
  add_studio(scene, {.floor_albedo = {0.25f, 0.25f, 0.26f},
                     .floor_height = -0.06f,
                     .horizon = {0.25f, 0.26f, 0.28f},
                     .zenith = {0.42f, 0.44f, 0.48f},
                     .overhead = {1.6f, 1.6f, 1.6f},
                     .fill = {1.2f, 1.1f, 1.0f},
                     .key_position = {-1.6f, -2.4f, 3.4f},
                     .key_radiance = {26.0f, 24.0f, 21.0f},
                     .key_size = 1.0f});
  add_walls(scene);
  add_furniture(scene);
  moving::add_robot_arm(scene, {mat3(1), {-0.35f, 0.1f, 0}}, 0.95f, time_s);
  add_pouring(scene, time_s);
  return scene;
}

}  // namespace

extern const SceneEntry kRoomScene{
    "room", "a still room in which an arm moves and a spout pours; moves", true, make_room};

}  // namespace mote::synth
