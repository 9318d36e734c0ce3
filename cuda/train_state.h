#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "backend/train_snapshot.h"
#include "cuda/kernels/density.h"
#include "cuda/kernels/update.h"
#include "cuda/morton_order.h"
#include "cuda/runtime/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Splats under training on the device: raw parameters, Adam's moments in the same layout, the step
/// of each splat's last update, and the statistics of densification. Splats are in Morton order
/// after each edit and reorder.
class DeviceTrainState {
 public:
  DeviceTrainState(const SplatCloud& cloud, cudaStream_t stream);

  std::size_t count() const { return count_; }
  int sh_degree() const { return form_.sh_degree; }
  SplatKind kind() const { return form_.kind; }
  SplatForm form() const { return form_; }
  const SceneTimes& times() const { return times_; }
  const FieldPlanes& planes() const { return kind_info(form_.kind, form_.motion).planes; }
  bool moves() const { return kind_info(form_.kind, form_.motion).moves(); }
  /// A cloud without splats, of the state's form and times.
  SplatCloud empty_cloud() const;
  std::uint64_t steps() const { return drift_[0].steps(); }
  DeviceSplats splats() const;
  /// For the kernels. The pointers are valid until the next edit, reorder or restore.
  SplatState view();
  /// Per rate group: Adam's constants for the step after steps(), and the drift until then.
  std::array<AdamRate, kRateGroups> rates(const LearningRates& rates) const;
  /// Records that a step with these rates is done.
  void finish_step(const LearningRates& rates);

  DensityStatistics statistics() const;
  void clear_statistics();
  std::vector<SplatGeometry> geometry() const;
  std::vector<MotionValues> motions() const;
  void edit(const DensityEdit& edit);
  void reorder();
  void limit_opacity(float most);
  /// Later edits to more splats throw Error. Without a call, only memory is a bound.
  void limit_count(std::size_t most) { most_ = most; }

  /// Begins an edit by the device: allocates a set of `count` splats and returns the destination
  /// for kernels. The state stays unchanged until finish_edit(), and also if either call throws
  /// Error for lack of memory.
  EditTarget begin_edit(std::size_t count);
  /// Gives each splat of the edit the motion of its source, for edits whose kernels do not.
  void copy_motions(const EditTarget& target);
  /// Replaces the set by the written one, in Morton order, with zero statistics and, for some
  /// splats of the edit, with other colours.
  void finish_edit(const DeviceBuffer<DensityEdit::Color>& colors =
                       DeviceBuffer<DensityEdit::Color>("colours of splats"));

  /// Parameters only.
  SplatCloud cloud() const;
  TrainSnapshot snapshot() const;
  void restore(const TrainSnapshot& snapshot);
  std::size_t memory_bytes() const;

 private:
  /// Parameters, or one of the moments.
  struct Parameters {
    DeviceBuffer<float> geometry{"the splats' geometry"};  // [blocks][fields of the kind][16]
    DeviceBuffer<float> sh{"the splats' harmonics"};       // [blocks][coefficient][3][16]
  };

  /// The geometry of all splats, without harmonics.
  SplatCloud geometry_cloud() const;
  std::size_t geometry_planes() const;
  std::size_t sh_planes() const;
  void resize(Parameters& parameters, std::size_t count) const;
  void upload(const SplatCloud& from, Parameters& to);
  void download(const Parameters& from, SplatCloud& to) const;
  void upload_drift(std::size_t group, std::size_t first);
  /// As MortonOrder::of().
  const std::uint32_t* order_of(const Parameters& parameters, unsigned count);
  /// Allocates memory for an edit to `count` splats. The state stays unchanged, also if it throws
  /// Error.
  void reserve_for_edit(std::size_t count);
  /// Copies splat source[i] to place i, with zero moments where `forget` marks it; uses spare_.
  void gather_geometry(Parameters& parameters, const std::uint32_t* source,
                       const std::uint8_t* forget, unsigned count);
  void gather_sh(Parameters& parameters, const std::uint32_t* source, const std::uint8_t* forget,
                 unsigned count);
  template <class T>
  void gather_each(DeviceBuffer<T>& values, DeviceBuffer<T>& spare, const std::uint32_t* source,
                   unsigned count);

  cudaStream_t stream_;
  std::size_t count_ = 0;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  SplatForm form_;
  SceneTimes times_;
  Parameters values_, first_, second_;
  Parameters spare_;  // destination of an edit's copies, then swapped with their source
  DeviceBuffer<std::uint32_t> last_step_{"the splats' last steps"}, seen_{"statistics of splats"};
  DeviceBuffer<float> gradient_sum_{"statistics of splats"}, radius_px_{"statistics of splats"};
  DeviceBuffer<std::uint32_t> spare_words_{"statistics of splats"};
  DeviceBuffer<float> spare_sums_{"statistics of splats"};
  // The sources of an edit, in its original order and in Morton order.
  DeviceBuffer<std::uint32_t> edit_source_{"indices of an edit"}, source_{"indices of an edit"};
  DeviceBuffer<std::uint8_t> edit_forget_{"indices of an edit"}, forget_{"indices of an edit"};
  MortonOrder order_;
  std::array<AdamDrift, kRateGroups> drift_;
  std::vector<DeviceBuffer<float>> device_drift_;  // device copies of drift_
};

}  // namespace mote::cuda
