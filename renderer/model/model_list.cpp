#include "model/model_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "model/compose.h"
#include "scene/camera_path.h"

namespace mote {
namespace {

/// Settings of a layer of a composed picture: over black, with the images that the composition
/// needs.
RenderSettings layer_settings(const RenderSettings& settings) {
  RenderSettings result = settings;
  result.background = {};
  result.is_layer = true;
  result.outputs.delivery = nullptr;
  result.outputs.alpha = result.outputs.depth = result.outputs.picture = true;
  return result;
}

void add_work(FrameStats& sum, const FrameStats& layer) {
  sum.total_ms += layer.total_ms;
  sum.project_ms += layer.project_ms;
  sum.bin_ms += layer.bin_ms;
  sum.sort_ms += layer.sort_ms;
  sum.blend_ms += layer.blend_ms;
  sum.march_ms += layer.march_ms;
  sum.encode_ms += layer.encode_ms;
  sum.network_ms += layer.network_ms;
  sum.compose_ms += layer.compose_ms;
  sum.visible += layer.visible;
  sum.pairs += layer.pairs;
  sum.evaluations += layer.evaluations;
  sum.dropped += layer.dropped;
  sum.missing = std::max(sum.missing, layer.missing);
}

View view_before(const Similarity& placed, const View& view) {
  return {.camera = camera_before(placed, view.camera), .time_s = view.time_s};
}

/// The settings of a part in its own frame.
RenderSettings settings_before(const ModelList::Part& part, const RenderSettings& settings) {
  RenderSettings own = settings;
  own.slice = before(part.world_from_model, settings.slice);
  if (own.shape == SplatShape::blended) own.shape = part.shape;
  return own;
}

/// The slices of the layers in one: a pixel shows the first layer that has a value there. Distances
/// and densities are not mixed.
void compose_slices(std::span<const Frame> layers, Frame& frame) {
  if (frame.slice.pixels.empty()) return;
  std::ranges::fill(frame.slice.pixels.span(), std::numeric_limits<float>::quiet_NaN());
  const Frame* first = nullptr;
  for (const Frame& layer : layers) {
    if (layer.slice.pixels.empty()) continue;
    if (first == nullptr) first = &layer;
    frame.slice_is_distance = first->slice_is_distance;
    if (layer.slice_is_distance != first->slice_is_distance) continue;
    for (std::size_t i = 0; i < frame.slice.pixels.size(); ++i) {
      float& value = frame.slice.pixels[i];
      if (std::isnan(value)) value = layer.slice.pixels[i];
    }
  }
}

/// Depths in the frame of a model to depths in the world.
void scale_depths(Frame& frame, double scale) {
  if (scale == 1) return;
  for (Image* image : {&frame.depth_expected, &frame.depth_median}) {
    for (float& depth : image->pixels.span()) depth *= static_cast<float>(scale);
  }
}

}  // namespace

void ModelList::add_life_counts(FrameStats& stats) const {
  for (const Part& part : parts_) part.model->add_life_counts(stats);
}

void ModelList::set_patience(double seconds) {
  for (const Part& part : parts_) part.model->set_patience(seconds);
}

ModelList::ModelList(Backend& backend, std::vector<Part> parts)
    : backend_(backend), parts_(std::move(parts)) {
  CHECK(!parts_.empty());
  for (const Part& part : parts_) {
    const SceneExtent extent = placed_extent(part.model->extent(), part.world_from_model);
    extent_ = &part == parts_.data() ? extent : joint_extent(extent_, extent);
  }
}

std::vector<ModelList::Layer> ModelList::layers_at(double time_s, const MotionPaint& paint) const {
  std::vector<Layer> layers;
  for (const Part& part : parts_) {
    std::vector<SceneInstance> scenes = part.model->scenes_at(time_s, paint);
    if (scenes.empty()) layers.push_back({.scenes = {}, .part = &part});
    for (SceneInstance& one : scenes) {
      one.world_from_scene = chained(one.world_from_scene, part.world_from_model);
      const SplatKind kind = one.scene->kind();
      const auto alike = std::ranges::find_if(layers, [kind, &part](const Layer& layer) {
        return !layer.scenes.empty() && layer.scenes.front().scene->kind() == kind &&
               layer.shape == part.shape;
      });
      Layer& layer = alike != layers.end() ? *alike : layers.emplace_back();
      layer.shape = part.shape;
      layer.scenes.push_back(one);
    }
  }
  return layers;
}

FrameStats ModelList::render_alone(const Layer& layer, const View& view,
                                   const RenderSettings& settings, Frame& frame) const {
  if (layer.part == nullptr) {
    RenderSettings own = settings;
    if (own.shape == SplatShape::blended) own.shape = layer.shape;
    FrameStats stats = backend_.render_scenes(layer.scenes, view.camera, own, frame);
    for (const Part& part : parts_) part.model->add_stream_counts(stats);
    return stats;
  }
  const Similarity& placed = layer.part->world_from_model;
  const FrameStats stats = layer.part->model->render(view_before(placed, view),
                                                     settings_before(*layer.part, settings), frame);
  scale_depths(frame, placed.scale);
  return stats;
}

FrameStats ModelList::render_composed(std::span<const Layer> layers, const View& view,
                                      const RenderSettings& settings, Frame& frame) {
  prepare_frame(view.camera, settings, frame);
  const RenderSettings of_layers = layer_settings(settings);
  const auto sheets = static_cast<std::size_t>(
      std::ranges::count(layers, nullptr, [](const Layer& layer) { return layer.part; }));
  const std::size_t parts = sheets + 1;
  frames_.resize(sheets + (layers.size() - sheets) * parts);
  RenderSettings of_splats = of_layers;
  of_splats.outputs.slice = false;
  FrameStats stats;
  std::size_t at = 0;
  for (const Layer& layer : layers) {
    if (layer.part == nullptr) add_work(stats, render_alone(layer, view, of_splats, frames_[at++]));
  }
  for (const Layer& layer : layers) {
    if (layer.part == nullptr) continue;
    const Similarity& placed = layer.part->world_from_model;
    const std::span<Frame> own = std::span(frames_).subspan(at, parts);
    add_work(stats, layer.part->model->render_parts(
                        view_before(placed, view), settings_before(*layer.part, of_layers),
                        {.sheets = std::span(frames_).first(sheets),
                         .depth_scale = static_cast<float>(1 / placed.scale)},
                        own));
    for (Frame& one : own) scale_depths(one, placed.scale);
    at += parts;
  }
  stats.total_ms += compose_by_depth(frames_, settings.background, frame);
  compose_slices(frames_, frame);
  return stats;
}

FrameStats ModelList::render(const View& view, const RenderSettings& settings, Frame& frame) {
  const std::vector<Layer> layers = layers_at(view.time_s, settings.paint);
  FrameStats stats = layers.size() == 1 ? render_alone(layers.front(), view, settings, frame)
                                        : render_composed(layers, view, settings, frame);
  stats.splats = 0;
  for (const Part& part : parts_) stats.splats += part.count;
  return stats;
}

std::vector<SceneInstance> ModelList::scenes_at(double time_s, const MotionPaint& paint) {
  const std::vector<Layer> layers = layers_at(time_s, paint);
  const bool blends = layers.size() == 1 && layers.front().shape == SplatShape::blended;
  return blends ? layers.front().scenes : std::vector<SceneInstance>();
}

TimeRange ModelList::time_range() const {
  TimeRange longest;
  for (const Part& part : parts_) {
    const TimeRange range = part.model->time_range();
    if (range.end_s > longest.end_s) longest = range;
  }
  return longest;
}

std::string ModelList::description() const {
  std::string text;
  for (const Part& part : parts_) {
    if (!text.empty()) text += "; ";
    text += part.model->description();
  }
  return text;
}

}  // namespace mote
