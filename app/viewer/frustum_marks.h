#pragma once

// Cameras of a dataset as they stand in the view: pyramids from the eye to a small picture plane.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <optional>

#include "app/viewer/session.h"

namespace mote {

/// One of a session's cameras.
struct MarkId {
  std::uint32_t set = 0;  // CameraSet::id
  std::uint32_t index = 0;
  bool operator==(const MarkId&) const = default;
};

/// World units: the eye, then the plane's corners around, from the upper left.
struct Pyramid {
  glm::dvec3 eye{0};
  std::array<glm::dvec3, 4> corners{};
  /// Over the middle of the plane's upper edge: tells which way is up.
  glm::dvec3 tip{0};
};

/// How far the plane of each is from its eye, world units: the closer the cameras stand, the
/// smaller, so that neighbours can be told apart.
double pyramid_depth(const CameraSet& set);
Pyramid pyramid_of(const Camera& camera, double depth);
/// Whether the pyramid lies under the pixel or passes it within `reach_px`; what is nearer than
/// `nearest` to the camera, world units, is not seen.
bool is_under(const Camera& camera, const Pyramid& pyramid, const glm::dvec2& px, double reach_px,
              double nearest);

/// The set that panels show and that `photograph` means: that of the photograph that the view
/// stands at, the one that was chosen, or the dataset that was opened last; null where none is
/// open.
const CameraSet* shown_cameras(const Session& session);

/// Neither the set's scene is shown, nor what is trained of it: then its cameras are not, either.
bool is_hidden(const Session& session, const CameraSet& set);

/// Whether the pyramid of this camera of a set that is not hidden is drawn: frusta are wanted, more
/// than the bare view is shown, and it does not stand in there.
bool is_drawn(const Session& session, const CameraSet& set, std::size_t index);

/// The nearest camera whose pyramid lies under the pixel, or passes it within `reach_px`.
std::optional<MarkId> mark_under(const Session& session, const glm::dvec2& px, double reach_px);

}  // namespace mote
