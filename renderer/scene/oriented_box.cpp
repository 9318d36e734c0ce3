#include "scene/oriented_box.h"

#include <algorithm>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace mote {

OrientedBox before(const Similarity& similarity, const OrientedBox& box) {
  const glm::dmat3 back = glm::transpose(similarity.rotation);
  return {.center = back * (box.center - similarity.translation) / similarity.scale,
          .half_size = box.half_size / similarity.scale,
          .rotation = back * box.rotation};
}

OrientedBox after(const Similarity& similarity, const OrientedBox& box) {
  return {.center = similarity.scale * (similarity.rotation * box.center) + similarity.translation,
          .half_size = similarity.scale * box.half_size,
          .rotation = similarity.rotation * box.rotation};
}

double signed_distance(const OrientedBox& box, const glm::dvec3& point) {
  const glm::dvec3 beyond = glm::abs((point - box.center) * box.rotation) - box.half_size;
  const double deepest = std::max({beyond.x, beyond.y, beyond.z});
  return deepest < 0 ? deepest : glm::length(glm::max(beyond, glm::dvec3(0)));
}

void cut_to_box(const OrientedBox& box, const glm::dvec3& origin, const glm::dvec3& direction,
                double& t, double& t_end) {
  const glm::dvec3 from = (origin - box.center) * box.rotation, along = direction * box.rotation;
  for (int axis = 0; axis < 3; ++axis) {
    if (along[axis] == 0) {
      if (!(glm::abs(from[axis]) <= box.half_size[axis])) t_end = -1;
      continue;
    }
    const double a = (-box.half_size[axis] - from[axis]) / along[axis],
                 b = (box.half_size[axis] - from[axis]) / along[axis];
    t = std::max(t, std::min(a, b));
    t_end = std::min(t_end, std::max(a, b));
  }
}

void cut_to_boxes(std::span<const OrientedBox> boxes, const glm::dvec3& origin,
                  const glm::dvec3& direction, double& t, double& t_end) {
  for (const OrientedBox& box : boxes) cut_to_box(box, origin, direction, t, t_end);
}

}  // namespace mote
