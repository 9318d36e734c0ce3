#include "synth/rigs/scene_motion.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "core/error.h"

namespace mote::synth {
namespace {

constexpr double kInstant_s = 1e-3;  // half of the interval of velocities
/// Surfaces that move faster, world/s, or change their velocity by more within a frame, are taken
/// to vanish at one place and to appear at another.
constexpr float kFastest = 30;

}  // namespace

Scene scene_at(const SceneEntry& entry, double time_s) {
  return entry.make(time_s / entry.unit_s);
}

SceneMotion::SceneMotion(const SceneEntry& entry, double time_s, double frame_s)
    : frame_s_(frame_s),
      before_(scene_at(entry, time_s - kInstant_s).mesh.positions),
      after_(scene_at(entry, time_s + kInstant_s).mesh.positions),
      next_(scene_at(entry, time_s + frame_s).mesh.positions) {
  Mesh mesh = scene_at(entry, time_s).mesh;
  now_ = std::move(mesh.positions);
  triangles_ = std::move(mesh.triangles);
  CHECK(before_.size() == now_.size() && after_.size() == now_.size() &&
        next_.size() == now_.size());
}

vec3 SceneMotion::at(const std::vector<vec3>& positions, const Pixel& pixel) const {
  const auto& corners = triangles_[pixel.triangle];
  return pixel.weights.x * positions[corners[0]] + pixel.weights.y * positions[corners[1]] +
         pixel.weights.z * positions[corners[2]];
}

std::optional<vec3> SceneMotion::velocity(const Pixel& pixel) const {
  const vec3 now = at(now_, pixel);
  const vec3 before = (now - at(before_, pixel)) / static_cast<float>(kInstant_s);
  const vec3 after = (at(after_, pixel) - now) / static_cast<float>(kInstant_s);
  // At a bounce both sides are finite, and the mean is as good as either.
  if (glm::length(before) > kFastest || glm::length(after) > kFastest) return {};
  return 0.5f * (before + after);
}

std::optional<vec3> SceneMotion::next_position(const Pixel& pixel) const {
  const vec3 next = at(next_, pixel);
  if (glm::length(next - at(now_, pixel)) > kFastest * static_cast<float>(frame_s_)) return {};
  return next;
}

std::vector<bool> moving_vertices(const SceneEntry& entry, double first_s, double last_s) {
  constexpr int kMoments = 24;
  constexpr float kStill = 1e-5f;  // world
  const std::vector<vec3> start = scene_at(entry, first_s).mesh.positions;
  std::vector<bool> moves(start.size(), false);
  for (int i = 1; i <= kMoments && last_s > first_s; ++i) {
    const double time_s = first_s + (last_s - first_s) * i / kMoments;
    const std::vector<vec3> later = scene_at(entry, time_s).mesh.positions;
    CHECK(later.size() == start.size());
    for (std::size_t k = 0; k < start.size(); ++k) {
      if (glm::length(later[k] - start[k]) > kStill) moves[k] = true;
    }
  }
  return moves;
}

Scene without_moving(Scene scene, const std::vector<bool>& moves) {
  Mesh& mesh = scene.mesh;
  CHECK(moves.size() == mesh.vertex_count());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (std::ranges::any_of(mesh.triangles[i], [&](std::uint32_t k) { return moves[k]; })) continue;
    mesh.triangles[kept] = mesh.triangles[i];
    mesh.materials[kept++] = mesh.materials[i];
  }
  mesh.triangles.resize(kept);
  mesh.materials.resize(kept);
  return scene;
}

}  // namespace mote::synth
