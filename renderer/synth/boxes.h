#pragma once

#include <cstdint>

#include "synth/mesh.h"
#include "synth/shapes.h"

// Rectangles, boxes and cushions, for rooms and furniture.

namespace mote::synth {

/// A material with its texture coordinates in the mesh, and the greatest side of its quads, world.
struct Finish {
  std::uint16_t material;
  float cell = 0.08f;
  Texture texture = [](vec2, vec3 position) { return position; };
};

/// A rectangle from `corner` along u and v, with its front towards cross(u, v).
void add_panel(Mesh& mesh, const Finish& finish, vec3 corner, vec3 u, vec3 v);

void add_box(Mesh& mesh, const Finish& finish, vec3 low, vec3 high);

/// A box with round edges; its texture coordinates are positions.
void add_cushion(Mesh& mesh, std::uint16_t material, vec3 center, vec3 half);

}  // namespace mote::synth
