#pragma once

// What 3DGS-MCMC does to a set of splats (Kheradmand et al. 2024, "3D Gaussian Splatting as Markov
// Chain Monte Carlo", section 4 and its supplement), as a function of numbers.

#include <cstdint>
#include <span>

#include "backend/splat_trainer.h"
#include "core/random.h"

namespace mote {

/// One splat shared out over several in the same place.
struct Relocated {
  double opacity = 0, scale_factor = 1;  // of each; the factor is on all scales
};

/// What each of `copies` (1 to kMostCopies; more count as that) splats in one place must be so that
/// together they look like one of this opacity (0 to below 1): the opacity so that they are as
/// opaque at the centre, the scale so that the integral of their blended opacity over a line
/// through it is the same.
Relocated relocated(double opacity, int copies);
inline constexpr int kMostCopies = 51;

struct McmcRules {
  double dead_opacity = 0.005;  // up to it a splat is dead
  std::uint64_t count = 0;      // splats to have afterwards; never removes
};

struct McmcOutcome {
  DensityEdit edit;
  std::uint64_t relocated = 0, added = 0, removed = 0;
  bool changes() const { return relocated + added + removed > 0; }
};

/// Moves the dead and the broken splats onto living ones, drawn in proportion to their opacities,
/// then adds copies of others, drawn likewise, up to `count`. All that share a place are made to
/// look like the one that was there. Where none lives, nothing changes but that broken ones go.
McmcOutcome mcmc_edit(const McmcRules& rules, std::span<const SplatGeometry> geometry,
                      std::span<const std::uint32_t> broken, Random& random);

}  // namespace mote
