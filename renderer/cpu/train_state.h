#pragma once

#include <array>
#include <cstdint>

#include "backend/splat_trainer.h"
#include "backend/train_snapshot.h"
#include "core/parallel.h"
#include "cpu/kernels.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Splats in training on the CPU: stored parameters, Adam's moments in the same layout, the step of
/// each splat's last update, and the statistics of densification. Splats are in the order of
/// morton_order() after each edit and reorder.
class TrainState {
 public:
  TrainState(SplatCloud cloud, ThreadPool& pool);

  const SplatCloud& splats() const { return all_.splats; }
  std::uint64_t steps() const { return all_.steps(); }
  /// Pointers for the kernels, which are valid until the next edit, reorder or restore.
  SplatState view();
  /// For each rate group: Adam's constants for the step after steps(), and the drift until then.
  std::array<AdamRate, kRateGroups> rates(const LearningRates& rates) const;
  /// Allocates the memory that finish_step() needs. Call it before a step changes the splats. If it
  /// throws std::bad_alloc, nothing has changed.
  void begin_change();
  /// Records that a step with these rates is done.
  void finish_step(const LearningRates& rates);

  /// False after a step, an edit or a reordering that was not completed.
  bool is_whole() const { return is_whole_; }

  DensityStatistics statistics() const;
  void clear_statistics() { all_.clear_statistics(); }
  std::vector<SplatGeometry> geometry() const;
  std::vector<MotionValues> motions() const;
  /// If memory is insufficient, the state is almost certainly unchanged; is_whole() tells.
  void edit(const DensityEdit& edit, ThreadPool& pool);
  void reorder(ThreadPool& pool);
  void limit_opacity(float most);

  void save(ByteSink& sink) const { all_.save(sink); }
  void restore(ByteSource& source) { all_.restore(source); }
  std::size_t memory_bytes() const;

 private:
  void check_memory(const SplatCloud& splats, std::size_t lanes) const;

  TrainSnapshot all_;
  bool is_whole_ = true;
};

}  // namespace mote
