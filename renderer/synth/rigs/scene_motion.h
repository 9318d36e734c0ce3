#pragma once

#include <optional>
#include <vector>

#include "synth/path_tracer.h"
#include "synth/scene.h"

namespace mote::synth {

/// A scene at a time in seconds.
Scene scene_at(const SceneEntry& entry, double time_s);

/// The motion of all surfaces of a scene at one moment.
class SceneMotion {
 public:
  /// `frame_s`: time until the next frame.
  SceneMotion(const SceneEntry& entry, double time_s, double frame_s);

  /// The velocity of a pixel's surface, world/s; empty where it appears or vanishes at this moment.
  std::optional<vec3> velocity(const Pixel& pixel) const;
  /// The position of a pixel's surface in the next frame; empty where it does not move there but
  /// vanishes on the way.
  std::optional<vec3> next_position(const Pixel& pixel) const;

 private:
  vec3 at(const std::vector<vec3>& positions, const Pixel& pixel) const;

  double frame_s_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<vec3> before_, now_, after_, next_;  // positions of the vertices
};

/// For each vertex, whether it moves at any time from `first_s` to `last_s`.
std::vector<bool> moving_vertices(const SceneEntry& entry, double first_s, double last_s);

/// The scene without the triangles that have a moving vertex.
Scene without_moving(Scene scene, const std::vector<bool>& moves);

}  // namespace mote::synth
