#include "cuda/fields/ray_painter.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/elapsed.h"
#include "core/error.h"
#include "fields/applications/shown_ray.h"
#include "fields/field_march.h"

namespace mote::cuda {
namespace {

/// Rays that are followed at once, so that their samples take little memory.
constexpr std::size_t kRaysAtOnce = std::size_t{1} << 16;
constexpr std::size_t kRaysOfTask = 1024;
/// Pixels are taken in square blocks, since rays of neighbours read the same cells.
constexpr int kBlock_px = 8;

void check_outputs_of_rays(const RenderOutputs& outputs, const std::string& device) {
  if (outputs.normal || outputs.tile_cost) {
    throw Error(
        outputs.normal ? "neural fields have no normals" : "neural fields are not drawn in tiles",
        "the requested images",
        "request depth or overdraw; --mode normals shows normals computed from the depths");
  }
  if (outputs.slice) {
    throw Error("slices of neural fields are not built for CUDA", device, "use --device cpu");
  }
}

}  // namespace

FrameStats RayPainter::render(const PaintedField& field, const std::string& device,
                              const Camera& camera, const RenderSettings& settings, Frame& frame) {
  check_outputs_of_rays(settings.outputs, device);
  const auto start = SteadyClock::now();
  prepare_frame(camera, settings, frame);
  pixels_.clear();
  for (int block_y = 0; block_y < camera.height; block_y += kBlock_px) {
    for (int block_x = 0; block_x < camera.width; block_x += kBlock_px) {
      for (int y = block_y; y < std::min(block_y + kBlock_px, camera.height); ++y) {
        for (int x = block_x; x < std::min(block_x + kBlock_px, camera.width); ++x) {
          pixels_.push_back({static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)});
        }
      }
    }
  }
  evaluated_ = 0;
  with_remedy([&] { draw(field, field_camera(field.facts.placement, camera), settings, frame); },
              [] { return "end other programs on the device, or use --device cpu"; });
  FrameStats stats;
  stats.evaluations = evaluated_;
  stats.total_ms = ms_since(start);
  stats.compose_ms = stats.total_ms;
  return stats;
}

void RayPainter::draw(const PaintedField& field, const FieldCamera& camera,
                      const RenderSettings& settings, Frame& frame) {
  const MarchSettings march =
      march_in_box(field.facts.render_box, field.facts.aabb_scale, settings.field_step)
          .within(field.bits.box());
  for (std::size_t first = 0; first < pixels_.size(); first += kRaysAtOnce) {
    const std::size_t count = std::min(kRaysAtOnce, pixels_.size() - first);
    waves_.begin(count, RayWaves::most_samples(count));
    field.evaluator.begin(count, RayWaves::most_samples(count));
    const auto for_rays = [&](const auto& work) {
      pool_.run((count + kRaysOfTask - 1) / kRaysOfTask, [&](std::size_t task, int) {
        const std::size_t end = std::min((task + 1) * kRaysOfTask, count);
        for (std::size_t i = task * kRaysOfTask; i < end; ++i) work(i);
      });
    };
    for_rays([&](std::size_t i) {
      RayStart& ray = waves_.starts()[i];
      ray = start_of(field, camera, pixels_[first + i]);
      field.evaluator.set_direction(
          i, glm::vec3(ray.direction[0], ray.direction[1], ray.direction[2]));
    });
    field.evaluator.enqueue_directions();
    waves_.follow({.occupancy = field.occupancy.view(),
                   .march = march,
                   .box_min = field.box_min,
                   .box_size = field.box_size,
                   .values = field.evaluator.values(),
                   .stop = kDrawingStop,
                   .keeps_samples = false,
                   .evaluate =
                       [&](unsigned from, unsigned samples) {
                         field.evaluator.enqueue(waves_.samples(), from, samples);
                       },
                   .before_wave = [&] { stop_if_superseded(settings); }});
    evaluated_ += waves_.evaluated();
    colors_.resize_discard(count);
    host_colors_.resize_discard(count);
    run_drawn_colors(waves_.rays(), static_cast<unsigned>(count), colors_.data(), stream_);
    colors_.download(host_colors_.span(), stream_);
    check(cudaStreamSynchronize(stream_), "drawing a neural field");
    for_rays([&](std::size_t i) {
      store(field, settings, pixels_[first + i], host_colors_.data()[i], frame);
    });
  }
}

RayStart RayPainter::start_of(const PaintedField& field, const FieldCamera& camera,
                              Pixel pixel) const {
  RayStart start{};
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

void RayPainter::store(const PaintedField& field, const RenderSettings& settings, Pixel pixel,
                       const DrawnColor& ray, Frame& frame) const {
  const bool ended = ray.color.transmittance < kDrawingStop;
  ShownRay shown;
  if (field.facts.application == FieldApplication::volume) {
    shown = shown_volume(ray, ended, settings.background);
  } else {
    DrawnColor closed = ray;
    if (ended) close_drawn(closed);
    shown = shown_nerf(closed, settings.background);
  }
  const std::size_t at = std::size_t{pixel.y} * static_cast<std::size_t>(frame.rgb.width) + pixel.x;
  std::copy_n(shown.rgb, 3, frame.rgb.pixels.data() + 3 * at);
  const RenderOutputs& outputs = settings.outputs;
  if (outputs.alpha) frame.alpha.pixels[at] = shown.alpha;
  if (outputs.depth) {
    frame.depth_expected.pixels[at] = shown.depth_expected;
    frame.depth_median.pixels[at] = ray.depth_median;
  }
  if (outputs.overdraw) frame.overdraw.pixels[at] = static_cast<float>(ray.samples);
}

}  // namespace mote::cuda
