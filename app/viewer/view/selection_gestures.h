#pragma once

// Actions that gestures of the selection tools end in.

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"

namespace mote {

/// Adds a position in the picture to the call, as fractions of its size.
void add_place(ActionCall& call, const Session& session, const glm::dvec2& px);

// `how` is the word after the place: replace, add, subtract or intersect.

ActionCall rectangle_call(const Session& session, const glm::dvec2& from_px,
                          const glm::dvec2& to_px, std::string_view how);
ActionCall brush_call(const Session& session, const std::vector<glm::dvec2>& points_px,
                      std::string_view how);
/// The polygon through the points; also for a lasso.
ActionCall polygon_call(const Session& session, const std::vector<glm::dvec2>& points_px,
                        std::string_view how);
ActionCall sphere_call(const glm::dvec3& center_world, double radius, std::string_view how);
ActionCall flood_call(const Session& session, const glm::dvec3& place_world, std::string_view how);

/// Distance of neighbours for the flood, world units: the chosen one, or a hundredth of the active
/// scene's radius.
double flood_distance(const Session& session);

/// The radius of a sphere around the point whose outline passes through the pixel, world units.
double radius_to(const Session& session, const glm::dvec3& center_world, const glm::dvec2& px);

}  // namespace mote
