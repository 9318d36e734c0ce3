#include "cpu/cpu_field.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/drawn_ray.h"
#include "cpu/plain_drawing.h"
#include "cpu/ray_parts.h"
#include "cpu/slice_drawing.h"
#include "cpu/stored_proposals.h"
#include "fields/applications/compositing.h"
#include "fields/field_camera.h"
#include "fields/latents.h"
#include "fields/proposals/contraction.h"

namespace mote {
namespace {

/// Rays that are followed at once, so that their samples take little memory.
constexpr std::size_t kRaysAtOnce = std::size_t{1} << 16;
/// With proposals, which have some hundred intervals of each ray.
constexpr std::size_t kProposedRaysAtOnce = std::size_t{1} << 12;
/// Pixels are taken in square blocks, since rays of neighbours read the same cells.
constexpr int kBlock_px = 16;

/// For a NeRF, whose colours are display values.
struct ShowNerf {
  const RenderSettings& settings;

  ShownPart operator()(const DrawnRay& ray) const {
    const float left = ray.color.transmittance, alpha = 1 - left;
    ShownPart shown{
        .rgb = {}, .alpha = alpha, .depth_expected = alpha > 0 ? ray.depth_sum / alpha : 0};
    for (std::size_t c = 0; c < 3; ++c) {
      shown.rgb[c] = ray.color.color[c] + left * settings.background[c];
    }
    return shown;
  }
};

/// A picture while its rays are followed.
class Painting {
 public:
  Painting(const DrawnNerf& nerf, const PictureRequest& picture, ThreadPool& pool, NerfWaves& waves)
      : nerf_(nerf),
        march_(
            march_in_box(nerf.field.render_box, nerf.field.aabb_scale, picture.settings.field_step)
                .within(nerf.occupancy.box())),
        camera_(field_camera(nerf.field.placement, picture.camera)),
        width_(picture.camera.width),
        height_(picture.camera.height),
        settings_(picture.settings),
        show_{picture.settings},
        parts_(picture),
        pool_(pool),
        waves_(waves),
        rays_at_once_(nerf.proposals != nullptr ? kProposedRaysAtOnce : kRaysAtOnce) {}

  void paint(FrameStats& stats) {
    const int across = (width_ + kBlock_px - 1) / kBlock_px;
    const int down = (height_ + kBlock_px - 1) / kBlock_px;
    for (int block = 0; block < across * down; ++block) {
      add_block(block % across * kBlock_px, block / across * kBlock_px);
      const bool is_last = block + 1 == across * down;
      if (rays_.size() + kBlock_px * kBlock_px > rays_at_once_ || is_last) follow(stats);
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

  void follow(FrameStats& stats) {
    constexpr std::size_t kMostSamples = kRaysAtOnce * 8;
    waves_.begin(rays_.size(), kMostSamples);
    if (nerf_.proposals != nullptr) nerf_.proposals->begin(rays_.size());
    for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) start(i);
    });
    choose_samples();
    alive_.clear();
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      if (rays_[i].is_seen && !waves_.is_done(i)) alive_.push_back(static_cast<std::uint32_t>(i));
    }
    while (!alive_.empty()) take_wave(stats);
    for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        close_ray(rays_[i]);
        parts_.finish(show_, rays_[i]);
      }
    });
    rays_.clear();
  }

  void start(std::size_t index) {
    DrawnRay& ray = rays_[index];
    parts_.begin(ray);
    const auto through = camera_.ray_through_lens(ray.x + 0.5, ray.y + 0.5);
    ray.is_seen = through.has_value();
    if (!through) return;
    ray.depth_per_length = through->depth_per_length;
    if (nerf_.proposals != nullptr) return start_proposed(index, *through);
    waves_.start(index, march_, through->origin, through->direction, 0.5f);
    waves_.set_reach(index, ray.light(), kDrawingStop);
    double t = 0, t_end = std::numeric_limits<float>::max();
    cut_to_boxes(nerf_.field.crops, glm::dvec3(through->origin), glm::dvec3(through->direction), t,
                 t_end);
    if (nerf_.field.crops.empty()) return;
    waves_.shorten(index, march_, static_cast<float>(t), static_cast<float>(t_end));
  }

  /// Proposals choose samples in the part of the ray that is drawn.
  void start_proposed(std::size_t index, const FieldCamera::Ray& ray) {
    const FieldBox box = unbounded_box(nerf_.field.render_box, nerf_.field.aabb_scale);
    float t = 0, t_end = std::numeric_limits<float>::max();
    for (int axis = 0; axis < 3; ++axis) {
      const float along = ray.direction[axis];
      cut_to_slab(box.min[axis], box.max[axis], ray.origin[axis], along, 1 / along, t, t_end);
    }
    double first = static_cast<double>(t), last = static_cast<double>(t_end);
    cut_to_boxes(nerf_.field.crops, glm::dvec3(ray.origin), glm::dvec3(ray.direction), first, last);
    nerf_.proposals->start(index, ray.origin, ray.direction, static_cast<float>(first),
                           static_cast<float>(last));
    waves_.start(index, ray.origin, ray.direction, nerf_.proposals->samples(index));
  }

  void choose_samples() {
    if (nerf_.proposals == nullptr) return;
    const auto start = SteadyClock::now();
    nerf_.proposals->sample(nerf_.proposal_tables);
    waves_.times().march_ms += ms_since(start);
  }

  void take_wave(FrameStats& stats) {
    stop_if_superseded(settings_);
    segments_.assign(alive_.size(), {});
    waves_.forget_samples();
    waves_.advance(nerf_.tables, nerf_.occupancy, march_, alive_,
                   NerfWaves::samples_per_ray(alive_.size()), segments_);
    stats.evaluations += waves_.sample_count();
    for_each_part(pool_, 0, alive_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        DrawnRay& ray = rays_[alive_[i]];
        composite(segments_[i], ray);
        waves_.set_reach(alive_[i], ray.light(), kDrawingStop);
      }
    });
    std::size_t left = 0;
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      const bool goes_on = !waves_.is_done(alive_[i]) && !rays_[alive_[i]].ended();
      if (goes_on) alive_[left++] = alive_[i];
    }
    alive_.resize(left);
  }

  void composite(RaySegment segment, DrawnRay& ray) const {
    CHECK(segment.count != NerfWaves::kNoSpace);
    for (std::size_t i = segment.first; i < std::size_t{segment.first} + segment.count; ++i) {
      const float depth = waves_.distances()[i] * ray.depth_per_length;
      parts_.advance(depth, show_, ray);
      if (ray.ended()) return;
      add_drawn_sample({waves_.thickness()[i],
                        waves_.opacity()[i],
                        {waves_.color(0)[i], waves_.color(1)[i], waves_.color(2)[i]}},
                       depth, ray);
    }
  }

  const DrawnNerf& nerf_;
  const MarchSettings march_;
  const FieldCamera camera_;
  const int width_, height_;
  const RenderSettings& settings_;
  const ShowNerf show_;
  const RayParts parts_;
  ThreadPool& pool_;
  NerfWaves& waves_;
  const std::size_t rays_at_once_;
  std::vector<DrawnRay> rays_;
  std::vector<std::uint32_t> alive_;
  std::vector<RaySegment> segments_;
};

/// Position `i` of planes from 0 to 1, in the field's frame.
Vec3<float> place_of(const NerfShape& shape, const float* positions, std::size_t i,
                     std::size_t stride) {
  const auto place = [&](std::size_t axis) {
    return shape.box_min + shape.box_size * positions[axis * stride + i];
  };
  return {place(0), place(1), place(2)};
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
        table_(halves_of(std::span(field.parameters).subspan(shape_.layout.encoding_first), pool)),
        facts_(std::move(field)),
        nerf_{{networks_.data(), table_.data()}, occupancy_, facts_} {
    waves_.show_latents(shown_latents(facts_.latents, shape_.layout.latents));
    if (facts_.proposals) {
      proposals_.emplace(facts_, kernels, pool);
      nerf_.proposals = &proposals_->rays();
      nerf_.proposal_tables = proposals_->tables();
      for (ProposalRound& round : facts_.proposals->rounds) round.parameters = {};
    }
    facts_.parameters = facts_.occupancy.values = {};
  }

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return render_parts(camera, settings, {}, {&frame, 1});
  }
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    if (settings.outputs.slice) {
      const OccupancyBits* occupied = facts_.proposals ? nullptr : &occupancy_;
      return draw_slice({*this, facts_, occupied}, {camera, settings, parts}, pool_);
    }
    return draw_nerf(nerf_, {camera, settings, parts, dividers}, pool_, waves_);
  }

  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    evaluate_densities(nerf_.tables, waves_, positions, count, stride, values);
  }
  void radiance(const float* positions, const float* directions, std::size_t count,
                std::size_t stride, float* colors) override {
    evaluate_radiance(nerf_.tables, waves_, positions, directions, count, stride, colors);
  }

 private:
  NerfShape shape_;
  ThreadPool& pool_;
  NerfWaves waves_;
  OccupancyBits occupancy_;
  std::vector<float> networks_;
  Buffer<std::uint16_t> table_;
  NeuralField facts_;  // without parameters and occupancy
  std::optional<StoredProposals> proposals_;
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
        table_(
            halves_of(std::span(field_.parameters).subspan(shape_.layout.encoding_first), pool)) {
    field_.parameters = {};
  }

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return render_parts(camera, settings, {}, {&frame, 1});
  }
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    if (settings.outputs.slice)
      return draw_slice_of(*this, field_, {camera, settings, parts}, pool_);
    return draw_plain({field_, tables(), values_, pool_}, {camera, settings, parts, dividers});
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    values_.evaluate_all(tables(), positions, count, stride, values);
  }

 private:
  FieldParameters tables() const { return {networks_.data(), table_.data()}; }

  NeuralField field_;  // without its parameters
  PlainShape shape_;
  ThreadPool& pool_;
  PlainField values_;
  std::vector<float> networks_;
  Buffer<std::uint16_t> table_;
};

}  // namespace

void evaluate_densities(FieldParameters tables, NerfWaves& waves, const float* positions,
                        std::size_t count, std::size_t stride, float* values) {
  waves.densities(
      tables, count, [&](std::size_t i) { return place_of(waves.shape(), positions, i, stride); },
      [&](std::size_t i, float log_density) { values[i] = log_density; });
}

void evaluate_radiance(FieldParameters tables, NerfWaves& waves, const float* positions,
                       const float* directions, std::size_t count, std::size_t stride,
                       float* colors) {
  waves.radiance(
      tables, count, [&](std::size_t i) { return place_of(waves.shape(), positions, i, stride); },
      [&](std::size_t i) {
        return glm::vec3(directions[i], directions[stride + i], directions[2 * stride + i]);
      },
      [&](std::size_t i, const glm::vec3& color) {
        for (int c = 0; c < 3; ++c) colors[static_cast<std::size_t>(c) * stride + i] = color[c];
      });
}

FrameStats draw_nerf(const DrawnNerf& nerf, const PictureRequest& picture, ThreadPool& pool,
                     NerfWaves& waves) {
  const auto start = SteadyClock::now();
  const RenderOutputs& outputs = picture.settings.outputs;
  if (outputs.normal || outputs.tile_cost) {
    throw Error(
        outputs.normal ? "neural fields have no normals" : "neural fields are not drawn in tiles",
        "the requested images",
        "request depth or overdraw; --mode normals shows normals computed from the depths");
  }
  for (Frame& part : picture.parts) prepare_frame(picture.camera, picture.settings, part);
  FrameStats stats;
  waves.times() = {};
  Painting(nerf, picture, pool, waves).paint(stats);
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
