#pragma once

#include <cstddef>
#include <glm/vec3.hpp>
#include <optional>

#include "splats/splat_cloud.h"

namespace mote {

struct Box {
  glm::dvec3 low, high;  // both are inside
};

/// The splats to keep.
struct Selection {
  bool drop_invalid = false;     // values that are not finite, or a rotation of length 0
  std::optional<Box> crop = {};  // keep means inside the box
  double min_opacity = 0;        // 0 to 1; 0 keeps all
};

/// Number of splats kept, and number dropped by each rule. A dropped splat counts for the first
/// rule that drops it.
struct SelectionCounts {
  std::size_t kept = 0, invalid = 0, outside = 0, faint = 0;
};

/// Whether a splat can be drawn: all values are finite and the rotation is not 0. The opacity logit
/// may be infinite (fully opaque or absent).
bool is_valid(const SplatCloud& cloud, std::size_t splat);

/// Removes the excluded splats in place. The others keep their order.
SelectionCounts select(SplatCloud& cloud, const Selection& selection);

}  // namespace mote
