#include "app/jobs/sampled_values.h"

#include <algorithm>
#include <span>

namespace mote {

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
