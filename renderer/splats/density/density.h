#pragma once

// Changes of the set of splats during training.

#include <cstdint>
#include <span>
#include <vector>

#include "splats/splat_geometry.h"

namespace mote {

/// The input of densification: one number per splat in the trainer's current order, accumulated
/// since the last edit(), change() or clear_statistics().
struct DensityStatistics {
  std::vector<float> gradient;  // norm of dL/d(mean in normalised device coordinates)
  /// Number of steps in which the splat was visible. Steps of a splat with a life count by its
  /// weight, in units of 1 / kSeenUnit (pipeline/update.h), and so do their gradients.
  std::vector<std::uint32_t> seen;
  std::vector<float> radius_px;  // largest half extent of the footprint so far
};

/// A change of the set of splats. The result has source.size() splats. Splat i is a copy of
/// source[i], including harmonics and optimiser state. `changes` are written afterwards. Splats
/// marked in `forget` start with zero moments.
/// Splats listed in `colors` have that constant harmonic, and no others.
struct DensityEdit {
  struct Change {
    std::uint32_t splat;  // index in the result, at most once
    SplatGeometry geometry;
  };
  std::vector<std::uint32_t> source;
  struct Move {
    std::uint32_t splat;  // index in the result, at most once
    MotionValues motion;
  };
  std::vector<std::uint8_t> forget;  // one byte per splat of the result
  std::vector<Change> changes;
  std::vector<Move> moves;  // of splats with a motion; other splats keep that of their source
  struct Color {
    std::uint32_t splat;  // index in the result
    float sh_0[3];        // r, g, b
  };
  std::vector<Color> colors;  // ascending by splat, without duplicates
};

/// Counts of a change by AdcRules.
struct AdcOutcome {
  std::uint64_t cloned = 0, split = 0, removed = 0;
  bool changes() const { return cloned + split + removed > 0; }
};

/// Counts of a change by McmcRules.
struct McmcOutcome {
  std::uint64_t relocated = 0, added = 0, removed = 0;
  bool changes() const { return relocated + added + removed > 0; }
};

/// The edit that removes the splats listed in `gone` from a set of `count` splats.
DensityEdit without(std::size_t count, std::span<const std::uint32_t> gone);

}  // namespace mote
