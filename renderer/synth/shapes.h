#pragma once

#include <functional>
#include <vector>

#include "synth/mesh.h"

// Surfaces from which scenes are built. Axes: z up. All face outwards.

namespace mote::synth {

using Texture = std::function<vec3(vec2 uv, vec3 position)>;

/// The resolution and material of a shape in the mesh.
struct Tessellation {
  int columns, rows;
  std::uint16_t material;
  Texture texture = {};  // (u, v, 0) if empty
};

/// A smooth curve through `points` (Catmull and Rom, 1974) at t in 0..1. A repeated point makes a
/// corner.
vec2 curve_at(const std::vector<vec2>& points, float t);
vec3 curve_at(const std::vector<vec3>& points, float t);

/// A solid of revolution about the vertical through `center`. `profile`: radius and height from the
/// bottom up along the outside. u runs around, v along the profile.
void add_turned(Mesh& mesh, const Tessellation& cut, vec3 center, std::vector<vec2> profile);

struct Tube {
  std::function<vec3(float t)> path;  // t in 0..1
  std::function<float(float t)> radius;
  vec3 reference{0, 0, 1};  // not parallel to the path
  vec2 section{1, 1};       // factors on the radius: along and across the reference
  bool closed = false;      // the end joins the start
};
/// u runs around the tube, v along it.
void add_tube(Mesh& mesh, const Tessellation& cut, const Tube& tube);

/// An ellipsoid with poles along `axis`. `swell`: factor on a point's distance from the center, as
/// a function of its unit direction in a frame with z along the axis.
struct Blob {
  vec3 center{0};
  float radius = 1, stretch = 1;  // across the axis, and its factor along the axis
  vec3 axis{0, 0, 1};
  std::function<float(vec3 direction)> swell = {};
};
void add_blob(Mesh& mesh, const Tessellation& cut, const Blob& blob);

/// A thin leaf from `base` along `direction`, with its face towards `up`. `bend` lowers the tip and
/// `fold` raises the edges, both relative to the length.
struct Leaf {
  vec3 base{0}, direction{1, 0, 0}, up{0, 0, 1};
  float length = 1, width = 0.4f, bend = 0.1f, fold = 0.1f;
  float roundness = 0.8f;  // exponent of the outline: small is round, large is pointed
};
/// v runs from the base to the tip, u around the edge.
void add_leaf(Mesh& mesh, const Tessellation& cut, const Leaf& leaf);

}  // namespace mote::synth
