#pragma once

#include <cstdint>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "synth/light_cache.h"
#include "synth/surface_point.h"

namespace mote::synth {

struct PixelSettings {
  int samples = 8;           // the most paths a pixel; half of them where nothing changes within it
  float exposure = 1;        // gain on the light
  bool transparent = false;  // the backdrop is not seen
  std::uint32_t seed = 0;    // of this picture
};

/// What is seen through one pixel.
struct Pixel {
  vec3 color{0};        // display-referred, 0..1; not multiplied by alpha
  float alpha = 1;      // share of the pixel that the picture covers
  float depth = 0;      // of its centre, along the view axis; 0 where nothing is
  vec3 normal{0};       // of its centre, world; zero where nothing is
  vec3 position{0};     // of its centre, world
  bool object = false;  // whether its centre shows more than backdrop
};

/// Sees a scene whose light is gathered. From each first hit one path goes to the key light and, on
/// gloss and metal, one along the reflection; it ends in the gathered light.
class PathTracer {
 public:
  PathTracer(const Scene& scene, const Bvh& bvh, const LightCache& light)
      : scene_(scene), bvh_(bvh), light_(light) {}

  /// The lens is one that check_lens() passes.
  Pixel pixel(const Camera& camera, const Lens& lens, int x, int y,
              const PixelSettings& settings) const;

 private:
  struct Sample;
  Sample trace(const Ray& ray, const SamplePoints& points, std::uint32_t index) const;
  vec3 shade(const Ray& ray, const SurfacePoint& point, const SamplePoints& points,
             std::uint32_t index) const;
  vec3 gloss(const Surface& surface, const SurfacePoint& point, vec3 position, vec3 direction,
             vec2 at) const;
  bool reflected(const Ray& ray, vec3& radiance) const;

  const Scene& scene_;
  const Bvh& bvh_;
  const LightCache& light_;
};

}  // namespace mote::synth
