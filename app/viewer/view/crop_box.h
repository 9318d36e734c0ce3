#pragma once

// The crop box: its faces, their handles, and boxes around splats. Faces 0 to 5 are in the order of
// kAxisNames: x, -x, y, -y, z, -z of the box's own axes.

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "cameras/camera.h"
#include "scene/oriented_box.h"
#include "splats/extent.h"
#include "splats/selection.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

inline constexpr int kBoxFaces = 6;

/// Outward unit normal, in the world's axes.
glm::dvec3 face_normal(const OrientedBox& box, int face);
/// The center of the face, where its handle is drawn.
glm::dvec3 face_center(const OrientedBox& box, int face);
/// Corner 0 is the minimum on all axes. Bits 0, 1 and 2 of the index select the maximum of x, y and
/// z.
std::array<glm::dvec3, 8> corners_of(const OrientedBox& box);
/// Pairs of corner indices.
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

/// How a face moves outwards by `distance`. `one`: the opposite face stays. `both`: the opposite
/// face moves outwards, too. `whole`: the opposite face moves along. A face stops before it reaches
/// the opposite one.
enum class FaceMove { one, both, whole };
OrientedBox with_face_moved(const OrientedBox& box, int face, double distance, FaceMove how);

/// Parameter along the line `origin + t * axis` (unit vector) of the point nearest to the ray
/// through the pixel. Empty if the line is nearly parallel to the ray, or if that point is behind
/// the camera.
std::optional<double> nearest_on_axis(const Camera& camera, const glm::dvec2& px,
                                      const glm::dvec3& origin, const glm::dvec3& axis);

/// Box with the given axes around the means of all splats in the mask, slightly enlarged. Empty if
/// the mask is empty.
std::optional<OrientedBox> box_around(const SplatCloud& cloud, const SplatMask& splats,
                                      const glm::dmat3& axes);

/// The same around samples of a scene, of which each counts.
std::optional<OrientedBox> box_around(const SceneSamples& samples, const glm::dmat3& axes);

/// The box's extent along its own axes, measured from the world's origin; box_between() is the
/// inverse.
Box ends_of(const OrientedBox& box);
OrientedBox box_between(const Box& ends, const glm::dmat3& axes);

}  // namespace mote
