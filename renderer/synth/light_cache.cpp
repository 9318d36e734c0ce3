#include "synth/light_cache.h"

#include <algorithm>
#include <glm/common.hpp>

#include <limits>

#include "core/interrupt.h"
#include "synth/surface_point.h"

namespace mote::synth {
namespace {

constexpr std::size_t kVerticesPerTask = 256;
constexpr int kSmoothings = 2;

class Gathering {
 public:
  Gathering(const Scene& scene, const Bvh& bvh, std::uint32_t seed, ThreadPool& threads)
      : scene_(scene), bvh_(bvh), seed_(seed), threads_(threads) {
    const std::size_t vertices = scene.mesh.vertex_count();
    light_.key.resize(vertices, vec3(0));
    light_.soft.resize(vertices, vec3(0));
    sent_.resize(vertices, vec3(0));
    albedo_.resize(vertices, vec3(0));
    emission_.resize(vertices, vec3(0));
    backdrop_.resize(vertices, 0);
    needs_light_.resize(vertices, false);
    look_surfaces_up();
  }

  void gather_key(int rays) {
    each_vertex([&](std::uint32_t i) {
      const SamplePoints points(seed_, i);
      vec3 sum(0);
      for (int k = 0; k < rays; ++k) {
        sum += key_irradiance(scene_, bvh_, start_of(i), scene_.mesh.normals[i],
                              points.at(static_cast<std::uint32_t>(k), 0));
      }
      light_.key[i] = sum / static_cast<float>(rays);
    });
    smooth(light_.key);
    share_with_twins(light_.key);
  }

  void gather_soft(int rays, std::uint32_t bounce) {
    std::vector<vec3> gathered(light_.soft.size(), vec3(0));
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      sent_[i] = emission_[i] + albedo_[i] * (light_.key[i] + light_.soft[i]) * (1 / kPi);
    }
    each_vertex([&](std::uint32_t i) {
      const SamplePoints points(seed_, i);
      const Frame3 frame(scene_.mesh.normals[i]);
      vec3 sum(0);
      for (int k = 0; k < rays; ++k) {
        const Ray ray{
            start_of(i),
            frame(cosine_direction(points.at(static_cast<std::uint32_t>(k), 1 + bounce)))};
        Hit hit{};
        if (bvh_.first_hit(ray, std::numeric_limits<float>::infinity(), hit)) {
          sum += sent_on(surface_point(scene_.mesh, hit), ray.direction);
        }
      }
      gathered[i] = sum * (kPi / static_cast<float>(rays));
    });
    light_.soft = std::move(gathered);
    for (int i = 0; i < kSmoothings; ++i) smooth(light_.soft);
    share_with_twins(light_.soft);
  }

  LightCache take() { return std::move(light_); }

 private:
  /// Evaluates the surface once per vertex, since hits from other vertices need it only
  /// approximately.
  void look_surfaces_up() {
    const Mesh& mesh = scene_.mesh;
    std::vector<bool> known(mesh.vertex_count(), false);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      for (const std::uint32_t corner : mesh.triangles[i]) {
        if (known[corner]) continue;
        known[corner] = true;
        const Surface surface = scene_.materials[mesh.materials[i]](mesh.texture[corner]);
        albedo_[corner] = surface.albedo;
        emission_[corner] = surface.emission;
        backdrop_[corner] = surface.backdrop;
        if (surface.backdrop < 1) needs_light_[mesh.twins[corner]] = true;
      }
    }
  }

  /// The light that a surface sends by itself and reflects from the light gathered so far; metal
  /// counts as diffuse.
  vec3 sent_on(const SurfacePoint& point, vec3 direction) const {
    const float backdrop = point.interpolate(backdrop_);
    const vec3 lit = point.interpolate(sent_);
    return backdrop > 0 ? glm::mix(lit, scene_.dome(direction, 0), backdrop) : lit;
  }

  vec3 start_of(std::uint32_t vertex) const {
    constexpr float kGap = 5e-4f;  // world
    return scene_.mesh.positions[vertex] + kGap * scene_.mesh.normals[vertex];
  }

  template <class Work>
  void each_vertex(const Work& work) {
    const std::size_t vertices = scene_.mesh.vertex_count();
    threads_.run((vertices + kVerticesPerTask - 1) / kVerticesPerTask, [&](std::size_t task, int) {
      if (interrupted()) return;
      const std::size_t end = std::min(vertices, (task + 1) * kVerticesPerTask);
      for (std::size_t i = task * kVerticesPerTask; i < end; ++i) {
        if (needs_light_[i]) work(static_cast<std::uint32_t>(i));
      }
    });
    throw_if_interrupted();
  }

  void share_with_twins(std::vector<vec3>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[scene_.mesh.twins[i]];
  }

  /// Replaces each vertex by the mean of itself and of its neighbours in triangles.
  void smooth(std::vector<vec3>& values) const {
    std::vector<vec3> sums = values;
    std::vector<float> counts(values.size(), 1.0f);
    for (const auto& triangle : scene_.mesh.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t at = scene_.mesh.twins[triangle[k]];
        for (const std::size_t step : {1u, 2u}) {
          sums[at] += 0.5f * values[scene_.mesh.twins[triangle[(k + step) % 3]]];
          counts[at] += 0.5f;
        }
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = sums[i] / counts[i];
  }

  const Scene& scene_;
  const Bvh& bvh_;
  std::uint32_t seed_;
  ThreadPool& threads_;
  LightCache light_;
  // Per vertex; only vertices that are their own twins need light.
  std::vector<vec3> albedo_, emission_, sent_;
  std::vector<float> backdrop_;
  std::vector<bool> needs_light_;
};

}  // namespace

LightCache gather_light(const Scene& scene, const Bvh& bvh, const LightQuality& quality,
                        std::uint32_t seed, ThreadPool& threads) {
  Gathering gathering(scene, bvh, seed, threads);
  gathering.gather_key(quality.key_rays);
  std::uint32_t bounce = 0;
  for (const int rays : quality.soft_rays) {
    gathering.gather_soft(rays * scene.soft_rays, bounce++);
  }
  return gathering.take();
}

}  // namespace mote::synth
