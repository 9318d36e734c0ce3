#include "cuda/cuda_scene.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/drawable_splats.h"
#include "core/error.h"
#include "cuda/kernels/projection.h"
#include "cuda/kernels/scene_update.h"
#include "cuda/memory_estimate.h"

namespace mote::cuda {

static_assert(kClusterBlocks * kBlockSize == kProjectThreads);

CudaScene::CudaScene(SplatCloud cloud, ThreadPool& pool, cudaStream_t stream)
    : geometry_("the splats' geometry"),
      sh_("the splats' harmonics"),
      clusters_("bounds of splats"),
      index_("the splats' order"),
      slot_of_("the splats' order") {
  if (cloud.count() > kMostSplats) {
    throw Error("a device cannot render " + std::to_string(cloud.count()) + " splats, at most " +
                    std::to_string(kMostSplats),
                "the scene", "use fewer splats, or --device cpu");
  }
  check_scene_fits(cloud.count(), cloud.sh_degree());
  const DrawableSplats drawable(std::move(cloud), pool);
  const SplatCloud& splats = drawable.splats();
  count_ = splats.count();
  sh_degree_ = splats.sh_degree();
  dropped_ = drawable.dropped();
  if (count_ == 0) return;
  const auto copy = [stream](auto& buffer, const auto* data, std::size_t size) {
    buffer.resize_discard(size);
    buffer.upload({data, size}, stream);
  };
  const std::size_t blocks = splats.block_count();
  const auto sh_values = static_cast<std::size_t>(splats.sh_coefficients()) * 3;
  copy(geometry_, splats.geometry_block(0), blocks * kFieldCount * kBlockSize);
  copy(sh_, splats.sh_block(0), blocks * sh_values * kBlockSize);
  copy(clusters_, drawable.clusters().data(), drawable.clusters().size());
  copy(index_, drawable.index().data(), count_);
  const std::vector<std::uint32_t> slot_of = inverse_order(drawable.index(), count_);
  copy(slot_of_, slot_of.data(), count_);
  check(cudaStreamSynchronize(stream), "copying the scene");
}

void CudaScene::update(std::span<const std::uint32_t> splats, SplatCloud values, ThreadPool& pool,
                       cudaStream_t stream) {
  CHECK(splats.size() == values.count() && values.sh_degree() == sh_degree_);
  if (splats.empty()) return;
  if (host_slot_of_.empty()) {
    host_clusters_.resize(clusters_.size());
    clusters_.download(host_clusters_, stream);
    std::vector<std::uint32_t> slot_of(count_);
    slot_of_.download(slot_of, stream);
    check(cudaStreamSynchronize(stream), "copying the splats' order");
    host_slot_of_ = std::move(slot_of);
  }
  const DrawableSplats prepared(std::move(values), pool);
  const SplatCloud& cloud = prepared.splats();
  std::vector<std::uint32_t> slots, changed_clusters;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    slots.push_back(host_slot_of_.at(splats[prepared.index()[i]]));
    const std::uint32_t place = slots.back() / kProjectThreads;
    host_clusters_[place] = joined(host_clusters_[place], prepared.bound_of(i));
    changed_clusters.push_back(place);
  }
  std::ranges::sort(changed_clusters);
  const auto repeated = std::ranges::unique(changed_clusters);
  changed_clusters.erase(repeated.begin(), repeated.end());
  std::vector<Cluster> clusters;
  for (const std::uint32_t place : changed_clusters) clusters.push_back(host_clusters_[place]);
  const auto on_device = [stream](auto& buffer, const auto* data, std::size_t size) {
    buffer.resize_discard(size);
    buffer.upload({data, size}, stream);
    return buffer.data();
  };
  const auto sh_rows = static_cast<std::size_t>(cloud.sh_coefficients()) * 3;
  const std::size_t padded = cloud.block_count() * kBlockSize;
  DeviceBuffer<float> geometry("changed splats"), sh("changed splats");
  DeviceBuffer<std::uint32_t> places("changed splats"), cluster_places("changed splats");
  DeviceBuffer<Cluster> new_clusters("changed splats");
  run_scene_update(
      {.new_geometry = on_device(geometry, cloud.geometry_block(0), padded * kFieldCount),
       .new_sh = on_device(sh, cloud.sh_block(0), padded * sh_rows),
       .slots = on_device(places, slots.data(), slots.size()),
       .count = static_cast<unsigned>(cloud.count()),
       .sh_rows = static_cast<unsigned>(sh_rows),
       .geometry = geometry_.data(),
       .sh = sh_.data(),
       .new_clusters = on_device(new_clusters, clusters.data(), clusters.size()),
       .changed_clusters =
           on_device(cluster_places, changed_clusters.data(), changed_clusters.size()),
       .cluster_count = static_cast<unsigned>(clusters.size()),
       .clusters = clusters_.data()},
      stream);
  check(cudaStreamSynchronize(stream), "updating the scene");
}

DeviceSplats CudaScene::splats() const {
  return {.geometry = geometry_.data(),
          .sh = sh_.data(),
          .count = count_,
          .sh_degree = sh_degree_,
          .activated = true,
          .clusters = clusters_.data(),
          .index = index_.data(),
          .slot_of = slot_of_.data(),
          .dropped = dropped_};
}

}  // namespace mote::cuda
