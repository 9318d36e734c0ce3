#pragma once

// Relocation of splats, for those that move (FreeTimeGS, Wang et al. 2025): faint splats become
// copies of others, at the same place, time and velocity. Their number stays. Splats that turn out
// to stand still become static.

#include <cstdint>
#include <glm/vec3.hpp>
#include <limits>
#include <span>

#include "splats/density/density.h"

namespace mote {

/// The place of a camera, and its focal length. A pixel at a distance has the size distance /
/// focal_px.
struct SightPoint {
  glm::dvec3 position_world;
  double focal_px;
};

/// Bounds that keep the number of splats that live at a time small.
struct LifeBounds {
  double longest_s = std::numeric_limits<double>::infinity();  // of lives shorter than the scene
  /// Number of splats with longer lives than the scene from which on they are no parents.
  std::size_t most_always = std::numeric_limits<std::size_t>::max();
};

/// A new splat that is no copy of another one, with its constant harmonic.
struct SplatBirth {
  SplatGeometry geometry;
  MotionValues motion;
  float sh_0[3];
};

struct RelocationRules {
  double dead_opacity = 0.005;  // splats up to this opacity are dead
  double most_share = 0.015;    // of the splats that move to other places in one change
  std::uint64_t count = 0;      // number of splats to reach; removes no splats
  /// Least standard deviation of a life, s: half the time between frames.
  double least_sigma_s = 0;
  LifeBounds lives = {};
  double scene_s = 0;  // duration of the scene, for the bounds of lives
  /// Splats that live for kStaticLives durations and move by less than half a pixel in that time
  /// become static; 0: none.
  double duration_s = 0;
  std::span<const SightPoint> cameras = {};
  /// These take the places of dead splats, at most of all of them; the others become copies.
  std::span<const SplatBirth> births = {};
};
inline constexpr double kStaticLives = 1.5, kStaticMove_px = 0.5;

/// Counts of a change by RelocationRules.
struct RelocationOutcome {
  std::uint64_t relocated = 0;  // splats that are in other places, births included
  std::uint64_t born = 0, added = 0, removed = 0, settled = 0, lengthened = 0, shortened = 0;
  bool changes() const {
    return relocated + added + removed + settled + lengthened + shortened > 0;
  }
};

struct RelocationEdit {
  DensityEdit edit;
  RelocationOutcome outcome;
};

/// The splats before the change.
struct SplatsToRelocate {
  std::span<const SplatGeometry> geometry;
  std::span<const MotionValues> motions;  // empty: they stand still
  const DensityStatistics& statistics;
  std::span<const std::uint32_t> broken;
};

/// The number of splats that relocation_edit() moves to other places if there are any parents.
std::size_t count_to_relocate(const RelocationRules& rules, const SplatsToRelocate& splats);

/// Half of the weight of a splat that is drawn as a parent is its share of the gradients, half its
/// share of the opacities. Parents and children together look like the parents before
/// (splats/density/mcmc.h). Draws depend on the seed only.
RelocationEdit relocation_edit(const RelocationRules& rules, const SplatsToRelocate& splats,
                               std::uint64_t seed);

}  // namespace mote
