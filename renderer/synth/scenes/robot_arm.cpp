#include "synth/scenes/robot_arm.h"

#include <cmath>
#include <glm/common.hpp>

#include "synth/boxes.h"
#include "synth/sampling.h"
#include "synth/scenes/moving_materials.h"
#include "synth/shapes.h"
#include "synth/studio.h"

namespace mote::synth::moving {
namespace {

Texture local_place() {
  return [](vec2, vec3 position) { return position; };
}

/// The angles of the joints, radians. The periods have no common divisor but 14 s, so that the
/// tip's path does not repeat early. At 30 frames per second the tip moves up to 0.07 of the arm's
/// reach a frame.
struct JointAngles {
  float yaw, shoulder, elbow, wrist;

  explicit JointAngles(float time_s) {
    const auto swing = [time_s](float period_s, float phase) {
      return std::sin(2 * kPi * (time_s / period_s + phase));
    };
    yaw = 1.25f * swing(2.8f, 0.05f);
    shoulder = 0.55f + 0.40f * swing(2.0f, 0.3f);
    elbow = 1.05f + 0.55f * swing(1.4f, 0.0f);
    wrist = 0.4f + 0.9f * swing(1.0f, 0.6f);
  }
};

}  // namespace

void add_table_in_studio(Scene& scene) {
  scene.target = {0, 0, 0.32f};
  scene.distance = 3.3f;
  scene.low_rad = 0.16f;
  scene.high_rad = 0.95f;
  add_studio(scene, {.floor_albedo = {0.30f, 0.29f, 0.27f},
                     .floor_height = -0.32f,
                     .horizon = {0.22f, 0.235f, 0.26f},
                     .zenith = {0.40f, 0.44f, 0.50f},
                     .overhead = {1.5f, 1.5f, 1.5f},
                     .fill = {1.3f, 1.2f, 1.0f},
                     .key_position = {-2.2f, -2.0f, 3.2f},
                     .key_radiance = {26.0f, 23.5f, 20.0f},
                     .key_size = 0.9f});
  const auto wood = scene.add_material(planks), side = scene.add_material(tiles);
  add_turned(scene.mesh, {112, 48, wood, local_place()}, vec3(0),
             {{1.30f, -0.06f},
              {1.32f, -0.03f},
              {1.30f, 0.0f},
              {1.29f, 0.0f},
              {1.0f, 0.0f},
              {0.75f, 0.0f},
              {0.5f, 0.0f},
              {0.25f, 0.0f},
              {0.0f, 0.0f}});
  add_turned(scene.mesh, {96, 20, side, local_place()}, vec3(0),
             {{1.20f, -0.32f}, {1.20f, -0.25f}, {1.20f, -0.15f}, {1.20f, -0.06f}, {1.25f, -0.06f}});
}

Mesh rod_along_z(std::uint16_t material, float radius, float length) {
  Mesh part;
  add_turned(part, {20, 14, material, local_place()}, vec3(0),
             {{0.0f, 0.0f},
              {radius, 0.0f},
              {radius, 0.0f},
              {radius, 0.33f * length},
              {radius, 0.66f * length},
              {radius, length},
              {radius, length},
              {0.0f, length}});
  return part;
}

Mesh ball_at_origin(std::uint16_t material, float radius, int rows) {
  Mesh part;
  add_blob(part, {rows * 3 / 2, rows, material, local_place()}, {.radius = radius});
  return part;
}

Mesh box_around_origin(std::uint16_t material, vec3 half, float cell) {
  Mesh part;
  add_box(part, {material, cell}, -half, half);
  return part;
}

Placement add_robot_arm(Scene& scene, const Placement& base, float scale, float time_s) {
  const auto painted = scene.add_material(enamel), bare = scene.add_material(steel);
  const auto load = scene.add_material(patterned({0.06f, 0.22f, 0.40f}, {0.85f, 0.80f, 0.62f}, 9));
  const JointAngles angles(time_s);
  const vec3 up(0, 0, 1), across(0, 1, 0);
  const float foot = 0.16f * scale, upper = 0.46f * scale, fore = 0.40f * scale,
              hand = 0.14f * scale;
  const auto rod = [&](std::uint16_t material, const Placement& at, float radius, float length) {
    add_placed(scene.mesh, rod_along_z(material, radius * scale, length), at);
  };
  const auto joint = [&](const Placement& at, float radius) {
    const Placement lying = at * Placement{turn_about({1, 0, 0}, 0.5f * kPi), {}};
    const float width = 2.4f * radius * scale;
    rod(bare, lying * Placement{mat3(1), {0, 0, -0.5f * width}}, radius, width);
  };
  rod(bare, base, 0.17f, 0.05f * scale);
  const Placement column = base * Placement{turn_about(up, angles.yaw), {0, 0, 0.05f * scale}};
  rod(painted, column, 0.10f, foot);
  const Placement shoulder = column * Placement{turn_about(across, angles.shoulder), {0, 0, foot}};
  joint(shoulder, 0.075f);
  rod(painted, shoulder, 0.055f, upper);
  const Placement elbow = shoulder * Placement{turn_about(across, angles.elbow), {0, 0, upper}};
  joint(elbow, 0.06f);
  rod(painted, elbow, 0.045f, fore);
  const Placement wrist = elbow * Placement{turn_about(across, angles.wrist), {0, 0, fore}};
  joint(wrist, 0.045f);
  rod(bare, wrist, 0.03f, hand);
  const Placement tip = wrist * Placement{mat3(1), {0, 0, hand}};
  for (const float side : {-1.0f, 1.0f}) {
    add_placed(scene.mesh, box_around_origin(bare, vec3(0.012f, 0.03f, 0.05f) * scale, 0.03f),
               tip * Placement{mat3(1), {0.088f * side * scale, 0, 0.045f * scale}});
  }
  add_placed(scene.mesh, box_around_origin(bare, vec3(0.10f, 0.03f, 0.012f) * scale, 0.03f), tip);
  const Placement cube = tip * Placement{turn_about(up, 0.3f), {0, 0, 0.085f * scale}};
  add_placed(scene.mesh, box_around_origin(load, vec3(0.07f * scale), 0.035f), cube);
  return cube;
}

}  // namespace mote::synth::moving
