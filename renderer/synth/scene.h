#pragma once

#include <functional>
#include <glm/vec3.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "synth/mesh.h"

namespace mote::synth {

/// What a material is at one point. Colours are linear.
struct Surface {
  vec3 albedo{0.5f};       // of the diffuse part, or of the metal
  float specular = 0;      // reflectance of the clear coat along the normal; 0 has no coat
  float roughness = 0.3f;  // GGX alpha of coat or metal
  bool metal = false;      // has no diffuse part
  float backdrop = 0;      // share of what is seen here that is the backdrop's own light
};

/// Looks a surface up by the texture coordinates that the mesh has there.
using Material = std::function<Surface(vec3 texture)>;

/// A rectangle that shines to the side of cross(half_u, half_v). Cameras do not see it, reflections
/// do.
struct AreaLight {
  vec3 center{0}, half_u{1, 0, 0}, half_v{0, 1, 0};
  vec3 radiance{0};
};

/// Something to look at in a studio: floor and dome belong to the backdrop, all else to the object.
struct Scene {
  Mesh mesh;
  std::vector<Material> materials;
  std::size_t backdrop_materials = 0;  // the first so many belong to the backdrop
  AreaLight key;
  /// Radiance from all around, by unit direction; `blur` is the GGX alpha of what reflects it.
  std::function<vec3(vec3 direction, float blur)> dome;
  float exposure = 1;

  vec3 target{0};                         // cameras look about here
  float distance = 3;                     // and stand about so far away
  float low_rad = 0.1f, high_rad = 1.1f;  // at elevations in between

  std::uint16_t add_material(Material material) {
    materials.push_back(std::move(material));
    return static_cast<std::uint16_t>(materials.size() - 1);
  }
  bool is_object(std::uint32_t triangle) const {
    return mesh.materials[triangle] >= backdrop_materials;
  }
};

/// A scene by name. What moves is a function of the time, 0 to 1.
struct SceneEntry {
  std::string_view name, summary;
  bool moves;
  Scene (*make)(double time);
};

std::span<const SceneEntry* const> scenes();

/// Throws UsageError, with the names that there are, where there is none of that name.
const SceneEntry& scene_named(std::string_view name);

}  // namespace mote::synth
