#include "synth/shapes.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "core/error.h"
#include "synth/sampling.h"

namespace mote::synth {
namespace {

template <class Vector>
Vector spline_at(const std::vector<Vector>& points, float t) {
  CHECK(points.size() >= 2);
  const auto last = static_cast<int>(points.size()) - 1;
  const float along = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(last);
  const int segment = std::min(static_cast<int>(along), last - 1);
  const float f = along - static_cast<float>(segment);
  const auto at = [&](int i) { return points[static_cast<std::size_t>(std::clamp(i, 0, last))]; };
  const Vector a = at(segment - 1), b = at(segment), c = at(segment + 1), d = at(segment + 2);
  return 0.5f * (2.0f * b + f * (c - a) + f * f * (2.0f * a - 5.0f * b + 4.0f * c - d) +
                 f * f * f * (3.0f * b - a - 3.0f * c + d));
}

Patch patch_of(const Tessellation& cut) {
  return {.columns = cut.columns,
          .rows = cut.rows,
          .closed_u = true,
          .material = cut.material,
          .position = {},
          .texture = cut.texture};
}

}  // namespace

vec2 curve_at(const std::vector<vec2>& points, float t) {
  return spline_at(points, t);
}

vec3 curve_at(const std::vector<vec3>& points, float t) {
  return spline_at(points, t);
}

void add_turned(Mesh& mesh, const Tessellation& cut, vec3 center, std::vector<vec2> profile) {
  Patch patch = patch_of(cut);
  patch.position = [center, profile = std::move(profile)](vec2 uv) {
    const vec2 at = curve_at(profile, uv.y);
    const float angle = 2 * kPi * uv.x, radius = std::max(at.x, 0.0f);
    return center + vec3(radius * std::cos(angle), radius * std::sin(angle), at.y);
  };
  add_patch(mesh, patch);
}

void add_tube(Mesh& mesh, const Tessellation& cut, const Tube& tube) {
  Patch patch = patch_of(cut);
  patch.closed_v = tube.closed;
  patch.position = [&tube](vec2 uv) {
    constexpr float kStep = 1e-3f;
    const vec3 tangent = glm::normalize(tube.path(uv.y + kStep) - tube.path(uv.y - kStep));
    const vec3 across = glm::normalize(glm::cross(tangent, tube.reference));
    const vec3 along = glm::cross(across, tangent);
    const float angle = 2 * kPi * uv.x;
    return tube.path(uv.y) + tube.radius(uv.y) * (tube.section.x * std::cos(angle) * along +
                                                  tube.section.y * std::sin(angle) * across);
  };
  add_patch(mesh, patch);
}

void add_blob(Mesh& mesh, const Tessellation& cut, const Blob& blob) {
  Patch patch = patch_of(cut);
  const Frame3 frame(blob.axis);
  patch.position = [&blob, frame](vec2 uv) {
    const float turn = 2 * kPi * uv.x, rise = kPi * (uv.y - 0.5f);
    const vec3 direction(std::cos(rise) * std::cos(turn), std::cos(rise) * std::sin(turn),
                         std::sin(rise));
    const float swell = blob.swell ? blob.swell(direction) : 1;
    return blob.center + frame(direction * vec3(1, 1, blob.stretch)) * (swell * blob.radius);
  };
  add_patch(mesh, patch);
}

void add_leaf(Mesh& mesh, const Tessellation& cut, const Leaf& leaf) {
  constexpr float kThickness = 0.012f;  // relative to the length
  Patch patch = patch_of(cut);
  const vec3 direction = glm::normalize(leaf.direction);
  const vec3 side = glm::normalize(glm::cross(leaf.up, direction));
  const vec3 up = glm::cross(direction, side);
  patch.position = [&leaf, direction, side, up](vec2 uv) {
    const float v = uv.y, angle = 2 * kPi * uv.x;
    const float outline = std::pow(std::max(std::sin(kPi * v), 0.0f), leaf.roundness);
    const float x = std::cos(angle) * outline;  // -1 to 1 across
    const float z = std::sin(angle) * outline * kThickness * leaf.length +
                    x * x * leaf.fold * leaf.length - v * v * leaf.bend * leaf.length;
    return leaf.base + direction * (v * leaf.length) + side * (0.5f * x * leaf.width) + up * z;
  };
  add_patch(mesh, patch);
}

}  // namespace mote::synth
