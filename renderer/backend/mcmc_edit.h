#pragma once

// 3DGS-MCMC's change of a set of splats on the host, as a function of numbers. What backends do on
// their devices comes to the same.

#include <cstdint>
#include <span>

#include "backend/density.h"
#include "primitives/mcmc.h"

namespace mote {

struct McmcEdit {
  DensityEdit edit;
  McmcOutcome outcome;
};

/// Moves the dead and the broken splats onto living ones, drawn in proportion to their opacities,
/// then adds copies of others, drawn likewise, up to `count`. All that share a place are made to
/// look like the one that was there. Where none lives, nothing changes but that broken ones go.
/// Draws have numbers of `seed`: first the relocations in the order of the splats, then the copies.
McmcEdit mcmc_edit(const McmcRules& rules, std::span<const SplatGeometry> geometry,
                   std::span<const std::uint32_t> broken, std::uint64_t seed);

}  // namespace mote
