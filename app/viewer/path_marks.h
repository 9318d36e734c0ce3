#pragma once

// The camera path as it stands in the view: a curve through its keyframes, which are pyramids like
// those of a dataset's cameras.

#include <cstddef>
#include <optional>

#include "app/viewer/frustum_marks.h"

namespace mote {

/// It is wanted, its panel is open, and the view neither flies along it nor compares.
bool path_is_drawn(const Session& session);

/// How far the plane of each keyframe is from its eye, world units.
double path_mark_depth(const Session& session);
Pyramid path_mark(const Session& session, std::size_t number, double depth);

/// Whether the keyframe's pyramid is drawn: the view does not stand in it.
bool path_mark_is_drawn(const Session& session, std::size_t number, double depth);

/// The nearest keyframe whose pyramid lies under the pixel, or passes it within `reach_px`.
std::optional<std::size_t> path_mark_under(const Session& session, const glm::dvec2& px,
                                           double reach_px);

}  // namespace mote
