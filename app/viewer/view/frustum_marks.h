#pragma once

// Dataset cameras as drawn in the view: pyramids from the eye to a small image plane.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <optional>

#include "app/viewer/session/session.h"

namespace mote {

/// Identifies one of the session's cameras.
struct MarkId {
  std::uint32_t set = 0;  // CameraSet::id
  std::uint32_t index = 0;
  bool operator==(const MarkId&) const = default;
};

/// In world units: the eye, then the corners of the image plane in order around it, from the upper
/// left.
struct Pyramid {
  glm::dvec3 eye{0};
  std::array<glm::dvec3, 4> corners{};
  /// Tip above the middle of the plane's upper edge; shows which way is up.
  glm::dvec3 tip{0};
};

/// Distance from the eye to the drawn image plane, world units. It is smaller when the cameras
/// stand closer together, so that neighbours stay distinct.
double pyramid_depth(const CameraSet& set);
Pyramid pyramid_of(const Camera& camera, double depth);
/// Whether the pixel is inside the drawn pyramid or within `reach_px` of it. Ignores parts closer
/// to the camera than `nearest`, world units.
bool is_under(const Camera& camera, const Pyramid& pyramid, const glm::dvec2& px, double reach_px,
              double nearest);

/// The set that panels show and that the action `photograph` refers to: the set of the current
/// photograph, else the chosen set, else the dataset opened last. Null if none is open.
const CameraSet* shown_cameras(const Session& session);

/// Whether a model that was trained on the set, or is being trained on it, is shown.
bool shows_run_of(const Session& session, const CameraSet& set);

/// Whether the set's cameras are hidden: neither its scene nor a scene trained on it is shown.
bool is_hidden(const Session& session, const CameraSet& set);

/// Opacity of the pyramid of this camera, for a set that is not hidden. It is 0 if frusta are off
/// or if only the view is shown. It falls to 0 towards the eye, where the pyramid would cover the
/// view.
double mark_opacity(const Session& session, const CameraSet& set, std::size_t index);

/// The nearest camera whose pyramid is under the pixel or within `reach_px` of it. Faded pyramids
/// do not count: the view behind them takes the pointer.
std::optional<MarkId> mark_under(const Session& session, const glm::dvec2& px, double reach_px);

}  // namespace mote
