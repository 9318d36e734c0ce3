#include "cuda/cuda_scene.h"

#include <vector>

#include "backend/drawable_splats.h"
#include "core/error.h"
#include "cuda/kernels/projection.h"
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
  std::vector<std::uint32_t> slot_of(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    slot_of[drawable.index()[i]] = static_cast<std::uint32_t>(i);
  }
  copy(slot_of_, slot_of.data(), count_);
  check(cudaStreamSynchronize(stream), "copying the scene");
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
