#pragma once

#include "synth/moving_parts.h"
#include "synth/scene.h"

namespace mote::synth::moving {

/// Adds the studio and a round table of planks with its top at height 0. Must precede all else.
void add_table_in_studio(Scene& scene);

/// A plain tube along z from the origin, with closed ends.
Mesh rod_along_z(std::uint16_t material, float radius, float length);
Mesh ball_at_origin(std::uint16_t material, float radius, int rows);
Mesh box_around_origin(std::uint16_t material, vec3 half, float cell = 0.08f);

/// Adds a robot arm with four joints on its base, which carries a cube. It moves with the time and
/// repeats itself after 14 s. Returns the place of the cube.
Placement add_robot_arm(Scene& scene, const Placement& base, float scale, float time_s);

}  // namespace mote::synth::moving
