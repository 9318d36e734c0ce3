#include "cpu/sdf_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "core/error.h"
#include "cpu/for_each_part.h"
#include "fields/applications/sphere_tracing.h"
#include "fields/field_camera.h"
#include "math/display_curve.h"

namespace mote {
namespace {

/// Rays that are followed at once, so that their positions take little memory.
constexpr std::size_t kRaysTracedAtOnce = std::size_t{1} << 16;

Vec3<float> lanes_of(const glm::vec3& v) {
  return {v.x, v.y, v.z};
}
glm::vec3 glm_of(const Vec3<float>& v) {
  return {v.x, v.y, v.z};
}

struct TracedRay {
  int x = 0, y = 0;
  glm::vec3 direction;
  float t = 0, end = 0;
  float depth_per_length = 0;
  float evaluations = 0;
  bool hit = false;
  glm::vec3 normal{0};
  float shadow = 1, occlusion = 1;
};

class SdfPainting {
 public:
  SdfPainting(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
              Frame& frame, FrameStats& stats)
      : drawn_(drawn),
        camera_(field_camera(drawn.field.placement, camera)),
        width_(camera.width),
        height_(camera.height),
        settings_(settings),
        frame_(frame),
        stats_(stats),
        origin_(camera_.origin),
        pixel_(static_cast<float>(0.5 / camera.focal_px.y)),
        is_cut_(drawn.field.render_box != field_cube(1) || !drawn.field.crops.empty()),
        reflectance_(reflectance_of(settings.surface_color)) {
    sun_ = glm::normalize(glm::vec3(camera_.field_from_cam * kSunFromCamera));
    up_ = glm::normalize(glm::vec3(camera_.field_from_cam * kUpFromCamera));
  }

  void paint() {
    drawn_.cells.find(drawn_.values, drawn_.tables,
                      static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_),
                      drawn_.pool, [&] { stop_if_superseded(settings_); });
    const int rows = static_cast<int>(
        std::max<std::size_t>(kRaysTracedAtOnce / static_cast<std::size_t>(width_), 1));
    for (int y = 0; y < height_; y += rows) {
      start(y, std::min(y + rows, height_));
      trace();
      find_normals();
      find_occlusion();
      find_shadows();
      for (const TracedRay& ray : rays_) store(ray);
    }
  }

 private:
  void start(int first, int end) {
    rays_.assign(static_cast<std::size_t>(end - first) * static_cast<std::size_t>(width_), {});
    for_each_part(drawn_.pool, 0, rays_.size(), 256, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        TracedRay& ray = rays_[i];
        ray.x = static_cast<int>(i % static_cast<std::size_t>(width_));
        ray.y = first + static_cast<int>(i / static_cast<std::size_t>(width_));
        const FieldCamera::Ray through = camera_.ray_at(ray.x + 0.5, ray.y + 0.5);
        ray.direction = through.direction;
        ray.depth_per_length = through.depth_per_length;
        enter_box(ray);
      }
    });
  }

  /// Sets the part of the ray in the drawn box; empty if it misses it.
  void enter_box(TracedRay& ray) const {
    const FieldBox& box = drawn_.field.render_box;
    const glm::vec3 a = (box.min - origin_) / ray.direction,
                    b = (box.max - origin_) / ray.direction;
    const glm::vec3 low = glm::min(a, b), high = glm::max(a, b);
    ray.t = std::max({low.x, low.y, low.z, 0.0f});
    ray.end = std::min({high.x, high.y, high.z});
    double t = ray.t, end = ray.end;
    cut_to_boxes(drawn_.field.crops, camera_.origin, glm::dvec3(ray.direction), t, end);
    ray.t = static_cast<float>(t);
    ray.end = static_cast<float>(end);
    if (!(ray.t < ray.end)) ray.end = -1;
  }

  /// Distance to the surface of the drawn part of the field, for a field without a surface.
  float distance_to_cut(const glm::vec3& position) const {
    const FieldBox& box = drawn_.field.render_box;
    const OrientedBox straight{.center = 0.5 * glm::dvec3(box.min + box.max),
                               .half_size = 0.5 * glm::dvec3(box.max - box.min)};
    double distance = signed_distance(straight, glm::dvec3(position));
    for (const OrientedBox& crop : drawn_.field.crops) {
      distance = std::max(distance, signed_distance(crop, glm::dvec3(position)));
    }
    return static_cast<float>(distance);
  }

  glm::vec3 at(const TracedRay& ray, float t) const { return origin_ + t * ray.direction; }

  /// Distances at `count` positions; `position(i)` is called by several threads. Where the field is
  /// cut, the cut is a part of the surface.
  template <class Position>
  const float* evaluate(std::size_t count, const Position& position) {
    stop_if_superseded(settings_);
    PlainField& values = drawn_.values;
    values.begin(count);
    const std::size_t stride = values.stride();
    float* planes = values.positions();
    for_each_part(drawn_.pool, 0, count, 4096, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const glm::vec3 own = glm::clamp(position(i), 0.0f, 1.0f);
        planes[i] = own.x;
        planes[stride + i] = own.y;
        planes[2 * stride + i] = own.z;
      }
    });
    values.evaluate(drawn_.tables, count);
    stats_.evaluations += count;
    if (!is_cut_) return values.values();
    cut_.resize(count);
    for_each_part(drawn_.pool, 0, count, 4096, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        cut_[i] = std::max(values.values()[i], distance_to_cut(position(i)));
      }
    });
    return cut_.data();
  }

  /// The same for light, which takes distances between cells where they serve.
  template <class Position>
  const float* evaluate_for_light(std::size_t count, const Position& position) {
    if (!drawn_.cells.are_known()) return evaluate(count, position);
    light_.resize(count);
    is_known_.resize(count);
    for_each_part(drawn_.pool, 0, count, 4096, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const glm::vec3 at = position(i);
        is_known_[i] = drawn_.cells.is_known_at(lanes_of(at), light_[i]) ? 1 : 0;
        if (is_cut_ && is_known_[i] != 0) light_[i] = std::max(light_[i], distance_to_cut(at));
      }
    });
    unknown_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (is_known_[i] == 0) unknown_.push_back(static_cast<std::uint32_t>(i));
    }
    const float* own =
        evaluate(unknown_.size(), [&](std::size_t i) { return position(unknown_[i]); });
    for (std::size_t i = 0; i < unknown_.size(); ++i) light_[unknown_[i]] = own[i];
    return light_.data();
  }

  /// Goes on along the living rays as far as bounds of cells lead. Rays that end there live no
  /// more.
  void approach() {
    if (drawn_.cells.are_known()) {
      for_each_part(drawn_.pool, 0, alive_.size(), 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          TracedRay& ray = rays_[alive_[i]];
          float bound = 0;
          while (ray.t < ray.end &&
                 drawn_.cells.is_far_at(lanes_of(at(ray, ray.t)), surface_tolerance(ray.t, pixel_),
                                        bound)) {
            ray.t = next_trace(ray.t, bound);
          }
        }
      });
    }
    std::erase_if(alive_, [&](std::uint32_t i) { return rays_[i].t >= rays_[i].end; });
  }

  void trace() {
    alive_.clear();
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (rays_[i].end > 0) alive_.push_back(static_cast<std::uint32_t>(i));
    }
    approach();
    for (int step = 0; step < kMostTraceSteps && !alive_.empty(); ++step) {
      const float* distances = evaluate(alive_.size(), [&](std::size_t i) {
        const TracedRay& ray = rays_[alive_[i]];
        return at(ray, ray.t);
      });
      std::size_t left = 0;
      for (std::size_t i = 0; i < alive_.size(); ++i) {
        TracedRay& ray = rays_[alive_[i]];
        ++ray.evaluations;
        const float distance = distances[i];
        if (is_at_surface(distance, ray.t, pixel_)) {
          ray.t += distance;
          ray.hit = true;
          continue;
        }
        ray.t = next_trace(ray.t, distance);
        alive_[left++] = alive_[i];
      }
      alive_.resize(left);
      approach();
    }
    hits_.clear();
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (rays_[i].hit) hits_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  void find_normals() {
    const float* distances = evaluate(kNormalCorners * hits_.size(), [&](std::size_t i) {
      const TracedRay& ray = rays_[hits_[i / kNormalCorners]];
      const auto corner = normal_corner<float>(static_cast<int>(i % kNormalCorners));
      return at(ray, ray.t) + kNormalHalf * glm_of(corner);
    });
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      Vec3<float> sum{};
      for (int k = 0; k < kNormalCorners; ++k) {
        sum = sum +
              normal_corner<float>(k) * distances[kNormalCorners * i + static_cast<std::size_t>(k)];
      }
      TracedRay& ray = rays_[hits_[i]];
      ray.normal = glm_of(traced_normal(sum, lanes_of(ray.direction)));
    }
  }

  void find_occlusion() {
    const float* distances = evaluate_for_light(kOcclusionSteps * hits_.size(), [&](std::size_t i) {
      const TracedRay& ray = rays_[hits_[i / kOcclusionSteps]];
      return at(ray, ray.t) +
             occlusion_height<float>(static_cast<int>(i % kOcclusionSteps)) * ray.normal;
    });
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      TracedRay& ray = rays_[hits_[i]];
      for (int k = 0; k < kOcclusionSteps; ++k) {
        ray.occlusion -=
            hidden_share(k, distances[i * kOcclusionSteps + static_cast<std::size_t>(k)]);
      }
    }
  }

  void find_shadows() {
    alive_.clear();
    for (const std::uint32_t hit : hits_) {
      TracedRay& ray = rays_[hit];
      if (glm::dot(ray.normal, sun_) > 0) alive_.push_back(hit);
    }
    reach_.assign(alive_.size(), kShadowStart);
    for (int step = 0; step < kMostShadowSteps && !alive_.empty(); ++step) {
      const float* distances = evaluate_for_light(alive_.size(), [&](std::size_t i) {
        const TracedRay& ray = rays_[alive_[i]];
        return at(ray, ray.t) + reach_[i] * sun_ + kNormalHalf * ray.normal;
      });
      std::size_t left = 0;
      for (std::size_t i = 0; i < alive_.size(); ++i) {
        TracedRay& ray = rays_[alive_[i]];
        const float distance = distances[i], reached = reach_[i];
        ray.shadow = shadow_after(ray.shadow, distance, reached);
        const float next = next_shadow(reached, distance);
        if (is_shadow_known(ray.shadow, next)) continue;
        reach_[left] = next;
        alive_[left++] = alive_[i];
      }
      alive_.resize(left);
    }
  }

  std::array<float, 3> shaded(const TracedRay& ray) const {
    const Vec3<float> light = surface_light<float>(
        {.normal = lanes_of(ray.normal), .shadow = ray.shadow, .occlusion = ray.occlusion},
        reflectance_, lanes_of(sun_), lanes_of(up_));
    return {display_from_linear(light.x), display_from_linear(light.y),
            display_from_linear(light.z)};
  }

  void store(const TracedRay& ray) {
    const std::size_t pixel = static_cast<std::size_t>(ray.y) * static_cast<std::size_t>(width_) +
                              static_cast<std::size_t>(ray.x);
    const std::array<float, 3> color = ray.hit ? shaded(ray) : settings_.background;
    std::copy(color.begin(), color.end(), frame_.rgb.pixels.data() + 3 * pixel);
    const RenderOutputs& outputs = settings_.outputs;
    if (outputs.alpha) frame_.alpha.pixels[pixel] = ray.hit ? 1.0f : 0.0f;
    if (outputs.overdraw) frame_.overdraw.pixels[pixel] = ray.evaluations;
    if (outputs.depth) {
      const float depth = ray.hit ? ray.t * ray.depth_per_length : 0;
      frame_.depth_expected.pixels[pixel] = frame_.depth_median.pixels[pixel] = depth;
    }
    if (outputs.normal) {
      const glm::dvec3 own = glm::transpose(camera_.field_from_cam) * glm::dvec3(ray.normal);
      for (int c = 0; c < 3; ++c) {
        frame_.normal.pixels[3 * pixel + static_cast<std::size_t>(c)] = static_cast<float>(own[c]);
      }
    }
  }

  const DrawnPlain& drawn_;
  const FieldCamera camera_;
  const int width_, height_;
  const RenderSettings& settings_;
  Frame& frame_;
  FrameStats& stats_;
  const glm::vec3 origin_;
  const float pixel_;  // half the size of a pixel at distance 1
  const bool is_cut_;  // a part of the cube is not drawn
  const Vec3<float> reflectance_;
  glm::vec3 sun_, up_;
  std::vector<TracedRay> rays_;
  std::vector<std::uint32_t> alive_, hits_;
  std::vector<float> reach_, cut_;
  std::vector<float> light_;            // distances for light
  std::vector<std::uint8_t> is_known_;  // of them, between cells
  std::vector<std::uint32_t> unknown_;
};

}  // namespace

void draw_sdf(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
              Frame& frame, FrameStats& stats) {
  if (settings.outputs.tile_cost) {
    throw Error("surfaces are not drawn in tiles", "the requested images", "request overdraw");
  }
  SdfPainting(drawn, camera, settings, frame, stats).paint();
}

}  // namespace mote
