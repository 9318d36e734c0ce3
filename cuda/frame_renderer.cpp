#include "cuda/frame_renderer.h"

#include <utility>

#include "cuda/memory_estimate.h"
#include "cuda/pictures/picture_sink.h"

namespace mote::cuda {
namespace {

/// Null if the frame does not request it.
float* data_or_null(DeviceBuffer<float>& buffer) {
  return buffer.empty() ? nullptr : buffer.data();
}

}  // namespace

FrameRenderer::FrameRenderer(cudaStream_t stream)
    : stream_(stream),
      lists_(stream, false),
      rgb_("the picture"),
      alpha_("the picture's alpha"),
      depth_expected_("the picture's depth"),
      depth_median_("the picture's depth"),
      normal_("the picture's normals"),
      overdraw_("the picture's overdraw"),
      tile_cost_("the picture's tile costs"),
      stages_{Event(EventUse::timing), Event(EventUse::timing), Event(EventUse::timing),
              Event(EventUse::timing), Event(EventUse::timing)} {}

FrameStats FrameRenderer::render(std::span<const PlacedSplats> scenes, const Camera& camera,
                                 const RenderSettings& settings, Frame& frame) {
  return with_remedy([&] { return render_as_asked(scenes, camera, settings, frame); },
                     [&] { return remedy(scenes, camera); });
}

std::string FrameRenderer::remedy(std::span<const PlacedSplats> scenes,
                                  const Camera& camera) const {
  const std::size_t pictures = rgb_.bytes() + alpha_.bytes() + depth_expected_.bytes() +
                               depth_median_.bytes() + normal_.bytes() + overdraw_.bytes() +
                               tile_cost_.bytes();
  return frame_remedy({.splats = splat_count(scenes),
                       .width = camera.width,
                       .height = camera.height,
                       .pairs = lists_.counters().pairs},
                      memory_estimate({.use = MemoryUse::frame}, lists_.memory_bytes() + pictures));
}

FrameStats FrameRenderer::render_as_asked(std::span<const PlacedSplats> scenes,
                                          const Camera& camera, const RenderSettings& settings,
                                          Frame& frame) {
  check_outputs(scenes.front().splats.kind, settings);
  prepare_frame(camera, settings, frame);
  const PictureDelivery* delivery = settings.outputs.delivery;
  const CudaPictureSink* sink =
      delivery != nullptr ? &dynamic_cast<const CudaPictureSink&>(*delivery->sink) : nullptr;
  lists_.prepare(scenes, camera, settings,
                 sink != nullptr ? sink->target(*delivery) : TexelTarget{});
  rgb_.resize_discard(frame.rgb.pixels.size());
  alpha_.resize_discard(frame.alpha.pixels.size());
  depth_expected_.resize_discard(frame.depth_expected.pixels.size());
  depth_median_.resize_discard(frame.depth_median.pixels.size());
  normal_.resize_discard(frame.normal.pixels.size());
  overdraw_.resize_discard(frame.overdraw.pixels.size());
  tile_cost_.resize_discard(frame.tile_cost.pixels.size());
  do {
    const Work own = work(scenes, settings);
    recordings_.graph_of(own, stream_, [&] { enqueue(own); }).launch(stream_);
    check(cudaStreamSynchronize(stream_), "rendering");
  } while (!lists_.fits());
  if (sink != nullptr) {
    sink->announce(*delivery, stream_);
  } else if (settings.outputs.picture) {
    download(frame);
  }
  FrameStats result = stats(scenes, settings.outputs.stage_times);
  result.delivered = sink != nullptr;
  return result;
}

FrameRenderer::Work FrameRenderer::work(std::span<const PlacedSplats> scenes,
                                        const RenderSettings& settings) {
  ListWork lists = lists_.work(scenes, settings);
  const std::uint32_t* slot_of = lists.slot_of;
  return {.lists = std::move(lists),
          .blend = {.frame = lists_.params(),
                    .kind = lists_.kind(),
                    .records = lists_.records(),
                    .extras = lists_.extras(),
                    .slot_of = slot_of,
                    .first = lists_.first(),
                    .keys = lists_.keys(),
                    .out = {.rgb = rgb_.data(),
                            .alpha = data_or_null(alpha_),
                            .depth_expected = data_or_null(depth_expected_),
                            .depth_median = data_or_null(depth_median_),
                            .normal = data_or_null(normal_),
                            .overdraw = data_or_null(overdraw_),
                            .tile_cost = data_or_null(tile_cost_)},
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
  if (work.shape != SplatShape::blended) {
    run_draw_solids(work.blend, work.shape, stream_);
  } else if (work.fast) {
    run_blend_fast(work.blend, stream_);
  } else {
    run_blend(work.blend, stream_);
  }
  stages_[kBlended].record_in_graph(stream_);
  lists_.enqueue_counters();
}

void FrameRenderer::download(Frame& frame) {
  const auto copy = [&](const DeviceBuffer<float>& from, Image& image) {
    from.download(image.pixels.span(), stream_);
  };
  copy(rgb_, frame.rgb);
  copy(alpha_, frame.alpha);
  copy(depth_expected_, frame.depth_expected);
  copy(depth_median_, frame.depth_median);
  copy(normal_, frame.normal);
  copy(overdraw_, frame.overdraw);
  copy(tile_cost_, frame.tile_cost);
  check(cudaStreamSynchronize(stream_), "copying the picture");
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
