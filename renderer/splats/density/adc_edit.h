#pragma once

// Adaptive density control of a set of splats on the host, as a pure function: it uses no device
// and counts no steps. Backends produce the same result on their devices.

#include <cstdint>
#include <span>

#include "splats/density/adc.h"
#include "splats/density/density.h"
#include "splats/kinds/splat_kind.h"

namespace mote {

struct AdcEdit {
  DensityEdit edit;
  AdcOutcome outcome;
};

/// Removes broken splats and splats that are too faint or too large. If no splat would be left, it
/// removes only the broken ones. Remaining splats whose mean gradient reaches the threshold are
/// cloned if small and split if large. If that would exceed `most` splats, the largest gradients
/// come first; among equal gradients, the lowest index. A split replaces a splat by two that are
/// 1.6 times smaller, at positions drawn from its distribution.
AdcEdit adc_edit(SplatKind kind, const AdcRules& rules, std::span<const SplatGeometry> geometry,
                 const DensityStatistics& statistics, std::span<const std::uint32_t> broken,
                 std::uint64_t seed);

}  // namespace mote
