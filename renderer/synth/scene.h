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

/// The material at one point. Colours are linear.
struct Surface {
  vec3 albedo{0.5f};       // colour of the diffuse part, or of the metal
  float specular = 0;      // reflectance of the clear coat at normal incidence; 0: no coat
  float roughness = 0.3f;  // GGX alpha of coat or metal
  bool metal = false;      // has no diffuse part
  float backdrop = 0;      // fraction of the visible light that is the backdrop's own
  vec3 emission{0};        // radiance that the surface sends by itself
};

/// Evaluates the surface at the mesh's texture coordinates.
using Material = std::function<Surface(vec3 texture)>;

/// A rectangle that shines to the side of cross(half_u, half_v). Visible in reflections but not to
/// cameras.
struct AreaLight {
  vec3 center{0}, half_u{1, 0, 0}, half_v{0, 1, 0};
  vec3 radiance{0};
};

/// A scene in a studio: floor and dome are the backdrop, everything else is the object.
struct Scene {
  Mesh mesh;
  std::vector<Material> materials;
  std::size_t backdrop_materials = 0;  // number of leading materials that belong to the backdrop
  AreaLight key;
  /// Radiance of the surroundings by unit direction. `blur`: GGX alpha of the reflecting surface.
  std::function<vec3(vec3 direction, float blur)> dome;
  float exposure = 1;

  vec3 target{0};                         // cameras look at points near this
  float distance = 3;                     // approximate distance of the cameras
  float low_rad = 0.1f, high_rad = 1.1f;  // range of the cameras' elevation
  /// Cameras stand within `distance` of the target and look away from it, in directions with
  /// elevations of that range.
  bool looks_outwards = false;
  double field_of_view_rad = 0.73;  // across the width of a 4:3 picture
  /// Cameras of an arc stand at azimuths around this one, with directions that span `arc_rad`.
  float front_rad = -1.57f, arc_rad = 2.09f;
  bool front_only = false;  // walls hide it from elsewhere, so that a dome keeps to that span
  int soft_rays = 1;        // factor on the rays of the gathering of light, for small lights

  std::uint16_t add_material(Material material) {
    materials.push_back(std::move(material));
    return static_cast<std::uint16_t>(materials.size() - 1);
  }
  bool is_object(std::uint32_t triangle) const {
    return mesh.materials[triangle] >= backdrop_materials;
  }
};

/// A named scene. A moving scene is a function of the time, which is 0 to 1 in datasets of single
/// views and goes on in videos. Its triangles and their order do not depend on the time.
struct SceneEntry {
  std::string_view name, summary;
  bool moves;
  Scene (*make)(double time);
  double unit_s = 1;  // seconds that a time of 1 stands for in videos
};

std::span<const SceneEntry* const> scenes();

/// Throws UsageError, which lists the known names, for an unknown name.
const SceneEntry& scene_named(std::string_view name);

}  // namespace mote::synth
