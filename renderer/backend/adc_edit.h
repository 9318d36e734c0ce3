#pragma once

// Adaptive density control of a set of splats on the host, as a function of numbers: no device, no
// step counting. What backends do on their devices comes to the same.

#include <cstdint>
#include <span>

#include "backend/density.h"
#include "primitives/adc.h"

namespace mote {

struct AdcEdit {
  DensityEdit edit;
  AdcOutcome outcome;
};

/// Removes the broken splats, and those too faint or too large; then clones the small and splits
/// the large ones of the others whose mean gradient reaches the threshold: where that would be more
/// than `most`, those of the largest gradients (the first of equal ones). Of a split splat two are
/// left that are 1.6 times smaller, at places drawn from it. Where none would be left, only the
/// broken ones go.
AdcEdit adc_edit(const AdcRules& rules, std::span<const SplatGeometry> geometry,
                 const DensityStatistics& statistics, std::span<const std::uint32_t> broken,
                 std::uint64_t seed);

}  // namespace mote
