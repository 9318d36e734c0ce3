#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/drawable_splats.h"
#include "core/parallel.h"
#include "cuda/runtime/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Splats on the device, for frames.
class DrawnScene : public DeviceScene {
 public:
  virtual DeviceSplats splats() const = 0;
  /// The same with harmonics in half precision. The first call makes them. Throws OutOfMemory if
  /// the device's memory is insufficient.
  virtual DeviceSplats splats_with_halves(cudaStream_t stream) const = 0;
};

/// A scene on the device, prepared for drawing.
class CudaScene : public DrawnScene {
 public:
  /// Sorts the splats on the host, with the pool's threads, and copies them. Throws Error, with the
  /// number of splats that would fit, if the device's memory is insufficient.
  CudaScene(SplatCloud cloud, ThreadPool& pool, cudaStream_t stream);
  ~CudaScene() override { gpu_.enter_quietly(); }
  CudaScene(const CudaScene&) = delete;
  CudaScene& operator=(const CudaScene&) = delete;

  SplatKind kind() const override { return form_.kind; }
  bool has_features() const override { return decoder_ != nullptr; }
  std::size_t living(double time_s) const override {
    return splats_of_living_blocks(host_lives_, count_, time_s);
  }
  DeviceSplats splats() const override;
  DeviceSplats splats_with_halves(cudaStream_t stream) const override;

  /// Like Backend::update().
  void update(std::span<const std::uint32_t> splats, SplatCloud values, ThreadPool& pool,
              cudaStream_t stream);
  /// Like Backend::mark().
  void mark(const SplatMask& marked, cudaStream_t stream);

 private:
  void copy_order(cudaStream_t stream);
  void update_lives(const DrawableSplats& values, std::span<const std::uint32_t> slots,
                    cudaStream_t stream);

  Gpu gpu_ = Gpu::current();
  std::shared_ptr<const FeatureDecoder> decoder_;  // of splats with features
  SplatForm form_;
  LifeRange bounded_{0, 0};  // times at which the clusters bound the splats
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
  DeviceBuffer<float> geometry_, sh_;
  mutable DeviceBuffer<std::uint16_t> half_sh_;  // empty until they are requested
  DeviceBuffer<Cluster> clusters_;
  DeviceBuffer<BlockLife> lives_;  // empty for splats without lives
  DeviceBuffer<std::uint32_t> index_, slot_of_;
  DeviceBuffer<float> marks_;          // empty: none is marked
  std::vector<BlockLife> host_lives_;  // a copy of lives_
  // Copies on the host, made when they are first needed.
  std::vector<std::uint32_t> host_slot_of_;
  std::vector<Cluster> host_clusters_;
};

}  // namespace mote::cuda
