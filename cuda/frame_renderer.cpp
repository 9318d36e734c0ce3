#include "cuda/frame_renderer.h"

#include <algorithm>
#include <limits>

#include "cameras/pinhole.h"
#include "cuda/kernels/blend.h"
#include "cuda/kernels/filing.h"
#include "cuda/kernels/projection.h"
#include "cuda/kernels/segment_sort.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kFewestPairs = 1024;

/// Empty where the frame does not ask for it.
float* data_or_null(DeviceBuffer<float>& buffer) {
  return buffer.empty() ? nullptr : buffer.data();
}

void download_image(const DeviceBuffer<float>& from, Image& image, cudaStream_t stream) {
  if (image.pixels.size() > 0) from.download(image.pixels.span(), stream);
}

}  // namespace

FrameParams frame_params(const Camera& camera, const std::array<float, 3>& background) {
  FrameParams p{};
  const glm::dvec3 position = camera.position_world();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      p.cam_from_world[row * 3 + column] = static_cast<float>(camera.cam_from_world[column][row]);
    }
    p.translation[row] = static_cast<float>(camera.translation[row]);
    p.position_world[row] = static_cast<float>(position[row]);
    p.background[row] = background[static_cast<std::size_t>(row)];
  }
  p.focal_x = static_cast<float>(camera.focal_px.x);
  p.focal_y = static_cast<float>(camera.focal_px.y);
  p.center_x = static_cast<float>(camera.center_px.x);
  p.center_y = static_cast<float>(camera.center_px.y);
  p.width = camera.width;
  p.height = camera.height;
  p.columns = (camera.width + kMacroPx - 1) / kMacroPx;
  p.rows = (camera.height + kMacroPx - 1) / kMacroPx;
  const auto width = static_cast<float>(p.width), height = static_cast<float>(p.height);
  p.frustum = make_frustum(
      p.cam_from_world, p.translation,
      make_pinhole(p.focal_x, p.focal_y, p.center_x, p.center_y, width, height), width, height);
  return p;
}

FrameRenderer::FrameRenderer(cudaStream_t stream)
    : stream_(stream),
      host_params_("a camera"),
      host_counters_("a frame's counts"),
      params_("a camera"),
      counters_("a frame's counts"),
      records_("projected splats"),
      rects_("projected splats' places"),
      tile_counts_("counts of the image's tiles"),
      first_("places of the image's tiles"),
      next_("places of the image's tiles"),
      keys_("pairs of a splat and a tile"),
      scratch_("pairs of a splat and a tile"),
      rgb_("the picture"),
      alpha_("the picture's alpha"),
      depth_expected_("the picture's depth"),
      depth_median_("the picture's depth"),
      stages_{Event(EventUse::timing), Event(EventUse::timing), Event(EventUse::timing),
              Event(EventUse::timing), Event(EventUse::timing)} {
  host_params_.resize_discard(1);
  host_counters_.resize_discard(1);
  params_.resize_discard(1);
  counters_.resize_discard(1);
}

FrameStats FrameRenderer::render(const DeviceSplats& splats, const Camera& camera,
                                 const RenderSettings& settings, Frame& frame) {
  prepare_frame(camera, settings.outputs, frame);
  *host_params_.data() = frame_params(camera, settings.background);
  make_room(splats, camera, settings.outputs);
  for (;;) {
    enqueue(splats, settings);
    check(cudaStreamSynchronize(stream_), "rendering");
    const FrameCounters& counters = *host_counters_.data();
    if (counters.overflow == 0) break;
    if (counters.pairs > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("more than 2^32 pairs of a splat and a part of the image", "view",
                  "render fewer splats or a smaller image");
    }
    keys_.resize_discard(counters.pairs + counters.pairs / 4);
    scratch_.resize_discard(keys_.size());
  }
  if (settings.outputs.picture) download(frame);
  return stats(splats);
}

void FrameRenderer::make_room(const DeviceSplats& splats, const Camera& camera,
                              const RenderOutputs& outputs) {
  const FrameParams& p = *host_params_.data();
  tiles_ = static_cast<unsigned>(p.columns * p.rows);
  records_.resize_discard(splats.count);
  rects_.resize_discard(splats.count);
  tile_counts_.resize_discard(tiles_);
  next_.resize_discard(tiles_);
  first_.resize_discard(tiles_ + 1);
  if (keys_.empty()) keys_.resize_discard(std::max(kFewestPairs, splats.count));
  scratch_.resize_discard(keys_.size());
  const std::size_t pixels =
      static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  rgb_.resize_discard(3 * pixels);
  alpha_.resize_discard(outputs.alpha ? pixels : 0);
  depth_expected_.resize_discard(outputs.depth ? pixels : 0);
  depth_median_.resize_discard(outputs.depth ? pixels : 0);
}

void FrameRenderer::enqueue(const DeviceSplats& splats, const RenderSettings& settings) {
  const auto count = static_cast<unsigned>(splats.count);
  const auto coefficients = static_cast<unsigned>(sh_coefficient_count(splats.sh_degree));
  params_.upload(host_params_.span(), stream_);
  counters_.fill_bytes(0, stream_);
  tile_counts_.fill_bytes(0, stream_);
  stages_[kBegin].record(stream_);

  run_project({.frame = params_.data(),
               .geometry = splats.geometry,
               .sh = splats.sh,
               .sh_stride = coefficients * 3 * static_cast<unsigned>(kBlockSize),
               .count = count,
               .activated = splats.activated,
               .clusters = splats.clusters,
               .records = records_.data(),
               .rects = rects_.data(),
               .tile_counts = tile_counts_.data(),
               .counters = counters_.data()},
              std::clamp(settings.max_sh_degree, 0, splats.sh_degree), settings.antialiased,
              stream_);
  stages_[kProjected].record(stream_);

  const FilingArgs filing{.frame = params_.data(),
                          .records = records_.data(),
                          .rects = rects_.data(),
                          .index = splats.index,
                          .count = count,
                          .tiles = tiles_,
                          .tile_counts = tile_counts_.data(),
                          .first = first_.data(),
                          .next = next_.data(),
                          .keys = keys_.data(),
                          .capacity = static_cast<unsigned>(keys_.size()),
                          .counters = counters_.data()};
  run_place_tiles(filing, stream_);
  run_file_splats(filing, stream_);
  stages_[kFiled].record(stream_);

  run_segment_sort({.first = first_.data(),
                    .tiles = tiles_,
                    .keys = keys_.data(),
                    .scratch = scratch_.data(),
                    .counters = counters_.data()},
                   stream_);
  stages_[kSorted].record(stream_);

  run_blend({.frame = params_.data(),
             .records = records_.data(),
             .slot_of = splats.slot_of,
             .first = first_.data(),
             .keys = keys_.data(),
             .out = {.rgb = rgb_.data(),
                     .alpha = data_or_null(alpha_),
                     .depth_expected = data_or_null(depth_expected_),
                     .depth_median = data_or_null(depth_median_)},
             .counters = counters_.data()},
            tiles_, stream_);
  stages_[kBlended].record(stream_);
  counters_.download(host_counters_.span(), stream_);
}

void FrameRenderer::download(Frame& frame) {
  download_image(rgb_, frame.rgb, stream_);
  download_image(alpha_, frame.alpha, stream_);
  download_image(depth_expected_, frame.depth_expected, stream_);
  download_image(depth_median_, frame.depth_median, stream_);
  check(cudaStreamSynchronize(stream_), "copying the picture");
}

FrameStats FrameRenderer::stats(const DeviceSplats& splats) const {
  const FrameCounters& counters = *host_counters_.data();
  const auto between = [&](Stage from, Stage to) {
    return static_cast<double>(stages_[to].elapsed_ms(stages_[from]));
  };
  FrameStats s;
  s.project_ms = between(kBegin, kProjected);
  s.bin_ms = between(kProjected, kFiled);
  s.sort_ms = between(kFiled, kSorted);
  s.blend_ms = between(kSorted, kBlended);
  s.total_ms = between(kBegin, kBlended);
  s.splats = splats.count;
  s.visible = counters.visible;
  s.pairs = counters.pairs;
  s.evaluations = counters.evaluations;
  s.dropped = splats.dropped;
  return s;
}

}  // namespace mote::cuda
