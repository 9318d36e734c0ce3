#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/buffer.h"
#include "core/byte_stream.h"
#include "math/adam_drift.h"
#include "splats/kinds/fields.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The beginning of the bytes that TrainSnapshot::save() writes.
struct SnapshotHeader {
  std::uint64_t count = 0;  // splats
  std::int32_t degree = 0;  // of harmonics
  static constexpr std::size_t kBytes = 16;

  void save(ByteSink& sink) const;
};

/// After the header, save() writes arrays: each has as many bytes for each block of splats as this
/// says. Values that do not belong to single splats follow.
std::vector<std::size_t> snapshot_block_bytes(const SplatForm& form);

/// The complete training state of splats in the host's memory. Backends save and restore it; the
/// CPU backend trains it in place.
struct TrainSnapshot {
  SplatCloud splats, first, second;       // raw parameters, Adam's moments
  Buffer<std::uint32_t> last_step;        // [blocks][16] step of the last update of each splat
  Buffer<std::uint32_t> seen;             // [blocks][16] DensityStatistics
  Buffer<float> gradient_sum, radius_px;  // [blocks][16]
  std::array<AdamDrift, kRateGroups> drift;

  /// Takes the parameters from `cloud`; all other members are empty.
  explicit TrainSnapshot(SplatCloud cloud);

  std::uint64_t steps() const { return drift[0].steps(); }
  /// Allocates zero statistics for the current splats.
  void clear_statistics();
  void save(ByteSink& sink) const;
  /// Throws Error if the bytes have another layout or inconsistent values.
  void restore(ByteSource& source);
};

/// Sets all parameters to zero.
void fill_zero(SplatCloud& cloud);

/// Indexed by RateGroup.
std::array<float, kRateGroups> by_group(const LearningRates& rates);

}  // namespace mote
