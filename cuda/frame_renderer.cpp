#include "cuda/frame_renderer.h"

#include <utility>

#include "cuda/kernels/features.h"
#include "cuda/memory_estimate.h"

namespace mote::cuda {

FrameRenderer::FrameRenderer(cudaStream_t stream)
    : stream_(stream),
      lists_(stream, false),
      picture_(stream),
      stages_{Event(EventUse::timing), Event(EventUse::timing), Event(EventUse::timing),
              Event(EventUse::timing), Event(EventUse::timing)} {}

FrameStats FrameRenderer::render(std::span<const PlacedSplats> scenes, const Camera& camera,
                                 const RenderSettings& settings, Frame& frame) {
  return with_remedy([&] { return render_as_asked(scenes, camera, settings, frame); },
                     [&] { return remedy(scenes, camera); });
}

std::string FrameRenderer::remedy(std::span<const PlacedSplats> scenes,
                                  const Camera& camera) const {
  MemoryEstimate memory =
      memory_estimate({.use = MemoryUse::frame},
                      lists_.memory_bytes() + picture_.memory_bytes() + features_.bytes());
  if (scenes.front().splats.decoder != nullptr) {
    constexpr int kPictures = kFeatureTriples + 1;  // with marks
    memory.each.pixel += 3 * kPictures * sizeof(float);
  }
  return frame_remedy({.splats = splat_count(scenes),
                       .width = camera.width,
                       .height = camera.height,
                       .pairs = lists_.counters().pairs},
                      memory);
}

FrameStats FrameRenderer::render_as_asked(std::span<const PlacedSplats> scenes,
                                          const Camera& camera, const RenderSettings& settings,
                                          Frame& frame) {
  check_outputs(scenes.front().splats.kind, settings);
  prepare_frame(camera, settings, frame);
  picture_.begin(settings, frame);
  const FeaturePictures features = feature_pictures(scenes, camera, settings);
  const bool decoded = features.rgb != nullptr;
  RenderSettings drawn = settings;
  if (decoded) drawn.background = {};
  lists_.prepare(scenes, camera, drawn, decoded ? TexelTarget{} : picture_.images().texels);
  do {
    Work own = work(scenes, settings);
    own.features = features;
    recordings_.graph_of(own, stream_, [&] { enqueue(own); }).launch(stream_);
    check(cudaStreamSynchronize(stream_), "rendering");
  } while (!lists_.fits());
  if (decoded) decode(features, *scenes.front().splats.decoder, settings);
  const bool delivered = picture_.finish(settings, frame);
  FrameStats result = stats(scenes, settings.outputs.stage_times);
  result.delivered = delivered;
  if (decoded) {
    result.compose_ms = static_cast<double>(decoded_.elapsed_ms(decode_begin_));
    result.total_ms += result.compose_ms;
  }
  return result;
}

FrameRenderer::FeaturePictures FrameRenderer::feature_pictures(std::span<const PlacedSplats> scenes,
                                                               const Camera& camera,
                                                               const RenderSettings& settings) {
  const DeviceSplats& splats = scenes.front().splats;
  const bool plain = splats.decoder == nullptr || settings.shape != SplatShape::blended ||
                     settings.paint.what != PaintedMotion::none;
  if (plain) return {};
  CHECK(scenes.size() == 1);
  const int count = kFeatureTriples + (settings.marks && splats.marks != nullptr ? 1 : 0);
  const std::size_t size =
      3 * static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  features_.resize_discard(static_cast<std::size_t>(count) * size);
  return {.rgb = features_.data(), .size = size, .count = count};
}

void FrameRenderer::decode(const FeaturePictures& features, const FeatureDecoder& decoder,
                           const RenderSettings& settings) {
  const PictureImages images = picture_.images();
  const FrameParams& frame = lists_.host_params();
  decode_begin_.record(stream_);
  run_decode(
      {.decoder = decoder,
       .camera = frame.camera,
       .width = frame.width,
       .height = frame.height,
       .base = features.rgb,
       .directional = features.rgb + features.size,
       .temporal = features.rgb + 2 * features.size,
       .marks = features.count > kFeatureTriples ? features.rgb + kFeatureTriples * features.size
                                                 : nullptr,
       .alpha = settings.is_layer ? images.alpha : nullptr,
       .texels = images.texels,
       .rgb = images.rgb},
      stream_);
  decoded_.record(stream_);
}

FrameRenderer::Work FrameRenderer::work(std::span<const PlacedSplats> scenes,
                                        const RenderSettings& settings) {
  ListWork lists = lists_.work(scenes, settings);
  const std::uint32_t* slot_of = lists.slot_of;
  const PictureImages images = picture_.images();
  return {.lists = std::move(lists),
          .blend = {.frame = lists_.params(),
                    .kind = lists_.kind(),
                    .records = lists_.records(),
                    .extras = lists_.extras(),
                    .slot_of = slot_of,
                    .first = lists_.first(),
                    .keys = lists_.keys(),
                    .out = {.rgb = images.rgb,
                            .alpha = images.alpha,
                            .depth_expected = images.depth_expected,
                            .depth_median = images.depth_median,
                            .normal = images.normal,
                            .overdraw = images.overdraw,
                            .tile_cost = picture_.tile_cost()},
                    .checkpoints = {},
                    .queue = lists_.blend_queue(),
                    .counters = lists_.device_counters()},
          .shape = settings.shape,
          .fast = settings.precision == Precision::fast,
          .stage_times = settings.outputs.stage_times};
}

void FrameRenderer::enqueue(const Work& work) {
  const auto reach = [&](Stage stage) {
    if (work.stage_times) stages_[stage].record_in_graph(stream_);
  };
  stages_[kBegin].record_in_graph(stream_);
  lists_.enqueue_projection(work.lists);
  reach(kProjected);
  lists_.enqueue_filing(work.lists);
  reach(kFiled);
  lists_.enqueue_sorting(work.lists);
  reach(kSorted);
  if (work.features.rgb != nullptr) {
    enqueue_features(work);
  } else if (work.shape != SplatShape::blended) {
    run_draw_solids(work.blend, work.shape, stream_);
  } else if (work.fast) {
    run_blend_fast(work.blend, stream_);
  } else {
    run_blend(work.blend, stream_);
  }
  stages_[kBlended].record_in_graph(stream_);
  lists_.enqueue_counters();
}

void FrameRenderer::enqueue_features(const Work& work) {
  static constexpr FeatureColor kColors[] = {FeatureColor::base, FeatureColor::directional,
                                             FeatureColor::temporal, FeatureColor::mark};
  ProjectArgs splats = work.lists.projections.front().args;
  BlendArgs blend = work.blend;
  for (int k = 0; k < work.features.count; ++k) {
    splats.features.color = kColors[k];
    run_take_features(splats, stream_);
    blend.out.rgb = work.features.rgb + static_cast<std::size_t>(k) * work.features.size;
    run_blend(blend, stream_);
    blend.out = {};
  }
}

FrameStats FrameRenderer::stats(std::span<const PlacedSplats> scenes, bool stage_times) const {
  const auto between = [&](Stage from, Stage to) {
    return static_cast<double>(stages_[to].elapsed_ms(stages_[from]));
  };
  FrameStats s;
  if (stage_times) {
    s.project_ms = between(kBegin, kProjected);
    s.bin_ms = between(kProjected, kFiled);
    s.sort_ms = between(kFiled, kSorted);
    s.blend_ms = between(kSorted, kBlended);
  }
  s.total_ms = between(kBegin, kBlended);
  s.splats = splat_count(scenes);
  s.visible = lists_.counters().visible;
  s.pairs = lists_.counters().pairs;
  s.evaluations = lists_.counters().evaluations;
  for (const PlacedSplats& scene : scenes) s.dropped += scene.splats.dropped;
  return s;
}

}  // namespace mote::cuda
