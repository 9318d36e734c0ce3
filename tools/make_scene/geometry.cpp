// The solids of the bundled scene and the points on them. Distances of primitive shapes follow
// Inigo Quilez, "Distance functions".
#include "geometry.h"

#include <algorithm>
#include <array>
#include <glm/ext/quaternion_common.hpp>
#include <glm/ext/quaternion_float.hpp>
#include <glm/ext/quaternion_trigonometric.hpp>
#include <glm/gtc/constants.hpp>
#include <glm/vector_relational.hpp>
#include <memory>
#include <random>
#include <unordered_map>

#include "core/error.h"
#include "synth/noise.h"

namespace mote::still_life {
namespace {

using glm::vec2;
using synth::distance_to_crack;
using synth::fractal_noise;
using synth::hash;
using synth::noise;

constexpr std::size_t kMaxParts = 64;
constexpr float kFloorRadius = 2.35f;
constexpr float kKnotRadius = 0.165f;

float ellipsoid(vec3 p, vec3 radii) {
  const float k0 = glm::length(p / radii), k1 = glm::length(p / (radii * radii));
  return k1 > 0 ? k0 * (k0 - 1) / k1 : -std::min({radii.x, radii.y, radii.z});
}

float rounded_box(vec3 p, vec3 half, float rounding) {
  const vec3 q = glm::abs(p) - half + rounding;
  return glm::length(glm::max(q, 0.0f)) + std::min(std::max({q.x, q.y, q.z}), 0.0f) - rounding;
}

/// A cylinder around y between two heights, with linearly varying radius and rounded edges.
float turned(vec3 p, float y_low, float y_high, float r_low, float r_high, float rounding) {
  const float middle = (y_low + y_high) / 2, half = (y_high - y_low) / 2;
  const float along = glm::clamp((p.y - y_low) / (y_high - y_low), 0.0f, 1.0f);
  const float slope = (r_high - r_low) / (y_high - y_low);
  const vec2 q((glm::length(vec2(p.x, p.z)) - glm::mix(r_low, r_high, along)) /
                       std::sqrt(1 + slope * slope) +
                   rounding,
               std::abs(p.y - middle) - half + rounding);
  return glm::length(glm::max(q, 0.0f)) + std::min(std::max(q.x, q.y), 0.0f) - rounding;
}

float smooth_union(float a, float b, float width) {
  const float h = std::max(width - std::abs(a - b), 0.0f) / width;
  return std::min(a, b) - h * h * width / 4;
}

/// The centre line of a trefoil with two lobes at the bottom, so that it stands.
vec3 trefoil(float t) {
  return vec3(std::sin(t) + 2 * std::sin(2 * t), -std::cos(t) + 2 * std::cos(2 * t),
              -std::sin(3 * t)) *
         vec3(0.27f, 0.27f, 0.25f);
}

/// Tabulated distance to the trefoil's centre line; the exact one needs 400 segments per call.
class TrefoilDistance {
 public:
  TrefoilDistance() : values_(static_cast<std::size_t>(kSize.x * kSize.y * kSize.z)) {
    std::array<vec3, 400> line;
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i] = trefoil(static_cast<float>(i) * glm::two_pi<float>() / line.size());
    }
    for (std::size_t cell = 0; cell < values_.size(); ++cell) {
      const int index = static_cast<int>(cell);
      const vec3 p = kLower + kStep * vec3(index % kSize.x, index / kSize.x % kSize.y,
                                           index / (kSize.x * kSize.y));
      float nearest = 1e9f;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const vec3 a = line[i], ab = line[(i + 1) % line.size()] - a;
        const float t = glm::clamp(glm::dot(p - a, ab) / glm::dot(ab, ab), 0.0f, 1.0f);
        const vec3 offset = p - a - ab * t;
        nearest = std::min(nearest, glm::dot(offset, offset));
      }
      values_[cell] = std::sqrt(nearest);
    }
  }

  float operator()(vec3 p) const {
    const vec3 inside = glm::clamp((p - kLower) / kStep, vec3(0), vec3(kSize) - 1.001f);
    const glm::ivec3 cell(inside);
    const vec3 w = inside - vec3(cell);
    const auto at = [&](int x, int y, int z) {
      return values_[static_cast<std::size_t>(cell.x + x +
                                              kSize.x * (cell.y + y + kSize.y * (cell.z + z)))];
    };
    const auto row = [&](int y, int z) { return glm::mix(at(0, y, z), at(1, y, z), w.x); };
    const auto slab = [&](int z) { return glm::mix(row(0, z), row(1, z), w.y); };
    return glm::mix(slab(0), slab(1), w.z) + glm::distance(p, kLower + inside * kStep);
  }

 private:
  static constexpr float kStep = 0.02f;
  static constexpr glm::ivec3 kSize{112, 112, 56};
  static constexpr vec3 kLower{-1.11f, -1.11f, -0.55f};
  std::vector<float> values_;
};

Material walnut(vec3 p) {
  const vec3 log = p + vec3(0.9f, 0, 0.35f);  // the centre of the trunk is outside the pedestal
  const float warp = fractal_noise(p * vec3(2.2f, 0.7f, 2.2f));
  const float rings = glm::length(vec2(log.x, log.z)) * 13 + warp * 4.5f;
  const float dark = std::pow(0.5f + 0.5f * std::sin(rings * 4.6f), 2.0f);
  const float fibre = noise(p * vec3(60, 5, 60));
  const vec3 albedo = glm::mix(vec3(0.235f, 0.112f, 0.055f), vec3(0.115f, 0.05f, 0.027f), dark);
  return {.albedo = albedo * (0.8f + 0.4f * fibre)};
}

float vein_distance(vec3 p) {
  return distance_to_crack(p * 2.3f + 0.25f * vec3(noise(p * 4.0f))) / 2.3f;
}

Material kintsugi(vec3 p) {
  if (vein_distance(p) < 0.0135f) {
    return {.albedo = vec3(1.0f, 0.70f, 0.28f), .roughness = 0.3f, .specular = 1, .metal = true};
  }
  const float pool = fractal_noise(p * 3.0f + 7.0f);
  return {.albedo = glm::mix(vec3(0.008f, 0.085f, 0.115f), vec3(0.035f, 0.235f, 0.235f), pool),
          .roughness = 0.14f,
          .specular = 0.08f};
}

Material floor_tiles(vec3 p) {
  const vec2 tile = vec2(p.x + p.z, p.x - p.z) * (0.7071f / 0.5f);
  const vec2 cell = glm::floor(tile), within = glm::abs(tile - cell - 0.5f);
  const bool even = (static_cast<int>(cell.x) + static_cast<int>(cell.y)) % 2 == 0;
  const float vein = fractal_noise(p * 3.0f + hash(glm::ivec3(cell.x, cell.y, even)) * 40.0f);
  vec3 albedo = even ? vec3(0.50f, 0.455f, 0.385f) : vec3(0.26f, 0.28f, 0.27f);
  albedo *= 0.86f + 0.26f * vein;
  if (std::max(within.x, within.y) > 0.483f) albedo *= 0.5f;
  const float r = glm::length(vec2(p.x, p.z));
  return {.albedo = albedo, .opacity = 1 - glm::smoothstep(0.66f, 1.0f, r / kFloorRadius)};
}

}  // namespace

StillLife::StillLife(float detail) : detail_(detail) {
  add_floor();
  add_pedestal();
  add_knot();
  add_plant({1.18f, 0, 0.62f});
  add_spheres_and_block();
  CHECK(parts_.size() <= kMaxParts);
}

void StillLife::add(vec3 lower, vec3 upper, float spacing, std::function<float(vec3)> distance,
                    std::function<Material(vec3)> material) {
  spacing /= detail_;
  parts_.push_back({.lower = lower,
                    .upper = upper,
                    .distance = std::move(distance),
                    .material = std::move(material),
                    .spacing = [spacing](vec3) { return spacing; }});
}

void StillLife::add_floor() {
  add(
      {-kFloorRadius, -0.01f, -kFloorRadius}, {kFloorRadius, 0.01f, kFloorRadius}, 0,
      [](vec3 p) { return p.y; }, floor_tiles);
  parts_.back().spacing = [detail = detail_](vec3 p) {
    const float r = glm::length(vec2(p.x, p.z)) / kFloorRadius;
    return glm::mix(0.0165f, 0.036f, glm::smoothstep(0.55f, 1.0f, r)) / detail;
  };
}

void StillLife::add_pedestal() {
  add(
      {-0.86f, 0, -0.86f}, {0.86f, 0.46f, 0.86f}, 0.015f,
      [](vec3 p) {
        const float foot = turned(p, 0, 0.1f, 0.84f, 0.82f, 0.025f);
        const float drum = turned(p, 0.05f, 0.42f, 0.72f, 0.66f, 0.02f);
        const float top = turned(p, 0.36f, 0.45f, 0.78f, 0.78f, 0.03f);
        return smooth_union(smooth_union(foot, drum, 0.08f), top, 0.06f);
      },
      walnut);
}

void StillLife::add_knot() {
  const vec3 center(0, 1.21f, 0);
  const auto curve = std::make_shared<const TrefoilDistance>();
  const vec3 half(0.95f, 0.95f, 0.43f);
  add(
      center - half, center + half, 0.0142f,
      [curve, center](vec3 p) { return (*curve)(p - center) - kKnotRadius; }, kintsugi);
  parts_.back().spacing = [detail = detail_](vec3 p) {  // finer along the veins
    return glm::mix(0.0086f, 0.0142f, glm::smoothstep(0.02f, 0.045f, vein_distance(p))) / detail;
  };
}

void StillLife::add_plant(vec3 foot) {
  add(
      foot - vec3(0.3f, 0, 0.3f), foot + vec3(0.3f, 0.42f, 0.3f), 0.0142f,
      [foot](vec3 p) {
        const vec3 q = p - foot;
        const float wall = turned(q, 0, 0.36f, 0.2f, 0.265f, 0.015f);
        const float rim = turned(q, 0.3f, 0.4f, 0.285f, 0.295f, 0.018f);
        const float hollow = turned(q, 0.33f, 0.5f, 0.24f, 0.25f, 0.01f);
        return std::max(smooth_union(wall, rim, 0.03f), -hollow);
      },
      [](vec3 p) {
        const float earth = fractal_noise(p * 9.0f);
        return Material{.albedo = vec3(0.50f, 0.20f, 0.11f) * (0.75f + 0.5f * earth)};
      });

  constexpr int kLeaves = 42;
  for (int i = 0; i < kLeaves; ++i) {
    const float outward = static_cast<float>(i) / (kLeaves - 1);  // the youngest leaf is 0
    const float turn = static_cast<float>(i) * 2.399963f;         // golden angle
    const float lift = glm::mix(1.35f, 0.22f, std::pow(outward, 0.8f));
    const float length = glm::mix(0.12f, 0.36f, std::sqrt(outward));
    const glm::quat pose =
        glm::angleAxis(turn, vec3(0, 1, 0)) * glm::angleAxis(lift, vec3(0, 0, 1));
    const vec3 root = foot + vec3(0, glm::mix(0.47f, 0.38f, outward), 0);
    const auto local = [=](vec3 p) { return glm::conjugate(pose) * (p - root); };
    const vec3 middle = root + pose * vec3(length * 0.5f, 0, 0);
    const vec3 half(length * 0.62f);
    add(
        middle - half, middle + half, 0.012f,
        [=](vec3 p) {
          vec3 q = local(p) - vec3(length * 0.5f, 0, 0);
          q.y -= (0.9f * q.x * q.x + 1.6f * q.z * q.z) - 0.02f;  // curved like a boat
          const float taper = glm::mix(0.75f, 1.15f, glm::clamp(q.x / length + 0.5f, 0.0f, 1.0f));
          q.z /= taper;
          return 0.7f * ellipsoid(q, vec3(length * 0.5f, 0.022f, length * 0.24f));
        },
        [=](vec3 p) {
          const vec3 q = local(p);
          const float tip = glm::smoothstep(0.72f, 1.0f, q.x / length);
          const vec3 green =
              glm::mix(vec3(0.20f, 0.36f, 0.16f), vec3(0.10f, 0.25f, 0.16f), outward);
          const vec3 blush(0.55f, 0.13f, 0.16f);
          return Material{.albedo = glm::mix(green, blush, tip) * (0.8f + 0.4f * noise(p * 25.0f))};
        });
  }
}

void StillLife::add_spheres_and_block() {
  const auto sphere = [this](vec3 center, float radius, float spacing, Material material) {
    add(
        center - radius, center + radius, spacing,
        [=](vec3 p) { return glm::distance(p, center) - radius; }, [=](vec3) { return material; });
  };
  const vec3 gold(1.0f, 0.71f, 0.32f), coral(0.62f, 0.13f, 0.08f), ivory(0.78f, 0.74f, 0.66f),
      ink(0.02f, 0.035f, 0.12f);
  sphere({-1.22f, 0.34f, 0.62f}, 0.34f, 0.0135f,
         {.albedo = gold, .roughness = 0.22f, .specular = 1, .metal = true});
  sphere({-0.62f, 0.155f, 1.18f}, 0.155f, 0.011f,
         {.albedo = coral, .roughness = 0.2f, .specular = 0.05f});
  sphere({0.62f, 0.11f, 1.22f}, 0.11f, 0.0098f,
         {.albedo = ink, .roughness = 0.18f, .specular = 0.06f});
  sphere({0.42f, 0.25f, -1.38f}, 0.25f, 0.013f,
         {.albedo = coral, .roughness = 0.2f, .specular = 0.05f});
  const vec3 block(-0.78f, 0.2f, -1.12f);
  const glm::quat turn = glm::angleAxis(0.5f, vec3(0, 1, 0));
  sphere(block + vec3(0.02f, 0.2f + 0.19f, 0.01f), 0.19f, 0.0126f,
         {.albedo = ivory, .roughness = 0.22f, .specular = 0.05f});
  add(
      block - vec3(0.4f, 0.21f, 0.4f), block + vec3(0.4f, 0.21f, 0.4f), 0.0142f,
      [=](vec3 p) {
        return rounded_box(glm::conjugate(turn) * (p - block), vec3(0.28f, 0.2f, 0.28f), 0.03f);
      },
      [](vec3 p) {
        return Material{.albedo =
                            vec3(0.55f, 0.33f, 0.06f) * (0.85f + 0.3f * fractal_noise(p * 6.0f))};
      });
}

std::optional<Hit> StillLife::first_hit(vec3 origin, vec3 direction) const {
  constexpr float kStart = 0.012f, kTouch = 1.5e-3f;
  std::array<std::size_t, kMaxParts> candidates;  // solids whose bounds the ray intersects
  std::size_t count = 0;
  float from = 1e9f, to = kStart;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const vec3 a = (parts_[i].lower - origin) / direction,
               b = (parts_[i].upper - origin) / direction;
    const vec3 low = glm::min(a, b), high = glm::max(a, b);
    const float enter = std::max({low.x, low.y, low.z, kStart});
    const float leave = std::min({high.x, high.y, high.z});
    if (enter > leave) continue;
    candidates[count++] = i;
    from = std::min(from, enter);
    to = std::max(to, leave);
  }
  for (float travelled = from; travelled < to;) {
    const vec3 p = origin + direction * travelled;
    float nearest = 1e9f;
    std::size_t part = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const float distance = parts_[candidates[k]].distance(p);
      if (distance < nearest) nearest = distance, part = candidates[k];
    }
    if (nearest < kTouch) {
      if (parts_[part].material(p).opacity < 0.5f) return std::nullopt;
      return Hit{part, p};
    }
    travelled += std::max(0.85f * nearest, kTouch);
  }
  return std::nullopt;
}

namespace {

vec3 normal_at(const Part& part, vec3 p) {
  constexpr float kStep = 2e-3f;
  vec3 gradient;
  for (int axis = 0; axis < 3; ++axis) {
    vec3 step(0);
    step[axis] = kStep;
    gradient[axis] = part.distance(p + step) - part.distance(p - step);
  }
  const float length = glm::length(gradient);
  return length > 0 ? gradient / length : vec3(0, 1, 0);
}

/// Whether the point is inside another solid.
bool is_covered(const StillLife& scene, vec3 p) {
  return std::any_of(scene.parts().begin(), scene.parts().end(), [p](const Part& part) {
    return glm::all(glm::lessThan(part.lower, p)) && glm::all(glm::lessThan(p, part.upper)) &&
           part.distance(p) < -4e-3f;
  });
}

}  // namespace

std::vector<Sample> scatter(const StillLife& scene, std::uint32_t seed) {
  constexpr int kPatience = 700;  // consecutive darts without free space
  std::vector<Sample> samples;
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<float>(random() >> 8) / 16777216.0f; };
  for (std::size_t i = 0; i < scene.parts().size(); ++i) {
    const Part& part = scene.parts()[i];
    const float cell_size = part.spacing(part.lower);  // a corner has the largest spacing
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells;
    const auto key = [](glm::ivec3 cell) {
      return (static_cast<std::uint64_t>(cell.x + 4096) << 26) |
             (static_cast<std::uint64_t>(cell.y + 4096) << 13) |
             static_cast<std::uint64_t>(cell.z + 4096);
    };
    for (int misses = 0; misses < kPatience; ++misses) {
      vec3 p = glm::mix(part.lower, part.upper, vec3{uniform(), uniform(), uniform()});
      vec3 normal(0);
      for (int step = 0; step < 6; ++step) {
        normal = normal_at(part, p);
        p -= normal * part.distance(p);
      }
      if (std::abs(part.distance(p)) > 1e-3f) continue;
      const Material material = part.material(p);
      if (material.opacity < 0.02f || is_covered(scene, p)) continue;
      const float spacing = part.spacing(p);
      const glm::ivec3 cell(glm::floor(p / cell_size));
      bool is_free = true;
      for (int k = 0; k < 27 && is_free; ++k) {
        const auto near = cells.find(key(cell + glm::ivec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
        if (near == cells.end()) continue;
        for (const std::size_t other : near->second) {
          is_free = is_free && glm::distance(samples[other].position, p) >= spacing;
        }
      }
      if (!is_free) continue;
      cells[key(cell)].push_back(samples.size());
      samples.push_back({p, normal, i, spacing});
      misses = -1;
    }
  }
  return samples;
}

}  // namespace mote::still_life
