#include "synth/scenes/drops.h"

#include <cmath>
#include <glm/geometric.hpp>

#include "core/random.h"
#include "synth/moving_parts.h"
#include "synth/sampling.h"
#include "synth/shapes.h"

namespace mote::synth::moving {

void add_drops(Scene& scene, std::uint16_t material, const Spout& spout, float time_s) {
  constexpr float kGravity = 4.0f;  // world/s^2; scenes are smaller than life
  Mesh drop;
  // Its area must not come near the least area of a triangle.
  add_blob(drop, {4, 2, material, [](vec2, vec3 position) { return position; }},
           {.radius = 1.0f, .stretch = 1.3f});
  Random random(spout.seed, 17);
  const auto between = [&](double a, double b) { return static_cast<float>(random.uniform(a, b)); };
  for (int i = 0; i < spout.drops; ++i) {
    const vec3 v =
        spout.velocity + spout.spread * vec3(between(-1, 1), between(-1, 1), between(-1, 1));
    const float start = between(0, 1), size = spout.radius * between(0.6, 1.3);
    const float fall = spout.place.z - spout.floor;
    const float lasts = (v.z + std::sqrt(v.z * v.z + 2 * kGravity * fall)) / kGravity;
    const float turns = time_s / lasts + start;
    const float age = lasts * (turns - std::floor(turns));
    const vec3 velocity = v - vec3(0, 0, kGravity * age);
    const vec3 place = spout.place + v * age - vec3(0, 0, 0.5f * kGravity * age * age);
    const Frame3 along(glm::normalize(velocity));
    add_placed(scene.mesh, drop, {mat3(along.x, along.y, along.z) * size, place});
  }
  // Placements scale by their matrix, which leaves normals of another length.
  for (std::size_t k =
           scene.mesh.normals.size() - static_cast<std::size_t>(spout.drops) * drop.vertex_count();
       k < scene.mesh.normals.size(); ++k) {
    scene.mesh.normals[k] = glm::normalize(scene.mesh.normals[k]);
  }
}

}  // namespace mote::synth::moving
