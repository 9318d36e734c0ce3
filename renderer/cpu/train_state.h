#pragma once

#include <array>
#include <cstdint>

#include "backend/splat_trainer.h"
#include "backend/train_snapshot.h"
#include "core/parallel.h"
#include "cpu/kernels.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Splats under training on the CPU: raw parameters, Adam's moments of the same layout, when each
/// splat was last updated, and what densification looks at. Splats stand in Morton order after each
/// edit and reorder.
class TrainState {
 public:
  TrainState(SplatCloud cloud, ThreadPool& pool);

  const SplatCloud& splats() const { return all_.splats; }
  std::uint64_t steps() const { return all_.steps(); }
  /// For the kernels. The pointers hold until the next edit, reorder or restore.
  SplatState view();
  /// Per group of rates: Adam's constants for the step after steps(), and the drift until then.
  std::array<AdamRate, kRateGroups> rates(const LearningRates& rates) const;
  /// Takes note that a step with these rates is done.
  void finish_step(const LearningRates& rates);

  DensityStatistics statistics() const;
  void clear_statistics() { all_.clear_statistics(); }
  std::vector<SplatGeometry> geometry() const;
  void edit(const DensityEdit& edit, ThreadPool& pool);
  void reorder(ThreadPool& pool);
  void limit_opacity(float most);

  void save(ByteSink& sink) const { all_.save(sink); }
  void restore(ByteSource& source) { all_.restore(source); }
  std::size_t memory_bytes() const;

 private:
  TrainSnapshot all_;
};

}  // namespace mote
