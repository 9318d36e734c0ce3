#include "synth/studio.h"

#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "core/error.h"
#include "synth/sampling.h"
#include "synth/shapes.h"

namespace mote::synth {
namespace {

constexpr float kDomeRadius = 7;
// Range of radii over which the floor fades.
constexpr float kFloorFades = 2.6f, kFloorFaded = 5.5f;

}  // namespace

void add_studio(Scene& scene, const Studio& studio) {
  CHECK(scene.materials.empty());
  scene.dome = [studio](vec3 direction, float blur) {
    const auto above = [soft = 0.8f * blur](float low, float high, float value) {
      return glm::smoothstep(low - soft, high + soft, value);
    };
    vec3 radiance = glm::mix(studio.horizon, studio.zenith, above(0.0f, 0.75f, direction.z));
    radiance += studio.overhead * above(0.78f, 0.92f, direction.z);
    const vec3 away = glm::normalize(vec3(-studio.key_position.x, -studio.key_position.y, 0));
    const float beside = glm::dot(glm::normalize(vec3(direction.x, direction.y, 1e-6f)), away);
    radiance += studio.fill * above(0.80f, 0.90f, beside) * above(0.42f, 0.52f, direction.z) *
                (1 - above(0.70f, 0.78f, direction.z));
    return radiance;
  };
  const float height = studio.floor_height;
  const auto floor = scene.add_material([studio](vec3 p) {
    const float radius = glm::length(vec2(p.x, p.y));
    return Surface{.albedo = studio.floor_albedo,
                   .backdrop = glm::smoothstep(kFloorFades, kFloorFaded, radius)};
  });
  const auto dome = scene.add_material([](vec3) { return Surface{.backdrop = 1}; });
  scene.backdrop_materials = scene.materials.size();

  const Texture here = [](vec2, vec3 position) { return position; };
  // Reversed orientation, so that the dome faces inwards and the floor upwards: from the rim to the
  // middle.
  Patch patch{.columns = 128,
              .rows = 48,
              .closed_u = true,
              .material = floor,
              .position = {},
              .texture = here};
  patch.position = [height](vec2 uv) {
    const float radius = kDomeRadius * std::pow(1 - uv.y, 1.8f), angle = 2 * kPi * uv.x;
    return vec3(radius * std::cos(angle), radius * std::sin(angle), height);
  };
  add_patch(scene.mesh, patch);
  patch.columns = 64;
  patch.rows = 16;
  patch.material = dome;
  patch.position = [height](vec2 uv) {
    const float rise = 0.5f * kPi * (1 - uv.y), angle = 2 * kPi * uv.x;
    return vec3(0, 0, height) + kDomeRadius * vec3(std::cos(rise) * std::cos(angle),
                                                   std::cos(rise) * std::sin(angle),
                                                   std::sin(rise));
  };
  add_patch(scene.mesh, patch);

  const vec3 towards = glm::normalize(scene.target - studio.key_position);
  const Frame3 frame(towards);
  scene.key = {.center = studio.key_position,
               .half_u = frame.x * (0.5f * studio.key_size),
               .half_v = frame.y * (0.5f * studio.key_size),
               .radiance = studio.key_radiance};
}

}  // namespace mote::synth
