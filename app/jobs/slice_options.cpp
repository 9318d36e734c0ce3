#include "app/jobs/slice_options.h"

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

namespace mote {

void SliceOptions::describe(OptionTable& table) {
  table
      .add({.name = "slice-axis",
            .target = &axis,
            .help = "--mode slice: direction that the plane is perpendicular to",
            .choices = std::vector<std::string>(kSliceAxes.begin(), kSliceAxes.end())})
      .add({.name = "slice-at",
            .target = &place,
            .help = "--mode slice: place of the plane along its axis, from the middle of the scene",
            .unit = "radii of the scene",
            .minimum = -kSliceReach,
            .maximum = kSliceReach});
}

Plane SliceOptions::plane(const Camera& camera, const SceneExtent& extent) const {
  Plane plane;
  plane.normal = glm::dvec3(0);
  if (axis == kSliceAxes[0]) {
    plane.normal = glm::transpose(camera.cam_from_world) * glm::dvec3(0, 0, 1);
  } else {
    plane.normal[axis.front() - 'x'] = 1;
  }
  plane.offset = glm::dot(plane.normal, extent.center) + place * extent.radius;
  return plane;
}

}  // namespace mote
