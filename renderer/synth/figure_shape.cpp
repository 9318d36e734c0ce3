#include "synth/figure_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/vec2.hpp>
#include <utility>

#include "core/error.h"
#include "synth/noise.h"

namespace mote::synth {
namespace {

using glm::vec2;
using glm::vec3;

constexpr float kFar = 1e3f;

/// The smaller value, with a smooth transition where the two differ by less than `width`.
float smooth_minimum(float a, float b, float width) {
  const float near = std::max(width - std::abs(a - b), 0.0f) / width;
  return std::min(a, b) - 0.25f * width * near * near;
}

/// The numbers of a cell and its 26 neighbours, x + 3 y + 9 z: those with a common side first, then
/// those with a common edge.
constexpr std::array<int, 27> kCellsAround{13, 4,  10, 12, 14, 16, 22, 1, 3, 5,  7,  9,  11, 15,
                                           17, 19, 21, 23, 25, 0,  2,  6, 8, 18, 20, 24, 26};

/// Difference of the distances to the two nearest points of a jittered lattice of cell size one: 0
/// between two cells. It is continuous, in contrast to distance_to_crack(): distances end where
/// points beyond the neighbouring cells begin. Cells whose point cannot be one of the two are
/// skipped.
float cell_depth(vec3 p) {
  constexpr float kJitter = 0.8f, kEnd = 1.5f - 0.5f * kJitter;
  // The range of a point in its cell, per axis.
  constexpr float kLow = 0.5f - 0.5f * kJitter, kHigh = 0.5f + 0.5f * kJitter;
  constexpr float kRounding = 1e-3f;  // more than that of squared distances
  const vec3 floor = glm::floor(p), inside = p - floor;
  const glm::ivec3 cell(floor);
  vec3 gaps[3];  // squared, per axis: from p to where a cell before, at or behind p has its point
  for (int k = 0; k < 3; ++k) {
    const float at = static_cast<float>(k - 1);
    const vec3 gap = glm::max(glm::max(at + kLow - inside, inside - (at + kHigh)), vec3(0));
    gaps[k] = gap * gap;
  }
  float nearest = kEnd, second = kEnd;
  for (const int i : kCellsAround) {
    const int x = i % 3, y = i / 3 % 3, z = i / 9;
    if (gaps[x].x + gaps[y].y + gaps[z].z > second * second + kRounding) continue;
    const glm::ivec3 at = cell + glm::ivec3(x - 1, y - 1, z - 1);
    const vec3 point = vec3(at) + 0.5f + kJitter * (hash(at) - 0.5f);
    const float distance = glm::distance(point, p);
    second = std::min(second, std::max(nearest, distance));
    nearest = std::min(nearest, distance);
  }
  return second - nearest;
}

/// Bumps of the size 1 between cracks: 0 in a crack, 1 in the middle of a bump.
float bumps(vec3 p, float crack) {
  return glm::smoothstep(0.0f, crack, cell_depth(p));
}

// Reliefs, world units outwards.

float skin_relief(vec3 p, vec3 grain) {
  return 0.008f * bumps(p * 21.0f + grain, 0.5f) +
         0.004f * (fractal_noise(p * 30.0f + grain) - 0.5f);
}

float belly_relief(vec3 p, vec3 grain) {
  const float bend = 0.6f * noise(p * 5.0f + grain) + 3.0f * p.x * p.x;
  const float band = std::abs(std::sin(34 * p.z + 2 * bend));
  const float front = glm::smoothstep(0.04f, -0.10f, p.y);
  return glm::mix(skin_relief(p, grain),
                  0.013f * std::sqrt(band) + 0.004f * (fractal_noise(p * 36.0f + grain) - 0.5f),
                  front);
}

/// Large plates, each with rings of growth and small grains.
float shell_relief(vec3 p, vec3 grain) {
  constexpr float kRings = 2 * 3.14159265f * 4;
  const float inwards = 0.5f * cell_depth(p * 7.5f + grain);
  const float plate = glm::smoothstep(0.0f, 0.40f, inwards);
  return 0.024f * plate + 0.0012f * std::cos(kRings * inwards) * plate +
         0.0022f * bumps(p * 36.0f + grain, 0.6f);
}

float ring_relief(vec3 p, vec3 grain) {
  const float along = glm::length(p - vec3(0, 0.1f, 0.6f));
  return 0.010f * std::sqrt(std::abs(std::sin(42 * along))) +
         0.005f * (fractal_noise(p * 30.0f + grain) - 0.5f);
}

float horn_relief(vec3 p, vec3 grain) {
  return 0.0015f * (fractal_noise(p * 40.0f + grain) - 0.5f);
}

}  // namespace

FigureShape::FigureShape(std::uint32_t seed)
    : grain_(64.0f * hash(glm::ivec3(static_cast<int>(seed), 3, 7))) {
  add_torso();
  add_shell();
  add_head();
  add_limbs();
  add_tail();
  groups_.push_back({std::move(claws_), 0.012f, horn_relief});
  CHECK(groups_.size() == kGroups);
}

float FigureShape::value(vec3 p) const {
  // Beyond this distance, relief and transitions cannot reach the surface.
  constexpr float kBand = 0.16f;
  // Where two groups meet, both are smooth; else their reliefs would leave tunnels between them.
  constexpr float kMeeting = 0.05f;
  const Distances rough = distances(p);
  Distances raised = rough;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (std::abs(rough[i]) > kBand) continue;
    float others = kFar;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (k != i) others = std::min(others, rough[k]);
    }
    const float share = glm::smoothstep(0.0f, kMeeting, others - rough[i]);
    if (share > 0) raised[i] -= share * groups_[i].relief(p, grain_);
  }
  return joined(raised);
}

float FigureShape::smooth_value(vec3 p) const {
  return joined(distances(p));
}

FigureShape::Distances FigureShape::distances(vec3 p) const {
  Distances result{};
  for (std::size_t i = 0; i < groups_.size(); ++i) result[i] = distance(groups_[i], p);
  return result;
}

float FigureShape::joined(const Distances& distances) const {
  float result = kFar;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    result = smooth_minimum(result, distances[i], groups_[i].blend);
  }
  return result;
}

float FigureShape::distance(const Group& group, vec3 p) {
  float result = kFar;
  for (const Part& part : group.parts) {
    result = smooth_minimum(result, distance(part, p), part.blend);
  }
  return result;
}

float FigureShape::distance(const Part& part, vec3 p) {
  if (!part.is_cone) {
    const vec3 from = p - part.a;
    const float inside = glm::length(from / part.size);
    const float slope = glm::length(from / (part.size * part.size));
    const float least = std::min({part.size.x, part.size.y, part.size.z});
    return slope > 0 ? inside * (inside - 1) / slope : -least;
  }
  const vec3 axis = part.b - part.a, from = p - part.a;
  const float length2 = glm::dot(axis, axis), length = std::sqrt(length2);
  const float shrinks = part.size.x - part.size.y;
  const float along = glm::dot(from, axis) / length;
  const float across = glm::length(from - axis * (along / length));
  // The nearest point of the axis is shifted towards the wider end.
  const float lean = shrinks / std::sqrt(std::max(length2 - shrinks * shrinks, 1e-12f));
  const float at = std::clamp((along - across * lean) / length, 0.0f, 1.0f);
  return glm::length(from - at * axis) - glm::mix(part.size.x, part.size.y, at);
}

void FigureShape::add_torso() {
  groups_.push_back({{ellipsoid({0, 0.02f, 0.63f}, {0.25f, 0.21f, 0.22f}),
                      ellipsoid({0, -0.04f, 0.82f}, {0.27f, 0.24f, 0.26f}, 0.12f),
                      ellipsoid({0, 0.0f, 1.07f}, {0.29f, 0.20f, 0.21f}, 0.12f)},
                     0.02f,
                     belly_relief});
}

void FigureShape::add_shell() {
  Group shell{{ellipsoid({0, 0.10f, 0.98f}, {0.32f, 0.25f, 0.36f})}, 0.03f, shell_relief};
  // A row of horns along the back.
  constexpr std::array<vec2, 5> kRidge{
      {{0.21f, 1.27f}, {0.30f, 1.14f}, {0.34f, 0.98f}, {0.31f, 0.82f}, {0.23f, 0.68f}}};
  for (const vec2 at : kRidge) {
    const vec3 base(0, at.x - 0.02f, at.y), middle(0, 0.10f, 0.98f);
    const vec3 out = glm::normalize((base - middle) * vec3(1, 1.4f, 0.8f));
    shell.parts.push_back(cone(base, base + 0.13f * out, 0.055f, 0.012f, 0.05f));
  }
  groups_.push_back(std::move(shell));
}

void FigureShape::add_head() {
  Group head{{cone({0, -0.02f, 1.18f}, {0, -0.11f, 1.38f}, 0.145f, 0.115f),
              ellipsoid({0, -0.15f, 1.50f}, {0.145f, 0.165f, 0.135f}),
              cone({0, -0.24f, 1.475f}, {0, -0.50f, 1.42f}, 0.092f, 0.045f, 0.06f),
              cone({0, -0.20f, 1.40f}, {0, -0.42f, 1.315f}, 0.070f, 0.032f, 0.02f)},
             0.05f,
             skin_relief};
  Group smooth{{ellipsoid({0, -0.535f, 1.435f}, {0.036f, 0.026f, 0.026f})}, 0.008f, horn_relief};
  for (const float side : {-1.0f, 1.0f}) {
    // Brow, ear, cheek.
    head.parts.push_back(cone({side * 0.045f, -0.29f, 1.575f}, {side * 0.125f, -0.20f, 1.58f},
                              0.026f, 0.030f, 0.03f));
    head.parts.push_back(
        cone({side * 0.10f, -0.09f, 1.57f}, {side * 0.19f, -0.03f, 1.74f}, 0.050f, 0.052f, 0.04f));
    head.parts.push_back(
        cone({side * 0.19f, -0.03f, 1.74f}, {side * 0.23f, 0.01f, 1.85f}, 0.052f, 0.014f, 0.04f));
    head.parts.push_back(ellipsoid({side * 0.10f, -0.20f, 1.45f}, {0.055f, 0.07f, 0.05f}, 0.04f));
    smooth.parts.push_back(ellipsoid({side * 0.088f, -0.268f, 1.525f}, vec3(0.034f), 0.002f));
    // Horns of the snout.
    smooth.parts.push_back(cone({side * 0.028f, -0.43f, 1.47f}, {side * 0.035f, -0.46f, 1.545f},
                                0.021f, 0.008f, 0.002f));
  }
  groups_.push_back(std::move(head));
  groups_.push_back(std::move(smooth));
}

void FigureShape::add_hand(vec3 wrist, vec3 forward, vec3 across) {
  Group& limbs = groups_.back();
  const vec3 palm = wrist + 0.075f * forward;
  limbs.parts.push_back(cone(wrist, palm, 0.055f, 0.062f));
  for (int finger = 0; finger < 4; ++finger) {
    const float spread = static_cast<float>(finger) - 1.5f;
    const vec3 out = glm::normalize(forward + 0.36f * spread * across);
    const vec3 knuckle = palm + 0.030f * spread * across + 0.035f * out;
    const vec3 tip = knuckle + 0.088f * out;
    limbs.parts.push_back(cone(knuckle, tip, 0.025f, 0.020f, 0.016f));
    claws_.push_back(cone(tip, tip + 0.07f * out - vec3(0, 0, 0.015f), 0.020f, 0.008f, 0.002f));
  }
}

void FigureShape::add_foot(float side) {
  Group& limbs = groups_.back();
  const vec3 ankle(side * 0.24f, 0.02f, 0.11f), ball(side * 0.27f, -0.17f, 0.055f);
  limbs.parts.push_back(cone(ankle, ball, 0.075f, 0.062f));
  limbs.parts.push_back(cone(ankle, {side * 0.23f, 0.08f, 0.05f}, 0.07f, 0.055f));
  for (int toe = 0; toe < 3; ++toe) {
    const float spread = static_cast<float>(toe) - 1;
    const vec3 out = glm::normalize(vec3(side * 0.12f + 0.32f * spread, -1, -0.05f));
    const vec3 root = ball + vec3(0.045f * spread, -0.02f, -0.008f), tip = root + 0.085f * out;
    limbs.parts.push_back(cone(root, tip, 0.036f, 0.030f, 0.02f));
    claws_.push_back(cone(tip, tip + 0.085f * out - vec3(0, 0, 0.012f), 0.026f, 0.009f, 0.002f));
  }
}

void FigureShape::add_limbs() {
  groups_.push_back({{}, 0.06f, skin_relief});
  const auto chain = [&](std::initializer_list<std::pair<vec3, float>> joints) {
    const auto* from = joints.begin();
    for (const auto* to = from + 1; to != joints.end(); from = to++) {
      groups_.back().parts.push_back(cone(from->first, to->first, from->second, to->second));
    }
  };
  for (const float side : {-1.0f, 1.0f}) {
    chain({{{side * 0.15f, 0, 0.58f}, 0.150f},
           {{side * 0.24f, -0.10f, 0.36f}, 0.105f},
           {{side * 0.24f, 0.02f, 0.11f}, 0.070f}});
    add_foot(side);
  }
  // The right arm bends forwards, the left one is raised.
  chain({{{0.27f, -0.01f, 1.13f}, 0.105f},
         {{0.50f, -0.04f, 0.97f}, 0.080f},
         {{0.61f, -0.27f, 1.04f}, 0.055f}});
  add_hand({0.61f, -0.27f, 1.04f}, glm::normalize(vec3(0.25f, -0.85f, 0.35f)),
           glm::normalize(vec3(0.9f, 0.3f, 0.1f)));
  chain({{{-0.27f, -0.01f, 1.13f}, 0.105f},
         {{-0.54f, 0.0f, 1.10f}, 0.080f},
         {{-0.63f, -0.12f, 1.36f}, 0.055f}});
  add_hand({-0.63f, -0.12f, 1.36f}, glm::normalize(vec3(-0.10f, -0.30f, 0.95f)),
           glm::normalize(vec3(1.0f, 0.1f, 0.1f)));
}

void FigureShape::add_tail() {
  constexpr std::array<vec3, 6> kTail{{{0, 0.14f, 0.58f},
                                       {0, 0.38f, 0.42f},
                                       {0.06f, 0.60f, 0.30f},
                                       {0.19f, 0.80f, 0.27f},
                                       {0.33f, 0.93f, 0.34f},
                                       {0.38f, 0.96f, 0.48f}}};
  constexpr std::array<float, 6> kRadius{0.15f, 0.105f, 0.08f, 0.058f, 0.038f, 0.016f};
  Group tail{{}, 0.08f, ring_relief};
  for (std::size_t i = 0; i + 1 < kTail.size(); ++i) {
    tail.parts.push_back(cone(kTail[i], kTail[i + 1], kRadius[i], kRadius[i + 1], 0.02f));
  }
  groups_.push_back(std::move(tail));
}

}  // namespace mote::synth
