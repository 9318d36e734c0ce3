#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/buffer.h"
#include "core/byte_stream.h"
#include "math/adam_drift.h"
#include "scene/rate_groups.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Everything that training splats goes on from, in the host's memory: what a backend saves and
/// restores, and what the CPU trains in place.
struct TrainSnapshot {
  SplatCloud splats, first, second;       // raw parameters, Adam's moments
  Buffer<std::uint32_t> last_step;        // [blocks][16] when each splat was last updated
  Buffer<std::uint32_t> seen;             // [blocks][16] DensityStatistics
  Buffer<float> gradient_sum, radius_px;  // [blocks][16]
  std::array<AdamDrift, kRateGroups> drift;

  /// Parameters of `cloud`, nothing else yet.
  explicit TrainSnapshot(SplatCloud cloud);

  std::uint64_t steps() const { return drift[0].steps(); }
  /// Makes room for the statistics of the splats there are, all zero.
  void clear_statistics();
  void save(ByteSink& sink) const;
  /// Throws Error for bytes that are not of this layout or contradict themselves.
  void restore(ByteSource& source);
};

/// Sets all parameters to zero.
void fill_zero(SplatCloud& cloud);

/// In the order of RateGroup.
std::array<float, kRateGroups> by_group(const LearningRates& rates);

}  // namespace mote
