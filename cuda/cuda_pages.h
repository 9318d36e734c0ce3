#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/drawable_splats.h"
#include "cuda/cuda_scene.h"

namespace mote::cuda {

/// Parts of a scene in pages of kPageSplats splats on the device. A page is a cluster, which a
/// block of the projection processes.
class CudaPages : public DrawnScene {
 public:
  /// As Backend::make_pages(). Throws Error if the device's memory is insufficient.
  CudaPages(const SplatForm& form, std::size_t pages, cudaStream_t stream);
  ~CudaPages() override { gpu_.enter_quietly(); }
  CudaPages(const CudaPages&) = delete;
  CudaPages& operator=(const CudaPages&) = delete;

  /// As Backend::fill_pages() and empty_pages(). Pages that were filled together are emptied
  /// together.
  void fill(const PagesToFill& fill, cudaStream_t stream);
  void empty(std::span<const std::uint32_t> pages, cudaStream_t stream);

  SplatKind kind() const override { return form_.kind; }
  DeviceSplats splats() const override;
  /// Harmonics stay exact: a copy of them would have to be made for each page again.
  DeviceSplats splats_with_halves(cudaStream_t) const override { return splats(); }

 private:
  void put_numbers(const PagesToFill& fill, std::span<const std::uint32_t> slots,
                   cudaStream_t stream);
  void put_lives(std::span<const std::uint32_t> pages, std::span<const BlockLife> lives,
                 cudaStream_t stream);
  void order(cudaStream_t stream);

  Gpu gpu_ = Gpu::current();
  SplatForm form_;
  LifeRange bounded_{1, 0};
  std::vector<std::uint32_t> part_of_;  // [pages] PagesToFill::first, or kNoPart
  DeviceBuffer<float> geometry_, sh_;
  DeviceBuffer<Cluster> clusters_;
  DeviceBuffer<BlockLife> lives_;
  DeviceBuffer<std::uint32_t> in_part_, page_base_, index_, slot_of_;
  // Copies of a part on the way to its pages.
  DeviceBuffer<float> new_geometry_, new_sh_;
  DeviceBuffer<Cluster> new_clusters_;
  DeviceBuffer<BlockLife> new_lives_;
  DeviceBuffer<std::uint32_t> slots_, places_, numbers_;
};

}  // namespace mote::cuda
