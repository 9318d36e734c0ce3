#include "cpu/cpu_renderer.h"

#include <algorithm>
#include <numeric>

#include "core/elapsed.h"

namespace mote {
namespace {

constexpr std::size_t kWorthSharing = 4096;  // minimum number of splats in a shared bin

}  // namespace

SplatBlocks::SplatBlocks(const SplatCloud& stored)
    : kind(stored.kind()),
      motion(stored.motion()),
      count(stored.count()),
      sh_degree(stored.sh_degree()),
      geometry(stored.geometry_block(0)),
      sh(stored.sh_block(0)),
      activated(false) {}

SplatBlocks::SplatBlocks(const DrawableSplats& splats)
    : kind(splats.kind()),
      motion(splats.form().motion),
      count(splats.count()),
      sh_degree(splats.sh_degree()),
      geometry(splats.geometry().data()),
      sh(splats.sh().data()),
      activated(true),
      index(splats.index()),
      clusters(splats.clusters()),
      lives(splats.lives()),
      from_s(splats.bounded().from_s),
      to_s(splats.bounded().to_s),
      marks(splats.marks()),
      dropped(splats.dropped()) {}

SplatBlocks::SplatBlocks(const CpuPages& pages)
    : kind(pages.form().kind),
      motion(pages.form().motion),
      count(pages.splats()),
      sh_degree(pages.form().sh_degree),
      geometry(pages.geometry()),
      sh(pages.sh()),
      activated(true),
      index(pages.index()),
      clusters(pages.clusters()),
      lives(pages.lives()),
      from_s(pages.bounded().from_s),
      to_s(pages.bounded().to_s),
      numbers(pages.numbers()) {}

ProjectParams project_params(const SplatBlocks& scene, const CameraFloats& camera, double time_s,
                             const RenderSettings& settings) {
  ProjectParams p{};
  p.kind = scene.kind;
  p.geometry = scene.geometry;
  p.sh = scene.sh;
  p.sh_stride = static_cast<std::size_t>(sh_coefficient_count(scene.sh_degree)) * 3 * kBlockSize;
  p.activated = scene.activated;
  p.index = scene.index.empty() ? nullptr : scene.index.data();
  p.marks = settings.marks && !scene.marks.empty() ? scene.marks.data() : nullptr;
  p.features = scene.features;
  const bool has_harmonics = scene.features.color == FeatureColor::none;
  p.sh_degree = has_harmonics ? std::clamp(settings.max_sh_degree, 0, scene.sh_degree) : 0;
  p.antialiased = settings.antialiased;
  p.splat_scale = settings.splat_scale;
  p.shape = settings.shape;
  p.camera = camera;
  p.motion = scene.motion;
  p.time_s = static_cast<float>(time_s);
  p.lives = scene.lives.empty() ? nullptr : scene.lives.data();
  p.paint = settings.paint;
  return p;
}

void order_by_size(const Binning& binning, std::vector<std::uint32_t>& order) {
  order.resize(binning.bin_count());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return binning.bin_size(a) > binning.bin_size(b);
  });
}

void CpuRenderer::project(std::span<const PlacedBlocks> scenes, const DrawnView& view,
                          FrameStats& stats) {
  std::size_t blocks = 0;
  for (const PlacedBlocks& scene : scenes) blocks += scene.blocks.block_count();
  const std::size_t clusters = clusters_per_part(blocks, pool_.threads());
  std::vector<SceneToProject> inputs;
  std::size_t first_index = 0;
  for (const PlacedBlocks& scene : scenes) {
    const SplatBlocks& splats = scene.blocks;
    const CameraFloats camera = placed_camera(view.camera, scene.world_from_scene);
    inputs.push_back({.blocks = {splats.block_count(), splats.clusters_at(scene.time_s), clusters},
                      .params = project_params(splats, camera, scene.time_s, view.settings),
                      .first_index = static_cast<std::uint32_t>(first_index)});
    first_index += std::max(splats.count, splats.numbers);
    stats.splats += splats.count;
    stats.dropped += splats.dropped;
  }
  binning_.project(inputs, kernels_, pool_);
}

FrameStats CpuRenderer::render(std::span<const PlacedBlocks> scenes, const Camera& camera,
                               const RenderSettings& settings, Frame& frame) {
  FrameStats stats;
  const auto start = SteadyClock::now();
  check_outputs(scenes.front().blocks.kind, settings);
  prepare_frame(camera, settings, frame);
  project(scenes, {camera, settings}, stats);
  stats.project_ms = ms_since(start);

  const auto bin_start = SteadyClock::now();
  binning_.fill(pool_);
  shared_bins_ = order_bins();
  stats.bin_ms = ms_since(bin_start);

  const auto blend_start = SteadyClock::now();
  for (Worker& worker : workers_) worker.tally = {};
  blend_bins({camera, settings}, frame);
  const double blend_and_sort_ms = ms_since(blend_start);

  double sorting = 0, blending = 0;
  for (const Worker& worker : workers_) {
    sorting += worker.tally.sort_ms;
    blending += worker.tally.blend_ms;
    stats.pairs += worker.tally.pairs;
    stats.evaluations += worker.tally.evaluations;
  }
  const double busy = std::max(sorting + blending, 1e-9);
  stats.sort_ms = blend_and_sort_ms * sorting / busy;
  stats.blend_ms = blend_and_sort_ms * blending / busy;
  stats.total_ms = ms_since(start);
  stats.visible = binning_.visible();
  return stats;
}

std::size_t CpuRenderer::memory_bytes() const {
  std::size_t bytes = binning_.memory_bytes();
  for (const BinWork& bin : shared_) bytes += bin.memory_bytes();
  for (const Worker& worker : workers_) bytes += worker.bin.memory_bytes();
  return bytes;
}

/// Orders the bins, largest first. Returns the number of bins that are so large that a single
/// thread would finish them after all the others.
std::size_t CpuRenderer::order_bins() {
  order_by_size(binning_, bin_order_);
  if (pool_.threads() == 1) return 0;
  const std::size_t large =
      binning_.entry_count() / (2 * static_cast<std::size_t>(pool_.threads()));
  const auto first_small = std::find_if(bin_order_.begin(), bin_order_.end(), [&](std::uint32_t b) {
    return binning_.bin_size(b) <= std::max(large, kWorthSharing);
  });
  return static_cast<std::size_t>(first_small - bin_order_.begin());
}

void CpuRenderer::prepare(std::size_t bin, SplatShape shape, BinWork& work, Tally& tally) {
  const auto sort_start = SteadyClock::now();
  work.sort(binning_, bin);
  tally.sort_ms += ms_since(sort_start);
  const auto list_start = SteadyClock::now();
  work.list_tiles(kernels_, shape);
  tally.blend_ms += ms_since(list_start);
}

void CpuRenderer::blend(const BinWork& work, int first_tile, int end_tile, const DrawnView& view,
                        Frame& frame, Tally& tally) const {
  const auto start = SteadyClock::now();
  const BlendCounts counts = work.blend_tiles(kernels_, first_tile, end_tile, view, frame);
  tally.pairs += counts.pairs;
  tally.evaluations += counts.evaluations;
  tally.blend_ms += ms_since(start);
}

void CpuRenderer::blend_bins(const DrawnView& view, Frame& frame) {
  if (shared_bins_ > 0) {
    shared_.resize(std::max(shared_.size(), shared_bins_));
    pool_.run(shared_bins_, [&](std::size_t i, int thread) {
      prepare(bin_order_[i], view.settings.shape, shared_[i],
              workers_[static_cast<std::size_t>(thread)].tally);
    });
    pool_.run(shared_bins_ * kTilesPerBin, [&](std::size_t i, int thread) {
      const int tile = static_cast<int>(i % kTilesPerBin);
      blend(shared_[i / kTilesPerBin], tile, tile + 1, view, frame,
            workers_[static_cast<std::size_t>(thread)].tally);
    });
  }
  pool_.run(bin_order_.size() - shared_bins_, [&](std::size_t i, int thread) {
    Worker& worker = workers_[static_cast<std::size_t>(thread)];
    prepare(bin_order_[shared_bins_ + i], view.settings.shape, worker.bin, worker.tally);
    blend(worker.bin, 0, kTilesPerBin, view, frame, worker.tally);
  });
}

}  // namespace mote
