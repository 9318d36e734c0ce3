#pragma once

#include <cstdint>

#include "cameras/camera.h"
#include "synth/light_cache.h"
#include "synth/surface_point.h"

namespace mote::synth {

struct PixelSettings {
  /// Maximum paths per pixel; half of them where nothing changes within the pixel.
  int samples = 8;
  float exposure = 1;        // gain of the light
  bool transparent = false;  // the backdrop is invisible
  std::uint32_t seed = 0;    // seed of this picture
};

inline constexpr std::uint32_t kNoTriangle = 0xffffffffu;

/// The content of one pixel.
struct Pixel {
  vec3 color{0};        // display-referred, 0..1; not multiplied by alpha
  vec3 radiance{0};     // linear light before the tone curve; not multiplied by alpha
  float alpha = 1;      // fraction of the pixel that is covered
  float depth = 0;      // at its centre, as CameraRay has it; 0: empty
  vec3 normal{0};       // at its centre, world; zero: empty
  vec3 position{0};     // at its centre, world
  bool object = false;  // whether its centre shows more than the backdrop
  /// At its centre: the triangle and the weights of its corners; kNoTriangle: empty.
  std::uint32_t triangle = kNoTriangle;
  vec3 weights{0};
};

/// Renders a scene from its gathered light. From each first hit, one path goes to the key light. On
/// gloss and metal, another one follows the reflection and ends in the gathered light.
class PathTracer {
 public:
  PathTracer(const Scene& scene, const Bvh& bvh, const LightCache& light)
      : scene_(scene), bvh_(bvh), light_(light) {}

  /// A lens of the camera must see all of the image.
  Pixel pixel(const Camera& camera, int x, int y, const PixelSettings& settings) const;

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
