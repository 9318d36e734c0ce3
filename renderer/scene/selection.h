#pragma once

#include <cstddef>
#include <glm/vec3.hpp>
#include <optional>

#include "scene/splat_cloud.h"

namespace mote {

struct Box {
  glm::dvec3 low, high;  // both belong to the box
};

/// Which splats stay.
struct Selection {
  bool drop_invalid = false;     // holding values that are not finite, or a rotation of length 0
  std::optional<Box> crop = {};  // position in it
  double min_opacity = 0;        // 0 to 1; 0 keeps all
};

/// How many splats stayed, and how many each rule dropped; a splat counts for the first that did.
struct SelectionCounts {
  std::size_t kept = 0, invalid = 0, outside = 0, faint = 0;
};

/// Whether a splat can be drawn as it stands: everything finite but the opacity, which may be
/// infinite (fully opaque or absent), and a rotation that is one.
bool is_valid(const SplatCloud& cloud, std::size_t splat);

/// Drops what the selection excludes, in place; the others keep their order.
SelectionCounts select(SplatCloud& cloud, const Selection& selection);

}  // namespace mote
