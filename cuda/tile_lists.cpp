#include "cuda/tile_lists.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cuda/kernels/features.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kFewestPairs = 1024;

std::size_t extra_words(SplatKind kind, SplatShape shape) {
  const int words = shape == SplatShape::blended ? kind_info(kind).extra_words : kSurfaceWords;
  return static_cast<std::size_t>(words);
}

/// The colours of a picture that is not decoded.
ShownFeatures shown_features_of(const DeviceSplats& splats, const RenderSettings& settings) {
  const bool painted = settings.paint.what != PaintedMotion::none;
  if (splats.decoder == nullptr || painted || settings.shape == SplatShape::blended) return {};
  return {FeatureColor::base_color, splats.decoder->activation};
}

}  // namespace

std::size_t splat_count(std::span<const PlacedSplats> scenes) {
  std::size_t count = 0;
  for (const PlacedSplats& scene : scenes) count += scene.splats.count;
  return count;
}

FrameParams frame_params(const Camera& camera, const PlacedSplats& scene,
                         const RenderSettings& settings) {
  FrameParams p{};
  p.camera = placed_camera(camera, scene.world_from_scene);
  std::ranges::copy(settings.background, p.background);
  p.splat_scale = settings.splat_scale;
  p.time_s = static_cast<float>(scene.time_s);
  p.paint = settings.paint;
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
      extras_("projected splats"),
      rects_("projected splats' places"),
      order_index_("the order of several scenes' splats"),
      order_slot_of_("the order of several scenes' splats"),
      first_slots_("projected splats' places"),
      tile_counts_("counts of the image's tiles"),
      first_("places of the image's tiles"),
      next_("places of the image's tiles"),
      order_("places of the image's tiles"),
      sort_steps_("the steps of sorting"),
      sort_steps_done_("the steps of sorting"),
      keys_("pairs of a splat and a tile"),
      scratch_("pairs of a splat and a tile") {
  host_params_.resize_discard(1);
  host_counters_.resize_discard(1);
  *host_counters_.data() = {};
  params_.resize_discard(1);
  counters_.resize_discard(1);
}

void TileLists::prepare(std::span<const PlacedSplats> scenes, const Camera& camera,
                        const RenderSettings& settings, const TexelTarget& texels) {
  CHECK(!scenes.empty());
  const std::size_t count = splat_count(scenes);
  if (count > kMostSplats) {
    throw Error("have " + std::to_string(count) +
                    " splats together, but a CUDA device draws at most " +
                    std::to_string(kMostSplats),
                "the shown scenes", "hide some, or use --device cpu");
  }
  if (scenes.size() > host_params_.size()) {
    host_params_.resize_discard(scenes.size());
    params_.resize_discard(scenes.size());
  }
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    check_same_kind(scenes[0].splats.kind, scenes[i].splats.kind);
    host_params_.span()[i] = frame_params(camera, scenes[i], settings);
    host_params_.span()[i].texels = texels;
  }
  tiles_ = static_cast<unsigned>(host_params().columns * host_params().rows);
  records_.resize_discard(count);
  kind_ = scenes[0].splats.kind;
  extra_words_ = extra_words(kind_, settings.shape);
  extras_.resize_discard(count * extra_words_);
  rects_.resize_discard(count);
  order_index_.resize_discard(scenes.size() > 1 ? count : 0);
  order_slot_of_.resize_discard(order_index_.size());
  tile_counts_.resize_discard(tiles_);
  next_.resize_discard(tiles_);
  order_.resize_discard(tiles_);
  sort_steps_done_.resize_discard(tiles_);
  first_.resize_discard(tiles_ + 1);
  if (keys_.empty()) keys_.resize_discard(std::max(kFewestPairs, count));
  scratch_.resize_discard(keys_.size());
  sort_steps_.resize_discard(most_sort_steps(keys_.size()));
  if (!with_slots_) return;
  first_slots_.resize_discard(count);
  slot_capacity_ = std::max({slot_capacity_, count, kFewestPairs});
}

ListWork::Projection TileLists::projection(const PlacedSplats& scene, std::size_t number,
                                           std::size_t first_splat,
                                           const RenderSettings& settings) {
  const DeviceSplats& splats = scene.splats;
  const auto coefficients = static_cast<unsigned>(sh_coefficient_count(splats.sh_degree));
  return {.args = {.frame = params_.data() + number,
                   .kind = splats.kind,
                   .motion = splats.motion,
                   .geometry = splats.geometry,
                   .sh = splats.sh,
                   .half_sh = splats.half_sh,
                   .marks = settings.marks ? splats.marks : nullptr,
                   .sh_stride = coefficients * 3 * static_cast<unsigned>(kBlockSize),
                   .count = static_cast<unsigned>(splats.count),
                   .activated = splats.activated,
                   .clusters = splats.bounded.has(scene.time_s) ? splats.clusters : nullptr,
                   .lives = splats.lives,
                   .records = records_.data() + first_splat,
                   .shape = settings.shape,
                   .extras = extras_.data() + first_splat * extra_words_,
                   .rects = rects_.data() + first_splat,
                   .tile_counts = tile_counts_.data(),
                   .first_slots = with_slots_ ? first_slots_.data() + first_splat : nullptr,
                   .counters = counters_.data(),
                   .painted = settings.paint.what != PaintedMotion::none,
                   .features = shown_features_of(splats, settings)},
          .sh_degree = splats.decoder != nullptr
                           ? 0
                           : std::clamp(settings.max_sh_degree, 0, splats.sh_degree)};
}

std::vector<OffsetCopyArgs> TileLists::scene_order(std::span<const PlacedSplats> scenes) {
  std::vector<OffsetCopyArgs> copies;
  if (scenes.size() == 1) return copies;
  std::uint32_t first = 0;
  for (const PlacedSplats& scene : scenes) {
    const auto count = static_cast<unsigned>(scene.splats.count);
    copies.push_back({scene.splats.index, order_index_.data() + first, count, first});
    copies.push_back({scene.splats.slot_of, order_slot_of_.data() + first, count, first});
    first += count;
  }
  return copies;
}

ListWork TileLists::work(std::span<const PlacedSplats> scenes, const RenderSettings& settings) {
  std::vector<ListWork::Projection> projections;
  std::size_t count = 0;
  for (const PlacedSplats& scene : scenes) {
    projections.push_back(projection(scene, projections.size(), count, settings));
    count += scene.splats.count;
  }
  const bool several = scenes.size() > 1;
  return {.start = {.host_params = host_params_.data(),
                    .params = params_.data(),
                    .scenes = static_cast<unsigned>(projections.size()),
                    .tile_counts = tile_counts_.data(),
                    .tiles = tiles_,
                    .counters = counters_.data()},
          .scene_order = scene_order(scenes),
          .projections = std::move(projections),
          .antialiased = settings.antialiased,
          .slot_of = several ? order_slot_of_.data() : scenes[0].splats.slot_of,
          .filing = {.frame = params_.data(),
                     .records = records_.data(),
                     .rects = rects_.data(),
                     .index = several ? order_index_.data() : scenes[0].splats.index,
                     .count = static_cast<unsigned>(count),
                     .tiles = tiles_,
                     .tile_counts = tile_counts_.data(),
                     .first = first_.data(),
                     .next = next_.data(),
                     .order = order_.data(),
                     .sort_steps = sort_steps_.data(),
                     .sort_steps_done = sort_steps_done_.data(),
                     .keys = keys_.data(),
                     .capacity = static_cast<unsigned>(keys_.size()),
                     .slot_capacity = static_cast<unsigned>(slot_capacity_),
                     .counters = counters_.data()},
          .sort = {.first = first_.data(),
                   .order = order_.data(),
                   .steps = sort_steps_.data(),
                   .steps_done = sort_steps_done_.data(),
                   .keys = keys_.data(),
                   .scratch = scratch_.data(),
                   .counters = counters_.data()}};
}

void TileLists::enqueue_projection(const ListWork& work) {
  run_frame_start(work.start, stream_);
  for (const OffsetCopyArgs& copy : work.scene_order) run_offset_copy(copy, stream_);
  for (const ListWork::Projection& scene : work.projections) {
    run_project(scene.args, scene.sh_degree, work.antialiased, stream_);
    if (scene.args.features.color != FeatureColor::none) run_take_features(scene.args, stream_);
  }
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
    // One buffer at a time, so that old and new allocations need not fit into memory together.
    scratch_.release();
    keys_.resize_discard(with_reserve(counters().pairs));
    scratch_.resize_discard(keys_.size());
    sort_steps_.resize_discard(most_sort_steps(keys_.size()));
  }
  if (counters().slots > slot_capacity_) slot_capacity_ = with_reserve(counters().slots);
  return false;
}

std::size_t TileLists::memory_bytes() const {
  return records_.bytes() + extras_.bytes() + rects_.bytes() + first_slots_.bytes() +
         order_index_.bytes() + order_slot_of_.bytes() + tile_counts_.bytes() + first_.bytes() +
         next_.bytes() + order_.bytes() + sort_steps_.bytes() + sort_steps_done_.bytes() +
         keys_.bytes() + scratch_.bytes();
}

}  // namespace mote::cuda
