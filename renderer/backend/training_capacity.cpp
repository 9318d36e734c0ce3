#include "backend/training_capacity.h"

#include <algorithm>

namespace mote {

std::uint64_t TrainingCapacity::splats_that_fit() const {
  const std::uint64_t for_splats = free_bytes - std::min(free_bytes, image_bytes);
  return rounded_down(for_splats / 10 * 9 / std::max<std::uint64_t>(splat_bytes, 1));
}

std::uint64_t TrainingCapacity::pixels_that_fit(std::uint64_t splats) const {
  const std::uint64_t for_images = free_bytes - std::min(free_bytes, splats * splat_bytes);
  const std::uint64_t pixel_bytes = image_bytes / std::max<std::uint64_t>(pixels, 1);
  return rounded_down(for_images / 10 * 9 / std::max<std::uint64_t>(pixel_bytes, 1));
}

std::uint64_t rounded_down(std::uint64_t number) {
  std::uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return number / unit * unit;
}

}  // namespace mote
