#pragma once

#include <cstdint>

#include "synth/scene.h"

namespace mote::synth::moving {

/// Drops that fly from a spout and fall until they are gone, again and again.
struct Spout {
  vec3 place{0}, velocity{0, 0, 1};  // world, world/s
  float spread = 0.2f;               // of the velocities, world/s
  float floor = 0;                   // height at which a drop is gone
  int drops = 1000;
  float radius = 0.012f;
  std::uint32_t seed = 1;
};

/// Each drop has eight triangles.
void add_drops(Scene& scene, std::uint16_t material, const Spout& spout, float time_s);

}  // namespace mote::synth::moving
