#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <span>

#include "scene/similarity.h"

namespace mote {

/// A box of any orientation: |transpose(rotation) * (p - center)| <= half_size on each axis.
struct OrientedBox {
  glm::dvec3 center{0}, half_size{1};  // world units; half sizes >= 0
  glm::dmat3 rotation{1};              // columns: axes of the box in the world

  bool operator==(const OrientedBox&) const = default;
};

/// before() maps the box by the inverse of `similarity`, after() by `similarity` itself.
OrientedBox before(const Similarity& similarity, const OrientedBox& box);
OrientedBox after(const Similarity& similarity, const OrientedBox& box);

/// Distance to the surface of the box, below 0 inside of it.
double signed_distance(const OrientedBox& box, const glm::dvec3& point);

/// Shortens the distances from `t` to `t_end` along a ray to those in the box; `t_end` is below `t`
/// where there are none.
void cut_to_box(const OrientedBox& box, const glm::dvec3& origin, const glm::dvec3& direction,
                double& t, double& t_end);
/// The same for the part in all boxes.
void cut_to_boxes(std::span<const OrientedBox> boxes, const glm::dvec3& origin,
                  const glm::dvec3& direction, double& t, double& t_end);

}  // namespace mote
