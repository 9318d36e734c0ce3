#include "synth/path_tracer.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/exponential.hpp>
#include <glm/matrix.hpp>

#include "cameras/camera_ray.h"
#include "core/error.h"
#include "synth/surface_point.h"

namespace mote::synth {
namespace {

constexpr float kDullestCoat = 0.5f;  // rougher coats reflect too little to be traced

/// The pairs of sample dimensions.
enum : std::uint32_t { kPixelPair, kKeyPair, kGlossPair };

/// Maps radiance to 0..1: Narkowicz's fit of the ACES curve (2015). Applied to every sample, so
/// that a highlight does not dominate its pixel.
vec3 toned(vec3 radiance) {
  const vec3 x = radiance * 0.6f;
  return glm::clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.0f, 1.0f);
}

/// The transfer curve of sRGB.
vec3 encoded(vec3 linear) {
  const vec3 gamma = 1.055f * glm::pow(linear, vec3(1 / 2.4f)) - 0.055f;
  return glm::mix(12.92f * linear, gamma, glm::greaterThan(linear, vec3(0.0031308f)));
}

/// A sampled visible half vector of GGX about z (J. Dupuy and A. Benyoub, "Sampling Visible GGX
/// Normals with Spherical Caps", 2023).
vec3 half_vector(vec3 view, float alpha, vec2 u) {
  const vec3 stretched = glm::normalize(vec3(view.x * alpha, view.y * alpha, view.z));
  const float z = (1 - u.y) * (1 + stretched.z) - stretched.z;
  const float radius = std::sqrt(std::max(0.0f, 1 - z * z)), angle = 2 * kPi * u.x;
  const vec3 half = vec3(radius * std::cos(angle), radius * std::sin(angle), z) + stretched;
  return glm::normalize(vec3(half.x * alpha, half.y * alpha, std::max(half.z, 1e-6f)));
}

/// Smith's masking of one direction with GGX.
float masking(float cosine, float alpha) {
  const float c2 = cosine * cosine;
  return 2 * cosine / (cosine + std::sqrt(alpha * alpha * (1 - c2) + c2));
}

vec3 fresnel(vec3 along_normal, float cosine) {
  return along_normal + (1.0f - along_normal) * std::pow(1 - std::clamp(cosine, 0.0f, 1.0f), 5.0f);
}

vec3 mirrored(vec3 direction, vec3 normal) {
  return direction - 2 * glm::dot(direction, normal) * normal;
}

/// The light that a GGX lobe about a ray of unit direction receives without occlusion. The lobe is
/// approximated by a Gaussian, whose integral over the rectangle is a product of error functions.
vec3 light_in_lobe(const AreaLight& light, const Ray& ray, float alpha) {
  const vec3 normal = glm::cross(light.half_u, light.half_v);
  const float facing = glm::dot(ray.direction, normal);
  if (!(facing < 0)) return vec3(0);
  const float distance = glm::dot(light.center - ray.origin, normal) / facing;
  if (!(distance > 0)) return vec3(0);
  const vec3 place = ray.origin + distance * ray.direction - light.center;
  const float spread = 2 * std::max(alpha, 0.01f) * distance;  // sqrt(2) standard deviations
  float share = 1;
  for (const vec3 half : {light.half_u, light.half_v}) {
    const float size = glm::length(half), at = glm::dot(place, half) / size;
    share *= 0.5f * (std::erf((size - at) / spread) + std::erf((size + at) / spread));
  }
  return light.radiance * share;
}

/// The rays through one pixel of a camera whose lens sees all of its image.
class PixelRays {
 public:
  PixelRays(const Camera& camera, int x, int y)
      : camera_(camera),
        corner_px_(x, y),
        position_(camera.position_world()),
        world_from_cam_(glm::transpose(camera.cam_from_world)) {}

  /// The ray through a position within the pixel, 0..1.
  Ray at(glm::dvec2 place) const {
    const CameraRay ray = seen_at(place);
    return {vec3(position_ + world_from_cam_ * ray.origin_cam),
            vec3(world_from_cam_ * (ray.direction_cam / ray.depth_per_length))};
  }

  /// The depth of a point on the ray through the pixel's centre: along the view axis or, of wide
  /// lenses, along the ray.
  float depth_of(vec3 point) const {
    const CameraRay ray = seen_at(glm::dvec2(0.5));
    const glm::dvec3 from = position_ + world_from_cam_ * ray.origin_cam;
    return static_cast<float>(glm::distance(glm::dvec3(point), from) * ray.depth_per_length);
  }

 private:
  CameraRay seen_at(glm::dvec2 place) const {
    const auto ray = ray_through(camera_, corner_px_ + place);
    CHECK(ray.has_value());
    return *ray;
  }

  const Camera& camera_;
  glm::dvec2 corner_px_;
  glm::dvec3 position_;
  glm::dmat3 world_from_cam_;
};

}  // namespace

struct PathTracer::Sample {
  vec3 radiance{0};
  bool object = false;
};

/// The radiance of the scene in a reflection: gathered light instead of further paths, and for
/// metal the dome. Returns false where the ray leaves the scene.
bool PathTracer::reflected(const Ray& ray, vec3& radiance) const {
  Hit hit{};
  if (!bvh_.first_hit(ray, kInfinity, hit)) return false;
  const SurfacePoint point = surface_point(scene_.mesh, hit);
  const Surface surface = surface_at(scene_, point);
  if (surface.backdrop >= 1) return false;
  const vec3 irradiance = point.interpolate(light_.key) + point.interpolate(light_.soft);
  radiance = surface.emission + surface.albedo * irradiance * (1 / kPi);
  if (surface.metal) {
    radiance = 0.5f * radiance +
               0.5f * surface.albedo * scene_.dome(mirrored(ray.direction, point.normal), 0.2f);
  }
  radiance = glm::mix(radiance, scene_.dome(ray.direction, 0), surface.backdrop);
  return true;
}

/// Light reflected by metal or coat towards the camera. One path samples the scene within the lobe.
/// If it leaves the scene, the lights' integral over the whole lobe is used instead.
vec3 PathTracer::gloss(const Surface& surface, const SurfacePoint& point, vec3 position,
                       vec3 direction, vec2 at) const {
  constexpr float kGrazing = 0.02f;  // minimum cosine of a view: interpolated normals may turn away
  const float alpha = surface.roughness;
  const vec3 along_normal = surface.metal ? surface.albedo : vec3(surface.specular);
  const Frame3 frame(point.normal);
  vec3 view = frame.inverse(-direction);
  view.z = std::max(view.z, kGrazing);
  view = glm::normalize(view);
  const vec3 half = half_vector(view, alpha, at);
  const vec3 out = mirrored(-view, half);
  if (!(out.z > 0)) return vec3(0);
  vec3 radiance(0);
  if (!reflected({position, frame(out)}, radiance)) {
    const Ray middle{position, frame(vec3(-view.x, -view.y, view.z))};
    radiance = scene_.dome(middle.direction, alpha) + light_in_lobe(scene_.key, middle, alpha);
  }
  return radiance * fresnel(along_normal, glm::dot(view, half)) * masking(out.z, alpha);
}

vec3 PathTracer::shade(const Ray& ray, const SurfacePoint& point, const SamplePoints& points,
                       std::uint32_t index) const {
  const vec3 direction = glm::normalize(ray.direction);
  const Surface surface = surface_at(scene_, point);
  if (surface.backdrop >= 1) return scene_.dome(direction, 0);
  const vec3 position = leaving_position(scene_.mesh, point);
  vec3 radiance = surface.emission;
  if (!surface.metal) {
    const vec3 irradiance =
        point.interpolate(light_.soft) +
        key_irradiance(scene_, bvh_, position, point.normal, points.at(index, kKeyPair));
    const float cosine = -glm::dot(direction, point.normal);
    const float kept = 1 - fresnel(vec3(surface.specular), cosine).x;
    radiance += (surface.specular > 0 ? kept : 1.0f) * surface.albedo * irradiance * (1 / kPi);
  }
  if (surface.metal || (surface.specular > 0 && surface.roughness < kDullestCoat)) {
    radiance += gloss(surface, point, position, direction, points.at(index, kGlossPair));
  }
  return surface.backdrop > 0 ? glm::mix(radiance, scene_.dome(direction, 0), surface.backdrop)
                              : radiance;
}

PathTracer::Sample PathTracer::trace(const Ray& ray, const SamplePoints& points,
                                     std::uint32_t index) const {
  Hit hit{};
  if (!bvh_.first_hit(ray, kInfinity, hit)) return {scene_.dome(glm::normalize(ray.direction), 0)};
  const SurfacePoint point = surface_point(scene_.mesh, hit);
  return {shade(ray, point, points, index), scene_.is_object(hit.triangle)};
}

Pixel PathTracer::pixel(const Camera& camera, int x, int y, const PixelSettings& settings) const {
  constexpr float kEven = 0.02f;  // fraction of the display's range
  const SamplePoints points(settings.seed, static_cast<std::uint32_t>(y * camera.width + x));
  Pixel pixel;
  const PixelRays rays(camera, x, y);
  Hit hit{};
  if (bvh_.first_hit(rays.at(glm::dvec2(0.5)), kInfinity, hit)) {
    pixel.object = scene_.is_object(hit.triangle);
    if (pixel.object || !settings.transparent) {
      const SurfacePoint point = surface_point(scene_.mesh, hit);
      pixel.normal = point.normal;
      pixel.position = point.position;
      pixel.depth = rays.depth_of(point.position);
      pixel.triangle = point.triangle;
      pixel.weights = point.weights;
    }
  }
  vec3 sum(0), lowest(1), highest(0);
  int taken = 0, seen = 0;
  while (taken < settings.samples) {
    const auto index = static_cast<std::uint32_t>(taken++);
    const vec2 jitter = points.at(index, kPixelPair);
    const Sample sample = trace(rays.at(jitter), points, index);
    if (settings.transparent && !sample.object) continue;
    ++seen;
    const vec3 radiance = sample.radiance * (settings.exposure * scene_.exposure);
    const vec3 color = toned(radiance);
    sum += color;
    pixel.radiance += radiance;
    lowest = glm::min(lowest, encoded(color));
    highest = glm::max(highest, encoded(color));
    if (2 * taken == settings.samples) {
      const vec3 spread = highest - lowest;
      if (std::max({spread.x, spread.y, spread.z}) < kEven && seen == taken) break;
    }
  }
  if (settings.transparent) pixel.alpha = static_cast<float>(seen) / static_cast<float>(taken);
  if (seen > 0) {
    pixel.color = encoded(sum / static_cast<float>(seen));
    pixel.radiance /= static_cast<float>(seen);
  }
  return pixel;
}

}  // namespace mote::synth
