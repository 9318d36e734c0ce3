#include "cpu/nerf_drawing.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/cpu_field.h"
#include "cpu/drawn_ray.h"
#include "cpu/ray_parts.h"
#include "fields/applications/compositing.h"
#include "fields/field_camera.h"
#include "fields/proposals/contraction.h"

namespace mote {
namespace {

/// Rays that are followed at once, so that their samples take little memory.
constexpr std::size_t kRaysAtOnce = std::size_t{1} << 16;
/// With proposals, which have some hundred intervals of each ray.
constexpr std::size_t kProposedRaysAtOnce = std::size_t{1} << 12;
/// Pixels are taken in square blocks, since rays of neighbours read the same cells.
constexpr int kBlock_px = 16;

/// Rays with proposals that are followed at once: fewer where rays have many intervals.
std::size_t proposed_rays_at_once(const ProposalSampler& proposals) {
  constexpr std::size_t kIntervals = std::size_t{1} << 18, kLeast = 256;
  int most = proposals.samples;
  for (const ProposalRound& round : proposals.rounds) most = std::max(most, round.samples);
  return std::clamp(kIntervals / static_cast<std::size_t>(most), kLeast, kProposedRaysAtOnce);
}

struct ShowNerf {
  const RenderSettings& settings;

  ShownRay operator()(const DrawnRay& ray) const {
    return shown_nerf(ray, settings.background.data());
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
        rays_at_once_(nerf.proposals != nullptr ? proposed_rays_at_once(*nerf.field.proposals)
                                                : kRaysAtOnce),
        start_at_once_(nerf.proposals != nullptr ? rays_at_once_ : kRaysAtOnce / 4) {}

  void paint(FrameStats& stats) {
    const int across = (width_ + kBlock_px - 1) / kBlock_px;
    const int down = (height_ + kBlock_px - 1) / kBlock_px;
    begin_rays();
    for (int block = 0; block < across * down; ++block) {
      const bool is_last = block + 1 == across * down;
      add_block(block % across * kBlock_px, block / across * kBlock_px);
      if (rays_.size() - started_ + kBlockRays <= start_at_once_ && !is_last) continue;
      start_rays();
      if (rays_.size() + start_at_once_ > rays_at_once_ || is_last) follow(stats);
    }
  }

 private:
  static constexpr std::size_t kBlockRays = kBlock_px * kBlock_px;

  void begin_rays() {
    constexpr std::size_t kMostSamples = kRaysAtOnce * 8;
    rays_.clear();
    started_ = 0;
    waves_.begin(rays_at_once_, kMostSamples);
  }

  void add_block(int first_x, int first_y) {
    for (int y = first_y; y < std::min(first_y + kBlock_px, height_); ++y) {
      for (int x = first_x; x < std::min(first_x + kBlock_px, width_); ++x) {
        DrawnRay& ray = rays_.emplace_back();
        ray.x = x;
        ray.y = y;
      }
    }
  }

  /// Starts the rays that were added. Those that miss the field are painted and removed, so that
  /// waves have as many of the others as there is space for.
  void start_rays() {
    if (nerf_.proposals != nullptr) nerf_.proposals->begin(rays_.size());
    for_each_part(pool_, started_, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        start(i);
        if (!is_alive(i)) parts_.finish(show_, rays_[i]);
      }
    });
    std::size_t end = started_;
    for (std::size_t i = started_; i < rays_.size(); ++i) {
      if (!is_alive(i)) continue;
      if (end != i) {
        rays_[end] = rays_[i];
        waves_.move_ray(i, end);
      }
      ++end;
    }
    rays_.resize(end);
    started_ = end;
  }

  bool is_alive(std::size_t index) const { return rays_[index].is_seen && !waves_.is_done(index); }

  void follow(FrameStats& stats) {
    choose_samples();
    alive_.resize(rays_.size());
    std::iota(alive_.begin(), alive_.end(), 0u);
    while (!alive_.empty()) take_wave(stats);
    for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        close_ray(rays_[i]);
        parts_.finish(show_, rays_[i]);
      }
    });
    begin_rays();
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
  const std::size_t rays_at_once_, start_at_once_;
  std::vector<DrawnRay> rays_;
  std::size_t started_ = 0;  // of these rays
  std::vector<std::uint32_t> alive_;
  std::vector<RaySegment> segments_;
};

}  // namespace

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

}  // namespace mote
