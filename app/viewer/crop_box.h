#pragma once

// The crop box: its faces, their handles, and boxes around splats. Faces are numbered 0 to 5 as
// kAxisNames has them: x, -x, y, -y, z, -z of the box's own axes.

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "cameras/camera.h"
#include "scene/picking.h"
#include "scene/selection.h"
#include "scene/splat_cloud.h"
#include "scene/splat_mask.h"
#include "scene/transform.h"

namespace mote {

inline constexpr int kBoxFaces = 6;

/// Of length 1, outwards; in the frame of the box's center.
glm::dvec3 face_normal(const OrientedBox& box, int face);
/// The middle of the face, where its handle is.
glm::dvec3 face_center(const OrientedBox& box, int face);
/// Corner 0 is the lowest along all axes; bits 0, 1 and 2 of the number take the high end of x, y
/// and z.
std::array<glm::dvec3, 8> corners_of(const OrientedBox& box);
/// Pairs of corners.
inline constexpr std::array<std::array<int, 2>, 12> kBoxEdges{{{0, 1},
                                                               {2, 3},
                                                               {4, 5},
                                                               {6, 7},
                                                               {0, 2},
                                                               {1, 3},
                                                               {4, 6},
                                                               {5, 7},
                                                               {0, 4},
                                                               {1, 5},
                                                               {2, 6},
                                                               {3, 7}}};

/// The box with the face moved outwards by `distance`, its opposite where it was; the face stops
/// before it gets there. `both`: the opposite moves as far outwards. `whole`: it moves along.
enum class FaceMove { one, both, whole };
OrientedBox with_face_moved(const OrientedBox& box, int face, double distance, FaceMove how);

/// Where along the line through `origin` in the direction `axis` (of length 1) it comes nearest to
/// what the pixel shows. Nothing where the line runs towards the eye, or that place is behind it.
std::optional<double> nearest_on_axis(const Camera& camera, const glm::dvec2& px,
                                      const glm::dvec3& origin, const glm::dvec3& axis);

/// The box with these axes around the means of the splats in the mask, but for the outer `tail` of
/// them at each end of each axis; a little larger, so that it shows. Nothing where there is none.
std::optional<OrientedBox> box_around(const SplatCloud& cloud, const SplatMask& splats,
                                      const glm::dmat3& axes, double tail);

/// Its ends along its own axes, counted from the world's origin, and back.
Box ends_of(const OrientedBox& box);
OrientedBox box_between(const Box& ends, const glm::dmat3& axes);

/// The box in a world that `similarity` leads from, and to.
OrientedBox before(const Similarity& similarity, const OrientedBox& box);
OrientedBox after(const Similarity& similarity, const OrientedBox& box);

}  // namespace mote
