#include "cpu/volume_drawing.h"

#include <algorithm>
#include <array>
#include <glm/common.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/for_each_part.h"
#include "cpu/ray_parts.h"
#include "fields/applications/compositing.h"
#include "fields/applications/volume_shading.h"
#include "fields/field_camera.h"
#include "fields/field_march.h"
#include "math/display_curve.h"

namespace mote {
namespace {

/// Rays that are followed at once, and samples of a wave, so that both take little memory.
constexpr std::size_t kRaysTogether = std::size_t{1} << 14, kWaveSamples = std::size_t{1} << 17;
constexpr std::size_t kMostPerWave = 64;  // samples of a ray
constexpr std::size_t kRaysOfPart = 64;

struct VolumeRay {
  RayMarch march{};
  DrawnRay drawn;  // linear colours
};

/// The samples of a ray in a wave.
struct WavePart {
  std::size_t first = 0;
  int count = 0;
};

struct ShowVolume {
  const RenderSettings& settings;

  ShownRay operator()(const DrawnRay& ray) const {
    return shown_volume(ray, ray.ended(), settings.background.data());
  }
};

Vec3<float> vector_of(const glm::vec3& v) {
  return {v.x, v.y, v.z};
}

class VolumePainting {
 public:
  VolumePainting(const DrawnPlain& drawn, const PictureRequest& picture, FrameStats& stats)
      : drawn_(drawn),
        camera_(field_camera(drawn.field.placement, picture.camera)),
        width_(static_cast<std::size_t>(picture.camera.width)),
        pixels_(width_ * static_cast<std::size_t>(picture.camera.height)),
        settings_(picture.settings),
        show_{picture.settings},
        parts_of_rays_(picture),
        stats_(stats),
        occupancy_(known_occupancy(drawn.field)),
        march_(MarchSettings(vector_of(drawn.field.render_box.min),
                             vector_of(drawn.field.render_box.max), occupancy_.cascades(),
                             usual_cone(drawn.field.aabb_scale), picture.settings.field_step)
                   .within(occupancy_.box())) {}

  void paint() {
    for (first_ = 0; first_ < pixels_; first_ += kRaysTogether) {
      start(std::min(kRaysTogether, pixels_ - first_));
      while (!alive_.empty()) {
        stop_if_superseded(settings_);
        take_wave();
      }
      for_each_part(drawn_.pool, 0, rays_.size(), kRaysOfPart,
                    [&](std::size_t from, std::size_t to) {
                      for (std::size_t i = from; i < to; ++i) {
                        parts_of_rays_.finish(show_, rays_[i].drawn);
                      }
                    });
    }
  }

 private:
  void start(std::size_t count) {
    rays_.resize(count);
    alive_.resize(count);
    std::iota(alive_.begin(), alive_.end(), 0u);
    const Vec3<float> origin = vector_of(glm::vec3(camera_.origin));
    for_each_part(drawn_.pool, 0, count, kRaysOfPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const std::size_t pixel = first_ + i;
        DrawnRay drawn;
        drawn.x = static_cast<int>(pixel % width_);
        drawn.y = static_cast<int>(pixel / width_);
        const FieldCamera::Ray ray = camera_.ray_at(drawn.x + 0.5, drawn.y + 0.5);
        drawn.depth_per_length = ray.depth_per_length;
        parts_of_rays_.begin(drawn);
        rays_[i] = {.march = begin_march(march_, origin, vector_of(ray.direction), 0.5f),
                    .drawn = drawn};
        cut(ray.direction, rays_[i].march);
      }
    });
  }

  /// Cuts a ray to the boxes that the field was cropped to.
  void cut(const glm::vec3& direction, RayMarch& march) const {
    if (drawn_.field.crops.empty()) return;
    double t = 0, t_end = std::numeric_limits<float>::max();
    cut_to_boxes(drawn_.field.crops, camera_.origin, glm::dvec3(direction), t, t_end);
    shorten_march(march_, static_cast<float>(t), static_cast<float>(t_end), march);
  }

  /// Marches all rays that are alive on, evaluates the field at their samples, and adds those.
  void take_wave() {
    const auto start = SteadyClock::now();
    const std::size_t per_ray = std::min(kWaveSamples / alive_.size(), kMostPerWave);
    samples_.resize(alive_.size() * per_ray);
    parts_.assign(alive_.size(), {});
    for_each_part(
        drawn_.pool, 0, alive_.size(), kRaysOfPart, [&](std::size_t from, std::size_t to) {
          for (std::size_t i = from; i < to; ++i) {
            parts_[i].count = march(occupancy_, march_, rays_[alive_[i]].march,
                                    {static_cast<int>(per_ray)}, samples_.data() + i * per_ray);
          }
        });
    std::size_t count = 0;
    for (WavePart& part : parts_) {
      part.first = count;
      count += static_cast<std::size_t>(part.count);
    }
    place(count, per_ray);
    drawn_.values.times().march_ms += ms_since(start);
    drawn_.values.evaluate(drawn_.tables, count);
    stats_.evaluations += count;
    for_each_part(drawn_.pool, 0, alive_.size(), kRaysOfPart,
                  [&](std::size_t from, std::size_t to) {
                    for (std::size_t i = from; i < to; ++i) {
                      composite(parts_[i], samples_.data() + i * per_ray, rays_[alive_[i]].drawn);
                    }
                  });
    std::size_t left = 0;
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      const VolumeRay& ray = rays_[alive_[i]];
      const bool goes_on = !ray.march.done() && !ray.drawn.ended();
      if (goes_on) alive_[left++] = alive_[i];
    }
    alive_.resize(left);
  }

  /// Writes the positions of the samples to the planes of the field.
  void place(std::size_t count, std::size_t per_ray) {
    PlainField& values = drawn_.values;
    values.begin(count);
    const std::size_t stride = values.stride();
    float* planes = values.positions();
    for_each_part(
        drawn_.pool, 0, alive_.size(), kRaysOfPart, [&](std::size_t from, std::size_t to) {
          for (std::size_t i = from; i < to; ++i) {
            const RayMarch& ray = rays_[alive_[i]].march;
            for (std::size_t k = 0; k < static_cast<std::size_t>(parts_[i].count); ++k) {
              const float t = samples_[i * per_ray + k].t;
              const std::size_t at = parts_[i].first + k;
              planes[at] = std::clamp(ray.origin.x + t * ray.direction.x, 0.0f, 1.0f);
              planes[stride + at] = std::clamp(ray.origin.y + t * ray.direction.y, 0.0f, 1.0f);
              planes[2 * stride + at] = std::clamp(ray.origin.z + t * ray.direction.z, 0.0f, 1.0f);
            }
          }
        });
  }

  void composite(const WavePart& part, const RaySample* samples, DrawnRay& ray) const {
    const float* values = drawn_.values.values();
    const std::size_t stride = drawn_.values.stride();
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.count); ++k) {
      const float depth = samples[k].t * ray.depth_per_length;
      parts_of_rays_.advance(depth, show_, ray);
      if (ray.ended()) return;
      const std::size_t at = part.first + k;
      const float thickness = volume_extinction(values[3 * stride + at]) * samples[k].dt;
      const auto radiance = [&](std::size_t c) { return std::max(values[c * stride + at], 0.0f); };
      add_drawn_sample(
          {thickness, opacity_of_thickness(thickness), {radiance(0), radiance(1), radiance(2)}},
          depth, ray);
    }
  }

  const DrawnPlain& drawn_;
  const FieldCamera camera_;
  const std::size_t width_, pixels_;
  const RenderSettings& settings_;
  const ShowVolume show_;
  const RayParts parts_of_rays_;
  FrameStats& stats_;
  const OccupancyBits occupancy_;
  const MarchSettings march_;
  std::size_t first_ = 0;  // pixel of the first ray
  std::vector<VolumeRay> rays_;
  std::vector<std::uint32_t> alive_;
  std::vector<RaySample> samples_;  // [alive][samples of a ray]
  std::vector<WavePart> parts_;     // [alive]
};

}  // namespace

void draw_volume(const DrawnPlain& drawn, const PictureRequest& picture, FrameStats& stats) {
  const RenderOutputs& outputs = picture.settings.outputs;
  if (outputs.normal || outputs.tile_cost) {
    throw Error(outputs.normal ? "volumes have no normals" : "volumes are not drawn in tiles",
                "the requested images", "request depth or overdraw");
  }
  VolumePainting(drawn, picture, stats).paint();
}

}  // namespace mote
