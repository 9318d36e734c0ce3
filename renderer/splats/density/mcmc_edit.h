#pragma once

// The change of a set of splats of 3DGS-MCMC on the host, as a pure function. Backends produce the
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

/// Moves dead and broken splats onto living ones, drawn in proportion to opacity. Then adds copies
/// of further ones, drawn likewise, up to `count` splats. Splats that share a place are changed so
/// that together they look like the original one. Where no splat lives, only broken ones are
/// removed. Draws are numbered under `seed`: first the relocations in the order of the splats, then
/// the copies.
McmcEdit mcmc_edit(SplatKind kind, const McmcRules& rules, std::span<const SplatGeometry> geometry,
                   std::span<const std::uint32_t> broken, std::uint64_t seed);

}  // namespace mote
