#include "scene/dataset.h"

#include <algorithm>
#include <glm/geometric.hpp>

namespace mote {

double cameras_extent(const Dataset& dataset) {
  glm::dvec3 centroid(0);
  for (const std::uint32_t index : dataset.train) {
    centroid += dataset.photographs[index].camera.position_world();
  }
  centroid /= static_cast<double>(std::max<std::size_t>(dataset.train.size(), 1));
  double largest = 0;
  for (const std::uint32_t index : dataset.train) {
    const glm::dvec3 position = dataset.photographs[index].camera.position_world();
    largest = std::max(largest, glm::distance(position, centroid));
  }
  return std::max(1.1 * largest, 1e-6);
}

double total_weight(const PhotoPixels& photo) {
  const Image8& mask = photo.mask;
  if (mask.pixels.empty()) {
    return static_cast<double>(photo.width()) * static_cast<double>(photo.height());
  }
  std::uint64_t sum = 0;
  for (const std::uint8_t weight : mask.pixels.span()) sum += weight;
  return static_cast<double>(sum) / 255;
}

}  // namespace mote
