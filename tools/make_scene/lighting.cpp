// Lighting of the bundled scene. Traces the signed distance field to gather radiosity, samples the
// glossy reflection from many directions, and fits spherical harmonics. The reflection samples the
// GGX distribution of normals without its masking term.
#include "lighting.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/exponential.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/constants.hpp>
#include <glm/mat3x3.hpp>
#include <random>
#include <unordered_map>

#include "core/parallel.h"
#include "math/spherical_harmonics.h"

namespace mote::still_life {
namespace {

/// A round light at infinity.
struct SoftBox {
  vec3 direction;    // towards the light
  float cos_radius;  // of the disc
  vec3 radiance;
};

const std::array<SoftBox, 3> kSoftBoxes{{
    {glm::normalize(vec3(-0.62f, 0.80f, 0.52f)), 0.955f, vec3(25.0f, 20.8f, 16.0f)},
    {glm::normalize(vec3(0.86f, 0.42f, -0.50f)), 0.965f, vec3(6.5f, 9.0f, 13.0f)},
    {glm::normalize(vec3(0.75f, 0.62f, 0.80f)), 0.97f, vec3(1.8f, 1.5f, 1.3f)},
}};

vec3 dome(vec3 direction) {
  return glm::mix(vec3(0.12f, 0.11f, 0.12f), vec3(0.30f, 0.36f, 0.46f),
                  glm::smoothstep(-0.1f, 1.0f, direction.y));
}

vec3 sky(vec3 direction) {
  vec3 radiance = dome(direction);
  for (const SoftBox& box : kSoftBoxes) {
    const float edge = 0.25f * (1 - box.cos_radius);
    radiance += box.radiance * glm::smoothstep(box.cos_radius - edge, box.cos_radius + edge,
                                               glm::dot(direction, box.direction));
  }
  return radiance;
}

/// A rotation from z to `axis`.
glm::mat3 frame_around(vec3 axis) {
  const vec3 other = std::abs(axis.x) < 0.8f ? vec3(1, 0, 0) : vec3(0, 0, 1);
  const vec3 x = glm::normalize(glm::cross(other, axis));
  return {x, glm::cross(axis, x), axis};
}

vec3 from_polar(float cosine, float turn) {
  const float sine = std::sqrt(std::max(0.0f, 1 - cosine * cosine));
  const float angle = turn * glm::two_pi<float>();
  return {sine * std::cos(angle), sine * std::sin(angle), cosine};
}

/// Points in the unit square: the R2 sequence of Roberts (2018) with a random offset per seed.
class Sequence {
 public:
  explicit Sequence(std::uint32_t seed) {
    std::mt19937 random(seed);
    offset_x_ = static_cast<float>(random() >> 8) / 16777216.0f;
    offset_y_ = static_cast<float>(random() >> 8) / 16777216.0f;
  }
  std::array<float, 2> operator()(int i) const {
    const float n = static_cast<float>(i + 1);
    return {glm::fract(offset_x_ + n * 0.7548777f), glm::fract(offset_y_ + n * 0.5698403f)};
  }

 private:
  float offset_x_, offset_y_;
};

/// Reflected light of every solid, averaged over cells of space; the radiance seen by rays.
class RadianceCache {
 public:
  void add(const Hit& at, vec3 radiance) {
    Entry& entry = cells_[key(at)];
    entry.sum += radiance;
    entry.count += 1;
  }
  vec3 find(const Hit& at) const {
    const auto entry = cells_.find(key(at));
    return entry == cells_.end() ? vec3(0) : entry->second.sum / entry->second.count;
  }

 private:
  struct Entry {
    vec3 sum{0};
    float count = 0;
  };
  static constexpr float kCell = 0.07f;
  static std::uint64_t key(const Hit& at) {
    const glm::ivec3 cell(glm::floor(at.position / kCell));
    const auto bits = [](int i) { return static_cast<std::uint64_t>(i + 2048); };
    return (static_cast<std::uint64_t>(at.part) << 36) | (bits(cell.x) << 24) |
           (bits(cell.y) << 12) | bits(cell.z);
  }
  std::unordered_map<std::uint64_t, Entry> cells_;
};

/// Radiance reflected by a white diffuse surface: irradiance / pi.
vec3 gather(const StillLife& scene, const RadianceCache& cache, const Sample& sample, int rays,
            std::uint32_t seed) {
  const vec3 origin = sample.position + sample.normal * 0.004f;
  const Sequence sequence(seed);
  vec3 sum(0);
  const glm::mat3 up = frame_around(sample.normal);
  for (int i = 0; i < rays; ++i) {
    const auto [a, b] = sequence(i);
    const vec3 direction = up * from_polar(std::sqrt(1 - a), b);
    const auto hit = scene.first_hit(origin, direction);
    sum += hit ? cache.find(*hit) : dome(direction);
  }
  vec3 result = sum / static_cast<float>(rays);
  const int box_rays = rays / 3 + 1;
  for (const SoftBox& box : kSoftBoxes) {
    const glm::mat3 around = frame_around(box.direction);
    float lit = 0;
    for (int i = 0; i < box_rays; ++i) {
      const auto [a, b] = sequence(i);
      const vec3 direction = around * from_polar(1 - a * (1 - box.cos_radius), b);
      const float cosine = glm::dot(direction, sample.normal);
      if (cosine > 0 && !scene.first_hit(origin, direction)) lit += cosine;
    }
    result += box.radiance * (2 * (1 - box.cos_radius) * lit / static_cast<float>(box_rays));
  }
  return result;
}

/// Light reflected by the glossy coat or the metal towards `view`.
vec3 reflection(const StillLife& scene, const RadianceCache& cache, const Sample& sample,
                const Material& material, vec3 view, const Sequence& sequence) {
  constexpr int kRays = 10;
  const vec3 origin = sample.position + sample.normal * 0.004f;
  const glm::mat3 up = frame_around(sample.normal);
  const vec3 at_normal = material.metal ? material.albedo : vec3(material.specular);
  vec3 sum(0);
  for (int i = 0; i < kRays; ++i) {
    const auto [a, b] = sequence(i);
    const float alpha2 = material.roughness * material.roughness;
    const vec3 half = up * from_polar(std::sqrt((1 - a) / (1 + (alpha2 - 1) * a)), b);
    const float cosine = glm::dot(view, half);
    const vec3 direction = 2 * cosine * half - view;
    if (cosine <= 0 || glm::dot(direction, sample.normal) <= 0) continue;
    const vec3 fresnel = at_normal + (1.0f - at_normal) * std::pow(1 - cosine, 5.0f);
    const auto hit = scene.first_hit(origin, direction);
    sum += fresnel * (hit ? cache.find(*hit) : sky(direction));
  }
  return sum / static_cast<float>(kRays);
}

/// Converts linear radiance to display-referred colour with Narkowicz's fit of the ACES curve
/// (2015) and sRGB.
vec3 display(vec3 radiance) {
  const vec3 x = radiance * 0.6f;
  const vec3 toned =
      glm::clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.0f, 1.0f);
  const vec3 gamma = 1.055f * glm::pow(toned, vec3(1 / 2.4f)) - 0.055f;
  return glm::mix(12.92f * toned, gamma, glm::greaterThan(toned, vec3(0.0031308f)));
}

/// Least-squares fit of SH to colours in given directions. Higher bands are damped, since half of
/// the sphere is never visible.
class ShFit {
 public:
  void add(vec3 direction, vec3 color, float weight) {
    std::array<float, kShCount> y;
    sh_basis<kShDegree>(Vec3<float>{direction.x, direction.y, direction.z}, y.data());
    for (std::size_t i = 0; i < kShCount; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix_[i][j] += weight * y[i] * y[j];
      right_[i] += weight * y[i] * (color - 0.5f);
    }
    weight_ += weight;
  }

  /// Cholesky decomposition; the highest coefficient comes first.
  ShColor solve() {
    for (std::size_t i = 0; i < kShCount; ++i) {
      const auto band = static_cast<float>(static_cast<int>(std::sqrt(static_cast<float>(i))));
      matrix_[i][i] += weight_ * (1e-5f + 1e-4f * band * band);
      for (std::size_t j = 0; j <= i; ++j) {
        float sum = matrix_[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= matrix_[i][k] * matrix_[j][k];
        matrix_[i][j] = i == j ? std::sqrt(sum) : sum / matrix_[j][j];
      }
    }
    ShColor result = right_;
    for (std::size_t i = 0; i < kShCount; ++i) {
      for (std::size_t k = 0; k < i; ++k) result[i] -= matrix_[i][k] * result[k];
      result[i] /= matrix_[i][i];
    }
    for (std::size_t i = kShCount; i-- > 0;) {
      for (std::size_t k = i + 1; k < kShCount; ++k) result[i] -= matrix_[k][i] * result[k];
      result[i] /= matrix_[i][i];
      // Rounds to the steps of .spz here, so that lower bands compensate for the rounding.
      if (i > 0)
        result[i] = glm::round(result[i] * (i < 4 ? 16.0f : 8.0f)) / (i < 4 ? 16.0f : 8.0f);
    }
    return result;
  }

 private:
  std::array<std::array<float, kShCount>, kShCount> matrix_{};
  ShColor right_{};
  float weight_ = 0;
};

ShColor fit_color(const StillLife& scene, const RadianceCache& cache, const Sample& sample,
                  vec3 irradiance, std::uint32_t seed) {
  constexpr int kViews = 160;  // over the sphere; half of them are visible
  const Material material = scene.parts()[sample.part].material(sample.position);
  const vec3 diffuse = material.metal ? vec3(0) : material.albedo * irradiance;
  if (material.specular == 0) {
    ShColor constant{};
    constant[0] = (display(diffuse) - 0.5f) / 0.28209479f;
    return constant;
  }
  ShFit fit;
  const Sequence sequence(seed);
  for (int i = 0; i < kViews; ++i) {
    const float n = static_cast<float>(i) + 0.5f;
    const vec3 view = from_polar(1 - 2 * n / kViews, glm::fract(n * 0.6180340f));
    const float cosine = glm::dot(view, sample.normal);
    if (cosine < 0.03f) continue;
    const vec3 glossy = reflection(scene, cache, sample, material, view, sequence);
    fit.add(to_world(-view), display(diffuse + glossy), std::sqrt(cosine));
  }
  return fit.solve();
}

}  // namespace

std::vector<ShColor> light(const StillLife& scene, const std::vector<Sample>& samples, int rays,
                           std::uint32_t seed) {
  constexpr int kBounces = 3;
  const auto seed_of = [seed](std::size_t i) {
    return seed + static_cast<std::uint32_t>(i) * 7919;
  };
  ThreadPool threads(0);
  std::vector<vec3> irradiance(samples.size());
  RadianceCache cache;
  for (int bounce = 0; bounce < kBounces; ++bounce) {
    threads.run(samples.size(), [&](std::size_t i, int) {
      irradiance[i] = gather(scene, cache, samples[i], rays, seed_of(i));
    });
    RadianceCache lit;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Material material = scene.parts()[samples[i].part].material(samples[i].position);
      lit.add({samples[i].part, samples[i].position}, material.albedo * irradiance[i]);
    }
    cache = std::move(lit);
  }
  std::vector<ShColor> colors(samples.size());
  threads.run(samples.size(), [&](std::size_t i, int) {
    colors[i] = fit_color(scene, cache, samples[i], irradiance[i], seed_of(i));
  });
  return colors;
}

}  // namespace mote::still_life
