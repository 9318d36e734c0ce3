#include "train/fields/surface_colors.h"

#include <algorithm>
#include <glm/common.hpp>

#include "core/buffer.h"
#include "core/error.h"
#include "fields/field_camera.h"
#include "fields/planes.h"

namespace mote {

std::vector<glm::vec3> surface_colors(const ColorRequest& request) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 18;
  CHECK(request.normals.size() == request.positions.size());
  const FieldBox cube = field_cube(request.facts.aabb_scale);
  const glm::mat3 cycle(cycle_axes());
  std::vector<glm::vec3> colors(request.positions.size());
  const std::size_t stride = field_plane_stride(std::min(kAtOnce, colors.size()));
  Buffer<float> positions(3 * stride), directions(3 * stride), values(3 * stride);
  for (std::size_t first = 0; first < colors.size(); first += kAtOnce) {
    if (request.before_part) request.before_part();
    const std::size_t count = std::min(kAtOnce, colors.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const glm::dvec3 world(request.positions[first + i]);
      const glm::vec3 own(field_from_world(request.facts.placement, world));
      const glm::vec3 place = glm::clamp((own - cube.min) / (cube.max - cube.min), 0.0f, 1.0f);
      const glm::vec3 along = -(cycle * request.normals[first + i]);
      for (int axis = 0; axis < 3; ++axis) {
        const std::size_t at = static_cast<std::size_t>(axis) * stride + i;
        positions[at] = place[axis];
        directions[at] = along[axis];
      }
    }
    request.field.radiance(positions.data(), directions.data(), count, stride, values.data());
    for (std::size_t i = 0; i < count; ++i) {
      colors[first + i] =
          glm::clamp(glm::vec3(values[i], values[stride + i], values[2 * stride + i]), 0.0f, 1.0f);
    }
  }
  return colors;
}

}  // namespace mote
