#include "cuda/fields/field_painter.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <vector>

#include "core/elapsed.h"
#include "core/error.h"
#include "core/release.h"
#include "cuda/kernels/fields/image_picture.h"
#include "cuda/kernels/fields/surface_picture.h"
#include "fields/applications/field_detail.h"
#include "fields/applications/field_layout.h"
#include "fields/field_camera.h"
#include "fields/field_march.h"
#include "fields/image_plane.h"
#include "fields/image_view.h"

namespace mote::cuda {
namespace {

/// Positions that are evaluated at once, so that they take little memory.
constexpr std::size_t kPositionsAtOnce = std::size_t{1} << 20;

template <class Vector>
Vec3<float> lanes_of(const Vector& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

void check_outputs_of_image(const RenderOutputs& outputs) {
  const auto refuse = [&](const char* what) {
    throw Error(what, "the requested images", "request depth or overdraw");
  };
  if (outputs.normal) refuse("images have no normals");
  if (outputs.tile_cost) refuse("images are not drawn in tiles");
}

void check_outputs_of_surface(const RenderOutputs& outputs) {
  if (!outputs.tile_cost) return;
  throw Error("surfaces are not drawn in tiles", "the requested images", "request overdraw");
}

}  // namespace

FieldPainter::Rays::Rays(const NeuralField& field, ThreadPool& pool, cudaStream_t stream)
    : occupancy(stream), evaluator(stream), painter(pool, stream) {
  occupancy.upload(OccupancyBits(known_occupancy(field)));
}

FieldPainter::FieldPainter(NeuralField field, ThreadPool& pool, cudaStream_t stream)
    : stream_(stream),
      inputs_(static_cast<std::size_t>(field_inputs(field.application))),
      outputs_(static_cast<std::size_t>(field_outputs(field.application))),
      field_(std::move(field)),
      picture_(stream),
      times_(stream) {
  release(field_.parameters);
  if (field_.application == FieldApplication::volume) rays_.emplace(field_, pool, stream);
  if (field_.application == FieldApplication::sdf) upload_crops();
}

FrameStats FieldPainter::render(const FieldTables& tables, const PictureRequest& request) {
  if (rays_) return draw_volume(tables, request);
  for (Frame& behind : request.parts.subspan(1)) behind = {};
  const Camera& camera = request.camera;
  const RenderSettings& settings = request.settings;
  Frame& frame = request.first();
  const bool is_image = field_.application == FieldApplication::image;
  is_image ? check_outputs_of_image(settings.outputs) : check_outputs_of_surface(settings.outputs);
  const auto start = SteadyClock::now();
  prepare_frame(camera, settings, frame);
  FrameStats stats = with_remedy(
      [&] {
        picture_.begin(settings, frame);
        evaluations_.resize_discard(1);
        times_.begin(settings);
        const std::uint64_t known = is_image ? draw_image(tables, camera, settings)
                                             : draw_surface(tables, camera, settings);
        times_.end();
        return finish(settings, known, frame);
      },
      [] { return "use a smaller size, or --device cpu"; });
  stats.total_ms = ms_since(start);
  return stats;
}

FrameStats FieldPainter::draw_volume(const FieldTables& tables, const PictureRequest& request) {
  rays_->evaluator.use(tables);
  return rays_->painter.render({.facts = field_,
                                .occupancy = rays_->occupancy,
                                .box_min = 0,
                                .box_size = 1,
                                .evaluator = rays_->evaluator},
                               request);
}

void FieldPainter::upload_crops() {
  std::vector<TurnedBox<float>> boxes;
  for (const OrientedBox& box : field_.crops) {
    boxes.push_back({.center = lanes_of(box.center),
                     .half = lanes_of(box.half_size),
                     .box_from_field = {lanes_of(box.rotation[0]), lanes_of(box.rotation[1]),
                                        lanes_of(box.rotation[2])}});
  }
  crops_.resize_discard(boxes.size());
  crops_.upload(boxes, stream_);
  check(cudaStreamSynchronize(stream_), "copying boxes");
}

/// Enqueues the picture, and returns the number of its samples.
std::uint64_t FieldPainter::draw_image(const FieldTables& tables, const Camera& camera,
                                       const RenderSettings& settings) {
  const double aspect = image_aspect(field_);
  ImagePictureArgs args{
      .field = tables,
      .view = image_view(aspect, camera),
      .width = camera.width,
      .height = camera.height,
      .samples_per_side = image_samples_per_side(aspect, field_.image_height, camera),
      .hdr = field_.hdr,
      .background = {},
      .images = picture_.images(),
      .stage_ticks = times_.ticks()};
  std::ranges::copy(settings.background, args.background);
  run_image_picture(args, stream_);
  const auto samples = static_cast<std::uint64_t>(args.samples_per_side);
  return samples * samples * static_cast<std::uint64_t>(camera.width) *
         static_cast<std::uint64_t>(camera.height);
}

/// Enqueues the picture, whose distances the device counts: returns 0.
std::uint64_t FieldPainter::draw_surface(const FieldTables& tables, const Camera& camera,
                                         const RenderSettings& settings) {
  evaluations_.fill_bytes(0, stream_);
  cells_.enqueue(tables, finest_resolution(*field_.config.encoding),
                 static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height),
                 stream_);
  const FieldCamera view = field_camera(field_.placement, camera);
  const auto from_cam = [&](const glm::dvec3& direction) {
    return lanes_of(glm::normalize(view.field_from_cam * direction));
  };
  SurfacePictureArgs args{.field = tables,
                          .view = {.origin = lanes_of(view.origin),
                                   .camera = plain_camera<float>(view),
                                   .world_per_field = static_cast<float>(view.world_per_field),
                                   .pixel = static_cast<float>(0.5 / camera.focal_px.y)},
                          .width = camera.width,
                          .height = camera.height,
                          .box = {lanes_of(field_.render_box.min), lanes_of(field_.render_box.max)},
                          .is_cut = field_.render_box != field_cube(1) || !field_.crops.empty(),
                          .crops = crops_.data(),
                          .crop_count = static_cast<int>(crops_.size()),
                          .cells = cells_.tables(),
                          .reflectance = reflectance_of(settings.surface_color),
                          .sun = from_cam(kSunFromCamera),
                          .up = from_cam(kUpFromCamera),
                          .background = {},
                          .images = picture_.images(),
                          .evaluations = evaluations_.data(),
                          .stage_ticks = times_.ticks()};
  std::ranges::copy(settings.background, args.background);
  run_surface_picture(args, stream_);
  return 0;
}

FrameStats FieldPainter::finish(const RenderSettings& settings, std::uint64_t known_evaluations,
                                Frame& frame) {
  unsigned long long counted = 0;
  if (known_evaluations == 0) evaluations_.download({&counted, 1}, stream_);
  FrameStats stats;
  stats.delivered = picture_.finish(settings, frame);
  stats.evaluations = known_evaluations + counted;
  times_.read(stats);
  return stats;
}

void FieldPainter::evaluate(const FieldTables& tables, const float* positions, std::size_t count,
                            std::size_t stride, float* values) {
  for (std::size_t first = 0; first < count; first += kPositionsAtOnce) {
    evaluate_some(tables, positions + first, std::min(kPositionsAtOnce, count - first), stride,
                  values + first);
  }
}

void FieldPainter::evaluate_some(const FieldTables& tables, const float* positions,
                                 std::size_t count, std::size_t stride, float* values) {
  positions_.resize_discard(inputs_ * count);
  values_.resize_discard(outputs_ * count);
  for (std::size_t i = 0; i < inputs_; ++i) {
    positions_.upload({positions + i * stride, count}, stream_, i * count);
  }
  run_field_values({.field = tables,
                    .positions = positions_.data(),
                    .values = values_.data(),
                    .count = static_cast<unsigned>(count),
                    .stride = count},
                   stream_);
  for (std::size_t i = 0; i < outputs_; ++i) {
    values_.download({values + i * stride, count}, stream_, i * count);
  }
  check(cudaStreamSynchronize(stream_), "evaluating a neural field");
}

}  // namespace mote::cuda
