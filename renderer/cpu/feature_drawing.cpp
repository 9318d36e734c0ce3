#include "cpu/feature_drawing.h"

#include <algorithm>

#include "core/elapsed.h"

namespace mote {
namespace {

constexpr int kRowsPerTask = 16;

/// Adds the work of a further picture of the same splats.
void add_picture_work(FrameStats& sum, const FrameStats& picture) {
  sum.total_ms += picture.total_ms;
  sum.project_ms += picture.project_ms;
  sum.bin_ms += picture.bin_ms;
  sum.sort_ms += picture.sort_ms;
  sum.blend_ms += picture.blend_ms;
  sum.evaluations += picture.evaluations;
}

}  // namespace

void FeatureDrawing::add_picture(PlacedBlocks scene, FeatureColor color, const Camera& camera,
                                 const RenderSettings& settings, Frame& frame, FrameStats& stats) {
  scene.blocks.features.color = color;
  RenderSettings of_features = settings;
  of_features.outputs = {.stage_times = settings.outputs.stage_times};
  add_picture_work(stats, renderer_.render({&scene, 1}, camera, of_features, frame));
}

FrameStats FeatureDrawing::render(PlacedBlocks scene, const FeatureDecoder& decoder,
                                  const Camera& camera, const RenderSettings& settings,
                                  Frame& frame) {
  const bool painted = settings.paint.what != PaintedMotion::none;
  if (painted || settings.shape != SplatShape::blended) {
    if (!painted) scene.blocks.features = {FeatureColor::base_color, decoder.activation};
    return renderer_.render({&scene, 1}, camera, settings, frame);
  }
  RenderSettings of_features = settings;
  of_features.background = {};
  of_features.marks = false;
  scene.blocks.features.color = FeatureColor::base;
  FrameStats stats = renderer_.render({&scene, 1}, camera, of_features, frame);
  add_picture(scene, FeatureColor::directional, camera, of_features, directional_, stats);
  add_picture(scene, FeatureColor::temporal, camera, of_features, temporal_, stats);
  const bool marked = settings.marks && !scene.blocks.marks.empty();
  if (marked) {
    of_features.marks = true;
    add_picture(scene, FeatureColor::mark, camera, of_features, marks_, stats);
  }
  const auto start = SteadyClock::now();
  const bool covers_by_alpha = settings.is_layer && !frame.alpha.pixels.empty();
  const DecodeParams params{.decoder = &decoder,
                            .camera = placed_camera(camera, scene.world_from_scene),
                            .width = camera.width,
                            .directional = directional_.rgb.pixels.data(),
                            .temporal = temporal_.rgb.pixels.data(),
                            .marks = marked ? marks_.rgb.pixels.data() : nullptr,
                            .alpha = covers_by_alpha ? frame.alpha.pixels.data() : nullptr,
                            .rgb = frame.rgb.pixels.data()};
  const auto tasks = static_cast<std::size_t>((camera.height + kRowsPerTask - 1) / kRowsPerTask);
  pool_.run(tasks, [&](std::size_t task, int) {
    const int first = static_cast<int>(task) * kRowsPerTask;
    kernels_.decode_features(params, first, std::min(camera.height, first + kRowsPerTask));
  });
  stats.compose_ms = ms_since(start);
  stats.total_ms += stats.compose_ms;
  return stats;
}

}  // namespace mote
