#pragma once

// Photographs inside the pyramids of their cameras.

#include <array>
#include <glm/vec3.hpp>
#include <vector>

#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/picture_depth.h"
#include "present/picture_cells.h"

namespace mote {

/// A photograph on the image plane of its pyramid. It is never mirrored: from the front, where its
/// plane shows its back, left and right are exchanged, so that it can be read.
struct FrustumPhotograph {
  MarkId mark;
  /// Upper left, upper right, lower left, lower right of the photograph: (x w, y w, w), with x and
  /// y in px of the view and w the distance in front of the camera.
  std::array<glm::dvec3, 4> corners{};
  double opacity = 1;
  double side_px = 0;  // longest side in the view
};

/// The photographs that the view shows, with or without a thumbnail yet: the largest ones, at most
/// kMostFrustumPhotographs, in drawing order from back to front. None while a model that was
/// trained on them is shown, which they would cover.
std::vector<FrustumPhotograph> frustum_photographs(const Session& session);

inline constexpr std::size_t kMostFrustumPhotographs = 64;

/// The cells of the photograph that no surface of the picture hides.
present::PictureCells visible_cells(const PictureDepth& depth, const FrustumPhotograph& photograph);

}  // namespace mote
