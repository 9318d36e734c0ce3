#include "cuda/tile_lists.h"

#include <algorithm>
#include <limits>

namespace mote::cuda {
namespace {

constexpr std::size_t kFewestPairs = 1024;

}  // namespace

FrameParams frame_params(const Camera& camera, const RenderSettings& settings) {
  FrameParams p{};
  p.camera = camera_floats(camera);
  std::ranges::copy(settings.background, p.background);
  p.splat_scale = settings.splat_scale;
  p.width = camera.width;
  p.height = camera.height;
  p.columns = (camera.width + kMacroPx - 1) / kMacroPx;
  p.rows = (camera.height + kMacroPx - 1) / kMacroPx;
  p.frustum = make_frustum(p.camera, p.splat_scale);
  return p;
}

TileLists::TileLists(cudaStream_t stream, bool with_slots)
    : stream_(stream),
      with_slots_(with_slots),
      host_params_("a camera"),
      host_counters_("a frame's counts"),
      params_("a camera"),
      counters_("a frame's counts"),
      records_("projected splats"),
      surfaces_("projected splats' surfaces"),
      rects_("projected splats' places"),
      first_slots_("projected splats' places"),
      tile_counts_("counts of the image's tiles"),
      first_("places of the image's tiles"),
      next_("places of the image's tiles"),
      order_("places of the image's tiles"),
      keys_("pairs of a splat and a tile"),
      scratch_("pairs of a splat and a tile") {
  host_params_.resize_discard(1);
  host_counters_.resize_discard(1);
  *host_counters_.data() = {};
  params_.resize_discard(1);
  counters_.resize_discard(1);
}

void TileLists::prepare(const DeviceSplats& splats, const Camera& camera,
                        const RenderSettings& settings) {
  *host_params_.data() = frame_params(camera, settings);
  tiles_ = static_cast<unsigned>(host_params().columns * host_params().rows);
  records_.resize_discard(splats.count);
  if (settings.shape != SplatShape::gaussian) surfaces_.resize_discard(splats.count);
  rects_.resize_discard(splats.count);
  tile_counts_.resize_discard(tiles_);
  next_.resize_discard(tiles_);
  order_.resize_discard(tiles_);
  first_.resize_discard(tiles_ + 1);
  if (keys_.empty()) keys_.resize_discard(std::max(kFewestPairs, splats.count));
  scratch_.resize_discard(keys_.size());
  if (!with_slots_) return;
  first_slots_.resize_discard(splats.count);
  slot_capacity_ = std::max({slot_capacity_, splats.count, kFewestPairs});
}

ListWork TileLists::work(const DeviceSplats& splats, const RenderSettings& settings) {
  const bool solid = settings.shape != SplatShape::gaussian;
  const auto coefficients = static_cast<unsigned>(sh_coefficient_count(splats.sh_degree));
  const auto count = static_cast<unsigned>(splats.count);
  return {.project = {.frame = params_.data(),
                      .geometry = splats.geometry,
                      .sh = splats.sh,
                      .sh_stride = coefficients * 3 * static_cast<unsigned>(kBlockSize),
                      .count = count,
                      .activated = splats.activated,
                      .clusters = splats.clusters,
                      .records = records_.data(),
                      .shape = settings.shape,
                      .surfaces = solid ? surfaces_.data() : nullptr,
                      .rects = rects_.data(),
                      .tile_counts = tile_counts_.data(),
                      .first_slots = with_slots_ ? first_slots_.data() : nullptr,
                      .counters = counters_.data()},
          .sh_degree = std::clamp(settings.max_sh_degree, 0, splats.sh_degree),
          .antialiased = settings.antialiased,
          .filing = {.frame = params_.data(),
                     .records = records_.data(),
                     .rects = rects_.data(),
                     .index = splats.index,
                     .count = count,
                     .tiles = tiles_,
                     .tile_counts = tile_counts_.data(),
                     .first = first_.data(),
                     .next = next_.data(),
                     .order = order_.data(),
                     .keys = keys_.data(),
                     .capacity = static_cast<unsigned>(keys_.size()),
                     .slot_capacity = static_cast<unsigned>(slot_capacity_),
                     .counters = counters_.data()},
          .sort = {.first = first_.data(),
                   .order = order_.data(),
                   .tiles = tiles_,
                   .keys = keys_.data(),
                   .scratch = scratch_.data(),
                   .counters = counters_.data()}};
}

void TileLists::enqueue_projection(const ListWork& work) {
  params_.upload(host_params_.span(), stream_);
  counters_.fill_bytes(0, stream_);
  tile_counts_.fill_bytes(0, stream_);
  run_project(work.project, work.sh_degree, work.antialiased, stream_);
}

void TileLists::enqueue_filing(const ListWork& work) {
  run_place_tiles(work.filing, stream_);
  run_file_splats(work.filing, stream_);
}

void TileLists::enqueue_sorting(const ListWork& work) {
  run_segment_sort(work.sort, stream_);
}

void TileLists::enqueue_counters() {
  counters_.download(host_counters_.span(), stream_);
}

bool TileLists::fits() {
  if (counters().overflow == 0) return true;
  constexpr unsigned long long kMost = std::numeric_limits<std::uint32_t>::max() / 2;
  if (counters().pairs > kMost || counters().slots > kMost) {
    throw Error("more than 2^31 pairs of a splat and a tile", "view",
                "render fewer splats or a smaller image");
  }
  const auto with_reserve = [](unsigned long long n) { return n + n / 4; };
  if (counters().pairs > keys_.size()) {
    // One at a time, so that the old and the new allocation need not fit together.
    scratch_.release();
    keys_.resize_discard(with_reserve(counters().pairs));
    scratch_.resize_discard(keys_.size());
  }
  if (counters().slots > slot_capacity_) slot_capacity_ = with_reserve(counters().slots);
  return false;
}

std::size_t TileLists::memory_bytes() const {
  return records_.bytes() + surfaces_.bytes() + rects_.bytes() + first_slots_.bytes() +
         tile_counts_.bytes() + first_.bytes() + next_.bytes() + order_.bytes() + keys_.bytes() +
         scratch_.bytes();
}

}  // namespace mote::cuda
