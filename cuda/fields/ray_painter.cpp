#include "cuda/fields/ray_painter.h"

#include <algorithm>
#include <limits>

#include "core/elapsed.h"
#include "core/error.h"
#include "fields/field_march.h"
#include "fields/proposals/contraction.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kRaysOfTask = 1024;
/// Rays whose samples proposals choose: each has some hundred intervals.
constexpr std::size_t kProposedRaysAtOnce = std::size_t{1} << 15;

/// Whether the device makes the camera's rays: not those through a lens, of a camera in motion, or
/// through turned boxes.
bool has_plain_rays(const Camera& camera, const NeuralField& field) {
  return is_plain(camera) && field.crops.empty();
}

void check_outputs_of_rays(const RenderOutputs& outputs) {
  if (outputs.normal || outputs.tile_cost) {
    throw Error(
        outputs.normal ? "neural fields have no normals" : "neural fields are not drawn in tiles",
        "the requested images",
        "request depth or overdraw; --mode normals shows normals computed from the depths");
  }
}

}  // namespace

FrameStats RayPainter::render(const PaintedField& field, const PictureRequest& request) {
  check_outputs_of_rays(request.settings.outputs);
  const auto start = SteadyClock::now();
  for (Frame& part : request.parts) prepare_frame(request.camera, request.settings, part);
  FrameStats stats;
  with_remedy(
      [&] {
        begin(request);
        draw(field, field_camera(field.facts.placement, request.camera), request);
        times_.end();
        stats.delivered = finish(request);
        stats.evaluations = follower_.evaluated();
      },
      [] { return "end other programs on the device, or use --device cpu"; });
  times_.read(stats);
  stats.total_ms = ms_since(start);
  return stats;
}

void RayPainter::begin(const PictureRequest& request) {
  while (pictures_.size() < request.parts.size()) pictures_.emplace_back(stream_);
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    pictures_[i].begin(request.settings, request.parts[i]);
  }
  if (request.parts.size() > 1) upload_sheets(request);
  follower_.start_count();
  times_.begin(request.settings);
}

bool RayPainter::finish(const PictureRequest& request) {
  bool delivered = false;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    delivered = pictures_[i].finish(request.settings, request.parts[i]);
  }
  return delivered;
}

/// Depths, then opacities.
void RayPainter::upload_sheets(const PictureRequest& request) {
  const std::span<const Frame> sheets = request.dividers.sheets;
  const std::size_t pixels = sheets.front().alpha.pixels.size();
  sheets_.resize_discard(2 * sheets.size() * pixels);
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    sheets_.upload(sheets[i].depth_expected.pixels.span(), stream_, i * pixels);
    sheets_.upload(sheets[i].alpha.pixels.span(), stream_, (sheets.size() + i) * pixels);
  }
  std::vector<PictureImages> images;
  for (std::size_t i = 0; i < request.parts.size(); ++i) images.push_back(pictures_[i].images());
  images_.resize_discard(images.size());
  images_.upload(images, stream_);
  check(cudaStreamSynchronize(stream_), "copying the layers of other models");
}

RayPicture RayPainter::picture_of(const PictureRequest& request) {
  RayPicture picture{
      .width = request.camera.width,
      .height = request.camera.height,
      .background = {},
      .images = pictures_.front().images(),
      .sheets = {.sheets = 0, .pixels = 0, .depths = nullptr, .opacities = nullptr, .scale = 1},
      .parts = nullptr,
      .first = 0};
  std::ranges::copy(request.settings.background, picture.background);
  if (request.parts.size() == 1) return picture;
  const std::size_t sheets = request.dividers.sheets.size();
  const std::size_t pixels = sheets_.size() / (2 * sheets);
  picture.sheets = {.sheets = static_cast<int>(sheets),
                    .pixels = pixels,
                    .depths = sheets_.data(),
                    .opacities = sheets_.data() + sheets * pixels,
                    .scale = request.dividers.depth_scale};
  picture.parts = images_.data();
  return picture;
}

/// Draws a NeRF whose samples proposals choose: all rays have the same number of them.
void RayPainter::draw_proposed(const PaintedField& field, const FieldCamera& camera,
                               const PictureRequest& request) {
  const std::size_t all = rays_of_picture(camera.camera.width, camera.camera.height);
  RayPicture picture = picture_of(request);
  field.proposals->rays.choose({.seed = 0, .is_random = 0, .anneal = 1});
  field.proposals->rays.enqueue_choice();
  for (std::size_t first = 0; first < all; first += kProposedRaysAtOnce) {
    stop_if_superseded(request.settings);
    follower_.begin(std::min(kProposedRaysAtOnce, all - first));
    start_rays(field, camera, first);
    picture.first = static_cast<unsigned>(first);
    draw_proposed_part(field, picture);
  }
}

void RayPainter::draw_proposed_part(const PaintedField& field, const RayPicture& picture) {
  const unsigned count = follower_.rays();
  ProposedRays& rays = field.proposals->rays;
  const std::size_t samples = count * rays.samples();
  field.evaluator.begin(count, samples);
  field.evaluator.enqueue_directions(follower_.starts(), count);
  rays.begin(count, field.proposals->fields);
  proposed_.begin(count, samples);
  rays.enqueue_samples(follower_.starts(),
                       unbounded_box(field.facts.render_box, field.facts.aabb_scale),
                       proposed_.planes(), field.proposals->fields);
  rays.enqueue_segments(follower_.starts(), proposed_.segments(), proposed_.states(),
                        proposed_.alive());
  field.evaluator.enqueue(proposed_.planes(),
                          {.first = 0, .count = static_cast<unsigned>(samples)});
  follower_.add_count(samples);
  proposed_.enqueue_picture(field.evaluator.values(), picture);
}

void RayPainter::draw(const PaintedField& field, const FieldCamera& camera,
                      const PictureRequest& request) {
  if (field.proposals != nullptr) return draw_proposed(field, camera, request);
  const RenderSettings& settings = request.settings;
  const MarchSettings march =
      march_in_box(field.facts.render_box, field.facts.aabb_scale, settings.field_step);
  const bool in_one_kernel = field.evaluator.can_follow();
  const std::size_t all = rays_of_picture(camera.camera.width, camera.camera.height);
  const std::size_t at_once = RayFollower::rays_at_once(in_one_kernel);
  RayPicture picture = picture_of(request);
  for (std::size_t first = 0; first < all; first += at_once) {
    stop_if_superseded(settings);
    const std::size_t count = std::min(at_once, all - first);
    follower_.begin(count);
    if (in_one_kernel) {
      field.evaluator.begin_rays(count);
    } else {
      field.evaluator.begin(count, follower_.wave_samples());
    }
    start_rays(field, camera, first);
    field.evaluator.enqueue_directions(follower_.starts(), follower_.rays());
    picture.first = static_cast<unsigned>(first);
    follower_.follow({.cells = field.occupancy.cells(),
                      .march = march,
                      .box_min = field.box_min,
                      .box_size = field.box_size,
                      .stop = kDrawingStop,
                      .picture = picture,
                      .keeps_colors = false,
                      .stage_ticks = times_.ticks(),
                      .before_wave = [&] { stop_if_superseded(settings); }},
                     field.evaluator, in_one_kernel);
  }
}

void RayPainter::start_rays(const PaintedField& field, const FieldCamera& camera,
                            std::size_t first) {
  const auto number = static_cast<unsigned>(first);
  const int width = camera.camera.width;
  if (has_plain_rays(camera.camera, field.facts)) {
    const glm::vec3 origin(camera.origin);
    run_camera_rays({.origin = {origin.x, origin.y, origin.z},
                     .camera = plain_camera<float>(camera),
                     .world_per_field = static_cast<float>(camera.world_per_field),
                     .width = width,
                     .height = camera.camera.height,
                     .first = number,
                     .count = follower_.rays(),
                     .starts = follower_.starts()},
                    stream_);
    return;
  }
  // Copies of the last rays read the same memory.
  check(cudaStreamSynchronize(stream_), "drawing a neural field");
  const std::span<RayStart> starts = follower_.host_starts();
  pool_.run((starts.size() + kRaysOfTask - 1) / kRaysOfTask, [&](std::size_t task, int) {
    const std::size_t end = std::min((task + 1) * kRaysOfTask, starts.size());
    for (std::size_t i = task * kRaysOfTask; i < end; ++i) {
      starts[i] = start_of(field, camera, pixel_of_ray(number + static_cast<unsigned>(i), width));
    }
  });
  follower_.enqueue_starts();
}

RayStart RayPainter::start_of(const PaintedField& field, const FieldCamera& camera,
                              const RayPixel& pixel) const {
  RayStart start{};
  start.direction[2] = 1;
  start.jitter = 0.5f;
  start.t_end = std::numeric_limits<float>::max();
  const auto through = camera.ray_through_lens(pixel.x + 0.5, pixel.y + 0.5);
  if (!through) return start;
  start.is_ray = 1;
  for (int axis = 0; axis < 3; ++axis) {
    start.origin[axis] = through->origin[axis];
    start.direction[axis] = through->direction[axis];
  }
  start.depth_per_length = through->depth_per_length;
  if (field.facts.crops.empty()) return start;
  double t = 0, t_end = std::numeric_limits<float>::max();
  cut_to_boxes(field.facts.crops, glm::dvec3(through->origin), glm::dvec3(through->direction), t,
               t_end);
  start.t = static_cast<float>(t);
  start.t_end = static_cast<float>(t_end);
  return start;
}

}  // namespace mote::cuda
