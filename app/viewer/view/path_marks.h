#pragma once

// The camera path as drawn in the view: a curve through its keyframes, which are pyramids like
// dataset cameras.

#include <cstddef>
#include <optional>

#include "app/viewer/view/frustum_marks.h"

namespace mote {

/// Whether the path is drawn: it is enabled, its panel is open, and the view neither plays it nor
/// shows a comparison.
bool path_is_drawn(const Session& session);

/// Distance from a keyframe's eye to its drawn image plane, world units.
double path_mark_depth(const Session& session);
Pyramid path_mark(const Session& session, std::size_t number, double depth);

/// Whether the keyframe's pyramid is drawn; it is not if the view stands inside it.
bool path_mark_is_drawn(const Session& session, std::size_t number, double depth);

/// The nearest keyframe whose pyramid is under the pixel or within `reach_px` of it.
std::optional<std::size_t> path_mark_under(const Session& session, const glm::dvec2& px,
                                           double reach_px);

}  // namespace mote
