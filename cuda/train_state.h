#pragma once

#include <array>
#include <cstdint>

#include "backend/train_snapshot.h"
#include "cuda/kernels/density.h"
#include "cuda/kernels/update.h"
#include "cuda/morton_order.h"
#include "cuda/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Splats under training on the device: raw parameters, Adam's moments of the same layout, when
/// each splat was last updated, and what densification looks at. Splats stand in Morton order after
/// each edit and reorder.
class DeviceTrainState {
 public:
  DeviceTrainState(const SplatCloud& cloud, cudaStream_t stream);

  std::size_t count() const { return count_; }
  int sh_degree() const { return sh_degree_; }
  std::uint64_t steps() const { return drift_[0].steps(); }
  DeviceSplats splats() const;
  /// For the kernels. The pointers hold until the next edit, reorder or restore.
  SplatState view();
  /// Per group of rates: Adam's constants for the step after steps(), and the drift until then.
  std::array<AdamRate, kRateGroups> rates(const LearningRates& rates) const;
  /// Takes note that a step with these rates is done.
  void finish_step(const LearningRates& rates);

  DensityStatistics statistics() const;
  void clear_statistics();
  std::vector<SplatGeometry> geometry() const;
  void edit(const DensityEdit& edit);
  void reorder();
  void limit_opacity(float most);

  /// An edit that the device decides: makes room for a set of `count` splats and says where kernels
  /// shall write it. Nothing is changed before finish_edit(), or where either throws Error for want
  /// of memory.
  EditTarget begin_edit(std::size_t count);
  /// The set that was written takes the place of the present one, in Morton order, with statistics
  /// of zero.
  void finish_edit();

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
  /// Makes room for an edit to `count` splats. What is held stays, also where it throws Error.
  void make_room(std::size_t count);
  /// Splat i becomes what splat source[i] was, moments that `forget` marks zero; through spare_.
  void gather_geometry(Parameters& parameters, const std::uint32_t* source,
                       const std::uint8_t* forget, unsigned count);
  void gather_sh(Parameters& parameters, const std::uint32_t* source, const std::uint8_t* forget,
                 unsigned count);
  template <class T>
  void gather_each(DeviceBuffer<T>& values, DeviceBuffer<T>& spare, const std::uint32_t* source,
                   unsigned count);

  cudaStream_t stream_;
  std::size_t count_ = 0;
  int sh_degree_ = 0;
  Parameters values_, first_, second_;
  Parameters spare_;  // what an edit moves to, before it takes the place of what it moved from
  DeviceBuffer<std::uint32_t> last_step_{"the splats' last steps"}, seen_{"statistics of splats"};
  DeviceBuffer<float> gradient_sum_{"statistics of splats"}, radius_px_{"statistics of splats"};
  DeviceBuffer<std::uint32_t> spare_words_{"statistics of splats"};
  DeviceBuffer<float> spare_sums_{"statistics of splats"};
  // Of an edit, as it was written and in Morton order.
  DeviceBuffer<std::uint32_t> edit_source_{"places of splats"}, source_{"places of splats"};
  DeviceBuffer<std::uint8_t> edit_forget_{"places of splats"}, forget_{"places of splats"};
  MortonOrder order_;
  std::array<AdamDrift, kRateGroups> drift_;
  std::vector<DeviceBuffer<float>> device_drift_;  // as drift_
};

}  // namespace mote::cuda
