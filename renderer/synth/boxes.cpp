#include "synth/boxes.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "synth/sampling.h"

namespace mote::synth {

void add_panel(Mesh& mesh, const Finish& finish, vec3 corner, vec3 u, vec3 v) {
  const auto parts = [&](vec3 side) {
    return std::max(1, static_cast<int>(std::ceil(glm::length(side) / finish.cell)));
  };
  Patch patch{.columns = parts(u),
              .rows = parts(v),
              .material = finish.material,
              .position = {},
              .texture = finish.texture};
  patch.position = [&](vec2 at) { return corner + at.x * u + at.y * v; };
  add_patch(mesh, patch);
}

void add_box(Mesh& mesh, const Finish& finish, vec3 low, vec3 high) {
  const vec3 size = high - low, x(size.x, 0, 0), y(0, size.y, 0), z(0, 0, size.z);
  add_panel(mesh, finish, low + x, y, z);
  add_panel(mesh, finish, low + y, -y, z);
  add_panel(mesh, finish, high - z, -x, z);
  add_panel(mesh, finish, low, x, z);
  add_panel(mesh, finish, low + z, x, y);
  add_panel(mesh, finish, low + y, x, -y);
}

void add_cushion(Mesh& mesh, std::uint16_t material, vec3 center, vec3 half) {
  Patch patch{.columns = 40,
              .rows = 24,
              .closed_u = true,
              .material = material,
              .position = {},
              .texture = [](vec2, vec3 position) { return position; }};
  patch.position = [=](vec2 uv) {
    const float turn = 2 * kPi * uv.x, rise = kPi * (uv.y - 0.5f);
    const vec3 d(std::cos(rise) * std::cos(turn), std::cos(rise) * std::sin(turn), std::sin(rise));
    const vec3 d2 = d * d, d6 = d2 * d2 * d2;
    return center + half * d / std::pow(d6.x + d6.y + d6.z, 1 / 6.0f);
  };
  add_patch(mesh, patch);
}

}  // namespace mote::synth
