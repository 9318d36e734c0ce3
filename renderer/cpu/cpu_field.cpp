#include "cpu/cpu_field.h"

#include <algorithm>

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/plain_drawing.h"
#include "fields/applications/compositing.h"
#include "fields/field_camera.h"
#include "math/half.h"

namespace mote {
namespace {

/// Rays that are followed at once, so that their samples take little memory.
constexpr std::size_t kRaysAtOnce = std::size_t{1} << 16;
/// Pixels are taken in square blocks, since rays of neighbours read the same cells.
constexpr int kBlock_px = 16;

struct DrawnRay {
  int x = 0, y = 0;
  bool is_seen = true;         // false: the lens shows nothing there
  float depth_per_length = 0;  // view z, world units
  RayColor<float> color;
  float depth_sum = 0, depth_median = 0;
  std::uint32_t samples = 0;
};

void add_drawn_sample(const SampleColor<float>& sample, float distance, DrawnRay& ray) {
  const bool was_above = ray.color.transmittance > 0.5f;
  const float weight = add_sample(sample, ray.color), depth = distance * ray.depth_per_length;
  ray.depth_sum += weight * depth;
  if (was_above && ray.color.transmittance <= 0.5f) ray.depth_median = depth;
  ++ray.samples;
}

/// An ended ray counts as opaque, so that pictures do not depend on where rays end.
void close_ray(DrawnRay& ray) {
  if (ray.color.transmittance >= kDrawingStop) return;
  const float opaque = 1 / (1 - ray.color.transmittance);
  for (float& channel : ray.color.color) channel *= opaque;
  ray.depth_sum *= opaque;
  ray.color.transmittance = 0;
}

void store_pixel(const DrawnRay& ray, const RenderSettings& settings, Frame& frame) {
  const std::size_t at =
      static_cast<std::size_t>(ray.y) * static_cast<std::size_t>(frame.rgb.width) +
      static_cast<std::size_t>(ray.x);
  const float left = ray.color.transmittance, alpha = 1 - left;
  for (std::size_t c = 0; c < 3; ++c) {
    frame.rgb.pixels[3 * at + c] = ray.color.color[c] + left * settings.background[c];
  }
  const RenderOutputs& outputs = settings.outputs;
  if (outputs.alpha) frame.alpha.pixels[at] = alpha;
  if (outputs.depth) {
    frame.depth_expected.pixels[at] = alpha > 0 ? ray.depth_sum / alpha : 0;
    frame.depth_median.pixels[at] = ray.depth_median;
  }
  if (outputs.overdraw) frame.overdraw.pixels[at] = static_cast<float>(ray.samples);
}

/// A picture while its rays are followed.
class Painting {
 public:
  Painting(const DrawnNerf& nerf, const Camera& camera, const RenderSettings& settings,
           ThreadPool& pool, NerfWaves& waves)
      : nerf_(nerf),
        camera_(field_camera(nerf.placement, camera)),
        width_(camera.width),
        height_(camera.height),
        settings_(settings),
        pool_(pool),
        waves_(waves) {}

  void paint(Frame& frame, FrameStats& stats) {
    const int across = (width_ + kBlock_px - 1) / kBlock_px;
    const int down = (height_ + kBlock_px - 1) / kBlock_px;
    for (int block = 0; block < across * down; ++block) {
      add_block(block % across * kBlock_px, block / across * kBlock_px);
      const bool is_last = block + 1 == across * down;
      if (rays_.size() + kBlock_px * kBlock_px > kRaysAtOnce || is_last) follow(frame, stats);
    }
  }

 private:
  void add_block(int first_x, int first_y) {
    for (int y = first_y; y < std::min(first_y + kBlock_px, height_); ++y) {
      for (int x = first_x; x < std::min(first_x + kBlock_px, width_); ++x) {
        DrawnRay& ray = rays_.emplace_back();
        ray.x = x;
        ray.y = y;
      }
    }
  }

  void follow(Frame& frame, FrameStats& stats) {
    constexpr std::size_t kMostSamples = kRaysAtOnce * 8;
    waves_.begin(rays_.size(), kMostSamples);
    for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) start(i);
    });
    alive_.clear();
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (rays_[i].is_seen) alive_.push_back(static_cast<std::uint32_t>(i));
    }
    while (!alive_.empty()) take_wave(stats);
    for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        close_ray(rays_[i]);
        store_pixel(rays_[i], settings_, frame);
      }
    });
    rays_.clear();
  }

  void start(std::size_t index) {
    DrawnRay& ray = rays_[index];
    const auto through = camera_.ray_through_lens(ray.x + 0.5, ray.y + 0.5);
    ray.is_seen = through.has_value();
    if (!through) return;
    ray.depth_per_length = through->depth_per_length;
    waves_.start(index, nerf_.march, through->origin, through->direction, 0.5f);
  }

  void take_wave(FrameStats& stats) {
    stop_if_superseded(settings_);
    segments_.assign(alive_.size(), {});
    waves_.forget_samples();
    waves_.advance(nerf_.tables, nerf_.occupancy, nerf_.march, alive_,
                   NerfWaves::samples_per_ray(alive_.size()), segments_);
    stats.evaluations += waves_.sample_count();
    for_each_part(pool_, 0, alive_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) composite(segments_[i], rays_[alive_[i]]);
    });
    std::size_t left = 0;
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      const bool goes_on =
          segments_[i].count > 0 && rays_[alive_[i]].color.transmittance >= kDrawingStop;
      if (goes_on) alive_[left++] = alive_[i];
    }
    alive_.resize(left);
  }

  void composite(RaySegment segment, DrawnRay& ray) const {
    CHECK(segment.count != NerfWaves::kNoSpace);
    for (std::size_t i = segment.first; i < std::size_t{segment.first} + segment.count; ++i) {
      if (ray.color.transmittance < kDrawingStop) return;
      add_drawn_sample({waves_.thickness()[i],
                        waves_.opacity()[i],
                        {waves_.color(0)[i], waves_.color(1)[i], waves_.color(2)[i]}},
                       waves_.distances()[i], ray);
    }
  }

  const DrawnNerf& nerf_;
  const FieldCamera camera_;
  const int width_, height_;
  const RenderSettings& settings_;
  ThreadPool& pool_;
  NerfWaves& waves_;
  std::vector<DrawnRay> rays_;
  std::vector<std::uint32_t> alive_;
  std::vector<RaySegment> segments_;
};

/// The parameters of a field's grid. Kernels read whole words of two halves.
Buffer<std::uint16_t> halves_of(const NeuralField& field, std::size_t first, ThreadPool& pool) {
  const std::size_t count = field.parameters.size() - first;
  Buffer<std::uint16_t> halves(count + 1);
  halves[count] = 0;
  for_each_part(pool, 0, count, std::size_t{1} << 16, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) halves[i] = to_half(field.parameters[first + i]);
  });
  return halves;
}

class CpuField : public DeviceField {
 public:
  CpuField(NeuralField field, const CpuKernels& kernels, ThreadPool& pool)
      : shape_(field),
        pool_(pool),
        waves_(shape_, kernels, pool),
        occupancy_(field.occupancy),
        networks_(
            field.parameters.begin(),
            field.parameters.begin() + static_cast<std::ptrdiff_t>(shape_.layout.encoding_first)),
        table_(halves_of(field, shape_.layout.encoding_first, pool)),
        nerf_{
            {networks_.data(), table_.data()}, occupancy_, field.placement, drawing_march(field)} {}

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return draw_nerf(nerf_, camera, settings, pool_, waves_, frame);
  }

  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    evaluate_densities(nerf_.tables, waves_, positions, count, stride, values);
  }

 private:
  NerfShape shape_;
  ThreadPool& pool_;
  NerfWaves waves_;
  OccupancyBits occupancy_;
  std::vector<float> networks_;
  Buffer<std::uint16_t> table_;
  DrawnNerf nerf_;
};

/// A field with one network.
class CpuPlainField : public DeviceField {
 public:
  CpuPlainField(NeuralField field, const CpuKernels& kernels, ThreadPool& pool)
      : field_(std::move(field)),
        shape_(field_),
        pool_(pool),
        values_(shape_, kernels, pool),
        networks_(
            field_.parameters.begin(),
            field_.parameters.begin() + static_cast<std::ptrdiff_t>(shape_.layout.encoding_first)),
        table_(halves_of(field_, shape_.layout.encoding_first, pool)) {
    field_.parameters = {};
  }

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return draw_plain({field_, tables(), values_, pool_}, camera, settings, frame);
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    values_.evaluate_all(tables(), positions, count, stride, values);
  }

 private:
  NerfTables tables() const { return {networks_.data(), table_.data()}; }

  NeuralField field_;  // without its parameters
  PlainShape shape_;
  ThreadPool& pool_;
  PlainField values_;
  std::vector<float> networks_;
  Buffer<std::uint16_t> table_;
};

}  // namespace

void evaluate_densities(NerfTables tables, NerfWaves& waves, const float* positions,
                        std::size_t count, std::size_t stride, float* values) {
  const NerfShape& shape = waves.shape();
  const auto place = [&](std::size_t i, std::size_t axis) {
    return shape.box_min + shape.box_size * positions[axis * stride + i];
  };
  waves.densities(
      tables, count,
      [&](std::size_t i) {
        return Vec3<float>{place(i, 0), place(i, 1), place(i, 2)};
      },
      [&](std::size_t i, float log_density) { values[i] = log_density; });
}

FrameStats draw_nerf(const DrawnNerf& nerf, const Camera& camera, const RenderSettings& settings,
                     ThreadPool& pool, NerfWaves& waves, Frame& frame) {
  const auto start = SteadyClock::now();
  if (settings.outputs.normal || settings.outputs.tile_cost) {
    throw Error(settings.outputs.normal ? "neural fields have no normals"
                                        : "neural fields are not drawn in tiles",
                "the requested images",
                "request depth or overdraw; --mode normals shows normals computed from the depths");
  }
  prepare_frame(camera, settings, frame);
  FrameStats stats;
  waves.times() = {};
  Painting(nerf, camera, settings, pool, waves).paint(frame, stats);
  take_times(waves.times(), ms_since(start), stats);
  return stats;
}

std::unique_ptr<DeviceField> make_cpu_field(NeuralField field, const CpuKernels& kernels,
                                            ThreadPool& pool) {
  if (field.application != FieldApplication::nerf) {
    return std::make_unique<CpuPlainField>(std::move(field), kernels, pool);
  }
  return std::make_unique<CpuField>(std::move(field), kernels, pool);
}

}  // namespace mote
