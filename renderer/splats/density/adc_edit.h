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

/// Removes broken splats, and those too faint or too large. Of the others, those whose mean
/// gradient reaches the threshold are cloned if small and split if large. Where that would exceed
/// `most` splats, those with the largest gradients are taken, ties in order. A split replaces a
/// splat by two that are 1.6 times smaller, at positions drawn from it. Where no splat would be
/// left, only the broken ones are removed.
AdcEdit adc_edit(SplatKind kind, const AdcRules& rules, std::span<const SplatGeometry> geometry,
                 const DensityStatistics& statistics, std::span<const std::uint32_t> broken,
                 std::uint64_t seed);

}  // namespace mote
