#pragma once

#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <optional>
#include <vector>

namespace mote::still_life {

using glm::vec3;

/// Converts from the scene's axes (y up) to those of splat files (y down).
inline vec3 to_world(vec3 v) {
  return {v.x, -v.y, -v.z};
}

/// Material at a point of a surface.
struct Material {
  vec3 albedo{0.5f};       // diffuse reflectance, or the mirror colour of a metal; linear
  float roughness = 0.5f;  // GGX alpha
  float specular = 0;      // reflectance at normal incidence; 0 is purely diffuse
  bool metal = false;
  float opacity = 1;
};

/// One solid. World units are about metres, y up.
struct Part {
  vec3 lower{0}, upper{0};                 // bounds of the surface
  std::function<float(vec3)> distance;     // signed, a lower bound outside
  std::function<Material(vec3)> material;  // at a surface point
  std::function<float(vec3)> spacing;      // target distance between splats
};

struct Hit {
  std::size_t part;
  vec3 position;
};

/// The bundled scene as solids with signed distances: a knot of glazed ceramic with gold veins on a
/// walnut pedestal, a potted plant, spheres and a block, on a round tiled floor.
class StillLife {
 public:
  /// `detail` 1 is the density of the bundled splats; 0.5 doubles the spacing.
  explicit StillLife(float detail);

  const std::vector<Part>& parts() const { return parts_; }
  /// The first intersection of a ray with a solid, by sphere tracing. Ignores the fading rim of the
  /// floor.
  std::optional<Hit> first_hit(vec3 origin, vec3 direction) const;

 private:
  void add(vec3 lower, vec3 upper, float spacing, std::function<float(vec3)> distance,
           std::function<Material(vec3)> material);
  void add_floor();
  void add_pedestal();
  void add_knot();
  void add_plant(vec3 foot);
  void add_spheres_and_block();

  float detail_;
  std::vector<Part> parts_;
};

/// A surface point that becomes one splat.
struct Sample {
  vec3 position, normal;
  std::size_t part;
  float spacing;
};

/// Points on all visible surfaces. Points of a solid are at least its spacing apart (dart
/// throwing).
std::vector<Sample> scatter(const StillLife& scene, std::uint32_t seed);

}  // namespace mote::still_life
