#pragma once

#include <array>
#include <cstdint>

#include "backend/train_snapshot.h"
#include "core/parallel.h"
#include "cuda/kernels/update.h"
#include "cuda/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Splats under training on the device: raw parameters, Adam's moments of the same layout, when
/// each splat was last updated, and what densification looks at. Splats stand in Morton order after
/// each edit.
class DeviceTrainState {
 public:
  DeviceTrainState(SplatCloud cloud, ThreadPool& pool, cudaStream_t stream);

  std::size_t count() const { return count_; }
  int sh_degree() const { return sh_degree_; }
  std::uint64_t steps() const { return drift_[0].steps(); }
  DeviceSplats splats() const;
  /// For the kernels. The pointers hold until the next edit or restore.
  SplatState view();
  /// Per group of rates: Adam's constants for the step after steps(), and the drift until then.
  std::array<AdamRate, kRateGroups> rates(const LearningRates& rates) const;
  /// Takes note that a step with these rates is done.
  void finish_step(const LearningRates& rates);

  DensityStatistics statistics() const;
  void clear_statistics();
  std::vector<SplatGeometry> geometry() const;
  void edit(const DensityEdit& edit, ThreadPool& pool);
  void limit_opacity(float most);

  /// Parameters alone.
  SplatCloud cloud() const;
  TrainSnapshot snapshot() const;
  void restore(const TrainSnapshot& snapshot);
  std::size_t memory_bytes() const;

 private:
  /// Parameters or one of the moments.
  struct Parameters {
    DeviceBuffer<float> geometry{"the splats' geometry"};  // [blocks][kFieldCount][16]
    DeviceBuffer<float> sh{"the splats' harmonics"};       // [blocks][coefficient][3][16]
  };

  std::size_t sh_planes() const;
  void resize(Parameters& parameters, std::size_t count) const;
  void upload(const SplatCloud& from, Parameters& to);
  void download(const Parameters& from, SplatCloud& to) const;
  void upload_drift(std::size_t group, std::size_t first);
  void take_geometry(const DensityEdit& edit, SplatCloud& geometry);
  void move_splats(const std::vector<std::uint32_t>& source,
                   const std::vector<std::uint8_t>& forget);

  cudaStream_t stream_;
  std::size_t count_ = 0;
  int sh_degree_ = 0;
  Parameters values_, first_, second_;
  Parameters spare_;  // what an edit moves to, before it takes the place of what it moved from
  DeviceBuffer<std::uint32_t> last_step_{"the splats' last steps"}, spare_steps_{"last steps"};
  DeviceBuffer<std::uint32_t> seen_{"statistics of splats"}, source_{"places of splats"};
  DeviceBuffer<std::uint8_t> forget_{"places of splats"};
  DeviceBuffer<float> gradient_sum_{"statistics of splats"}, radius_px_{"statistics of splats"};
  std::array<AdamDrift, kRateGroups> drift_;
  std::vector<DeviceBuffer<float>> device_drift_;  // as drift_
};

}  // namespace mote::cuda
