#include "cuda/cuda_scene.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/half_harmonics.h"
#include "cuda/kernels/projection.h"
#include "cuda/kernels/scene_update.h"
#include "cuda/memory_estimate.h"

namespace mote::cuda {

static_assert(kClusterBlocks * kBlockSize == kProjectThreads);

CudaScene::CudaScene(SplatCloud cloud, ThreadPool& pool, cudaStream_t stream)
    : decoder_(cloud.decoder),
      geometry_("the splats' geometry"),
      sh_("the splats' harmonics"),
      half_sh_("the splats' harmonics in half precision"),
      clusters_("bounds of splats"),
      lives_("lives of splats"),
      index_("the splats' order"),
      slot_of_("the splats' order"),
      marks_("marks of splats") {
  if (cloud.count() > kMostSplats) {
    throw Error("has " + std::to_string(cloud.count()) +
                    " splats, but a CUDA device renders at most " + std::to_string(kMostSplats),
                "the scene", "use fewer splats, or --device cpu");
  }
  check_scene_fits(cloud.count(), cloud.form(),
                   memory_estimate({.use = MemoryUse::scene, .splat = cloud.form()}));
  const DrawableSplats drawable(std::move(cloud), pool);
  form_ = drawable.form();
  bounded_ = drawable.bounded();
  count_ = drawable.count();
  dropped_ = drawable.dropped();
  if (count_ == 0) return;
  const auto copy = [stream](auto& buffer, const auto* data, std::size_t size) {
    buffer.resize_discard(size);
    buffer.upload({data, size}, stream);
  };
  copy(geometry_, drawable.geometry().data(), drawable.geometry().size());
  copy(sh_, drawable.sh().data(), drawable.sh().size());
  copy(clusters_, drawable.clusters().data(), drawable.clusters().size());
  copy(lives_, drawable.lives().data(), drawable.lives().size());
  host_lives_.assign(drawable.lives().begin(), drawable.lives().end());
  copy(index_, drawable.index().data(), count_);
  const std::vector<std::uint32_t> slot_of = inverse_order(drawable.index(), count_);
  copy(slot_of_, slot_of.data(), count_);
  check(cudaStreamSynchronize(stream), "copying the scene");
}

/// Copies the order, and the bounds that changes enlarge, to the host.
void CudaScene::copy_order(cudaStream_t stream) {
  if (!host_slot_of_.empty()) return;
  host_clusters_.resize(clusters_.size());
  clusters_.download(host_clusters_, stream);
  std::vector<std::uint32_t> slot_of(count_);
  slot_of_.download(slot_of, stream);
  check(cudaStreamSynchronize(stream), "copying the splats' order");
  host_slot_of_ = std::move(slot_of);
}

void CudaScene::mark(const SplatMask& marked, cudaStream_t stream) {
  CHECK(marked.size() == count_);
  if (!marked.any()) {
    marks_.resize_discard(0);
    return;
  }
  copy_order(stream);
  const Buffer<float> marks = marks_in_slots(marked, host_slot_of_, count_);
  marks_.resize_discard(count_);
  marks_.upload(marks.span(), stream);
  check(cudaStreamSynchronize(stream), "marking splats");
}

void CudaScene::update(std::span<const std::uint32_t> splats, SplatCloud values, ThreadPool& pool,
                       cudaStream_t stream) {
  CHECK(splats.size() == values.count() && values.form() == form_);
  if (splats.empty()) return;
  copy_order(stream);
  const DrawableSplats prepared(std::move(values), pool);
  std::vector<std::uint32_t> slots, changed_clusters;
  for (std::size_t i = 0; i < prepared.count(); ++i) {
    slots.push_back(host_slot_of_.at(splats[prepared.index()[i]]));
    const std::uint32_t place = slots.back() / kProjectThreads;
    host_clusters_[place] = joined(host_clusters_[place], prepared.bound_of(i));
    changed_clusters.push_back(place);
  }
  std::ranges::sort(changed_clusters);
  const auto repeated = std::unique(changed_clusters.begin(), changed_clusters.end());
  changed_clusters.erase(repeated, changed_clusters.end());
  std::vector<Cluster> clusters;
  for (const std::uint32_t place : changed_clusters) clusters.push_back(host_clusters_[place]);
  const auto on_device = [stream](auto& buffer, const auto* data, std::size_t size) {
    buffer.resize_discard(size);
    buffer.upload({data, size}, stream);
    return buffer.data();
  };
  DeviceBuffer<float> geometry("changed splats"), sh("changed splats");
  DeviceBuffer<std::uint32_t> places("changed splats"), cluster_places("changed splats");
  DeviceBuffer<Cluster> new_clusters("changed splats");
  run_scene_update(
      {.new_geometry = on_device(geometry, prepared.geometry().data(), prepared.geometry().size()),
       .new_sh = on_device(sh, prepared.sh().data(), prepared.sh().size()),
       .slots = on_device(places, slots.data(), slots.size()),
       .count = static_cast<unsigned>(prepared.count()),
       .geometry_rows = static_cast<unsigned>(kind_info(form_.kind, form_.motion).field_count),
       .sh_rows = static_cast<unsigned>(sh_coefficient_count(form_.sh_degree)) * 3,
       .geometry = geometry_.data(),
       .sh = sh_.data(),
       .new_clusters = on_device(new_clusters, clusters.data(), clusters.size()),
       .changed_clusters =
           on_device(cluster_places, changed_clusters.data(), changed_clusters.size()),
       .cluster_count = static_cast<unsigned>(clusters.size()),
       .clusters = clusters_.data()},
      stream);
  half_sh_.resize_discard(0);
  check(cudaStreamSynchronize(stream), "updating the scene");
  if (!lives_.empty()) update_lives(prepared, slots, stream);
}

void CudaScene::update_lives(const DrawableSplats& values, std::span<const std::uint32_t> slots,
                             cudaStream_t stream) {
  std::vector<std::uint32_t> changed;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    changed.push_back(slots[i] / kBlockSize);
    host_lives_[changed.back()] = joined(host_lives_[changed.back()], values.life_of(i));
  }
  std::ranges::sort(changed);
  const auto repeated = std::unique(changed.begin(), changed.end());
  changed.erase(repeated, changed.end());
  std::vector<BlockLife> lives;
  for (const std::uint32_t block : changed) lives.push_back(host_lives_[block]);
  DeviceBuffer<std::uint32_t> blocks("changed lives");
  DeviceBuffer<BlockLife> new_lives("changed lives");
  blocks.resize_discard(changed.size());
  blocks.upload(changed, stream);
  new_lives.resize_discard(lives.size());
  new_lives.upload(lives, stream);
  run_life_update({.new_lives = new_lives.data(),
                   .blocks = blocks.data(),
                   .count = static_cast<unsigned>(lives.size()),
                   .lives = lives_.data()},
                  stream);
  check(cudaStreamSynchronize(stream), "updating lives");
}

DeviceSplats CudaScene::splats() const {
  return {.kind = form_.kind,
          .motion = form_.motion,
          .geometry = geometry_.data(),
          .sh = sh_.data(),
          .marks = marks_.empty() ? nullptr : marks_.data(),
          .count = count_,
          .sh_degree = form_.sh_degree,
          .activated = true,
          .clusters = clusters_.data(),
          .lives = lives_.empty() ? nullptr : lives_.data(),
          .index = index_.data(),
          .slot_of = slot_of_.data(),
          .dropped = dropped_,
          .decoder = decoder_.get(),
          .bounded = bounded_};
}

DeviceSplats CudaScene::splats_with_halves(cudaStream_t stream) const {
  if (half_sh_.empty() && !sh_.empty()) {
    half_sh_.reserve_discard(sh_.size());
    run_half_harmonics({.from = sh_.data(), .to = half_sh_.data(), .count = sh_.size()}, stream);
    half_sh_.resize_discard(sh_.size());
  }
  DeviceSplats result = splats();
  result.half_sh = half_sh_.data();
  return result;
}

}  // namespace mote::cuda
