#pragma once

// The change of a set of splats in 3DGS-MCMC, on the host, as a pure function. Backends produce the
// same result on their devices.

#include <cstdint>
#include <span>

#include "splats/density/density.h"
#include "splats/density/mcmc.h"
#include "splats/kinds/splat_kind.h"

namespace mote {

struct McmcEdit {
  DensityEdit edit;
  McmcOutcome outcome;
};

/// Moves dead and broken splats onto living splats, which are drawn in proportion to opacity. Then
/// adds copies of splats drawn in the same way, up to `count` splats. Splats at the same position
/// are changed so that together they look like the original. If all splats are dead, only broken
/// ones are removed. The numbers of the draws under `seed` follow this order: the relocations in
/// the order of the splats, then the copies.
McmcEdit mcmc_edit(SplatKind kind, const McmcRules& rules, std::span<const SplatGeometry> geometry,
                   std::span<const std::uint32_t> broken, std::uint64_t seed);

}  // namespace mote
