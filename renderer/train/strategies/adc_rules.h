#pragma once

// What adaptive density control does to a set of splats (Kerbl et al. 2023, section 5.2; numbers as
// their later code has them), as a function of numbers: no device, no step counting.

#include <cstdint>
#include <span>

#include "backend/splat_trainer.h"
#include "core/random.h"

namespace mote {

struct AdcRules {
  double gradient = 2e-4;        // mean norm from which on a splat is densified
  bool by_rank_alone = false;    // densify whoever has the largest gradients until `most` is full
  double clone_scale = 0;        // world units: up to it cloned, above it split
  double prune_opacity = 0.005;  // below it removed
  double prune_scale = 0;        // world units: above it removed; 0 keeps
  double prune_radius_px = 0;    // likewise on images
  std::uint64_t most = 0;        // splats afterwards; never removes for it
};

struct AdcOutcome {
  DensityEdit edit;
  std::uint64_t cloned = 0, split = 0, removed = 0;
  bool changes() const { return cloned + split + removed > 0; }
};

/// Removes the broken splats, and those too faint or too large; then clones the small and splits
/// the large ones of the others whose mean gradient reaches the threshold: where that would be more
/// than `most`, those of the largest gradients (the first of equal ones). Of a split splat two are
/// left that are 1.6 times smaller, at places drawn from it. A large splat that ought to be split
/// is not removed for its size, as splitting makes it smaller. Where none would be left, only the
/// broken ones go.
AdcOutcome adc_edit(const AdcRules& rules, std::span<const SplatGeometry> geometry,
                    const DensityStatistics& statistics, std::span<const std::uint32_t> broken,
                    Random& random);

}  // namespace mote
