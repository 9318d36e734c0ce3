#pragma once

#include <glm/vec2.hpp>

#include "app/viewer/session/session.h"

namespace mote {

/// The depth of the picture on screen, which hides marks in the world that are behind its surfaces.
/// Refers to the session's frame.
class PictureDepth {
 public:
  /// Without a depth in the picture, nothing is hidden.
  explicit PictureDepth(const Session& session);

  /// Whether a surface hides the point at a position in the view, px, and at this view depth.
  /// Points just behind a surface count as on it, since surfaces of splats are uneven.
  bool hides(const glm::dvec2& px, double depth) const;

 private:
  const Image* depth_ = nullptr;  // null: none
  glm::dvec2 texels_per_px_{1};
  double before_ = 0;  // part of every depth that is not of the view
};

/// Whether the view has marks that surfaces hide, so that also pictures of a moving view need their
/// depth.
bool marks_need_depth(const Session& session);

}  // namespace mote
