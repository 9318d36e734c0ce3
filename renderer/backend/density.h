#pragma once

// How the set of splats under training changes.

#include <cstdint>
#include <span>
#include <vector>

#include "scene/splat_geometry.h"

namespace mote {

/// What densification looks at, one number a splat in the trainer's present order, summed since the
/// last edit, change or clear_statistics().
struct DensityStatistics {
  std::vector<float> gradient;      // norm of dL/d(mean in normalised device coordinates)
  std::vector<std::uint32_t> seen;  // steps in which the splat was visible
  std::vector<float> radius_px;     // largest half extent of the footprint so far
};

/// A change of the set of splats. The result has source.size() splats: number i is a copy of
/// source[i], harmonics and optimiser state included, then `changes` are written over. What
/// `forget` marks starts with optimiser moments of zero.
struct DensityEdit {
  struct Change {
    std::uint32_t splat;  // in the result, each once
    SplatGeometry geometry;
  };
  std::vector<std::uint32_t> source;
  std::vector<std::uint8_t> forget;  // one a splat of the result
  std::vector<Change> changes;
};

/// What a change by AdcRules did.
struct AdcOutcome {
  std::uint64_t cloned = 0, split = 0, removed = 0;
  bool changes() const { return cloned + split + removed > 0; }
};

/// What a change by McmcRules did.
struct McmcOutcome {
  std::uint64_t relocated = 0, added = 0, removed = 0;
  bool changes() const { return relocated + added + removed > 0; }
};

/// Leaves `count` splats as they are but for those in `gone`, which are taken away.
DensityEdit without(std::size_t count, std::span<const std::uint32_t> gone);

}  // namespace mote
