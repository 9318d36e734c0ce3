#include "app/jobs/heat_map.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <iterator>
#include <span>
#include <vector>

namespace mote {

glm::vec3 heat_color(float t) {
  constexpr glm::vec3 kStops[] = {
      {0.00f, 0.00f, 0.00f}, {0.16f, 0.07f, 0.38f}, {0.48f, 0.10f, 0.50f}, {0.80f, 0.21f, 0.32f},
      {0.97f, 0.47f, 0.14f}, {0.99f, 0.78f, 0.24f}, {1.00f, 0.99f, 0.85f}};
  constexpr int kSteps = static_cast<int>(std::size(kStops)) - 1;
  const float place = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(kSteps);
  const int step = std::min(static_cast<int>(place), kSteps - 1);
  return glm::mix(kStops[step], kStops[step + 1], place - static_cast<float>(step));
}

LegendRange heat_range(const Image& counts) {
  std::vector<float> found = sampled_values(counts);
  if (found.empty()) return {0, 1};
  const auto high = found.begin() + static_cast<std::ptrdiff_t>((found.size() - 1) * 98 / 100);
  std::nth_element(found.begin(), high, found.end());
  return {0, std::max(1.0f, *high)};
}

void paint_heat(const Image& counts, LegendRange range, Image& picture) {
  picture.resize_discard(counts.width, counts.height, 3);
  const float scale = 1 / (range.high - range.low);
  for (int y = 0; y < counts.height; ++y) {
    const float* from = counts.row(y);
    float* to = picture.row(y);
    for (int x = 0; x < counts.width; ++x) {
      const glm::vec3 rgb = heat_color(scale * (from[x] - range.low));
      for (int c = 0; c < 3; ++c) to[3 * x + c] = rgb[c];
    }
  }
}

std::vector<float> sampled_values(const Image& image) {
  constexpr std::size_t kSamples = 10000;
  const std::span<const float> all = image.pixels.span();
  const std::size_t stride = std::max<std::size_t>(1, all.size() / kSamples);
  std::vector<float> found;
  for (std::size_t i = 0; i < all.size(); i += stride) {
    if (all[i] > 0) found.push_back(all[i]);
  }
  return found;
}

}  // namespace mote
