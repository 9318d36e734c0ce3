#include "train/splats/splat_limit.h"

#include <algorithm>

#include "splats/kinds/fields.h"

namespace mote {

std::size_t splat_limit(const Dataset& dataset, const TrainOptions& options) {
  constexpr std::size_t kMost = 1000000, kChannels = 3;
  if (options.max_splats > 0) return static_cast<std::size_t>(options.max_splats);
  std::size_t pixels = 0;
  for (const std::uint32_t i : dataset.train) {
    const Camera& camera = dataset.photographs[i].camera;
    pixels += static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  }
  const std::size_t parameters = SplatForm{splat_kind(options), options.sh_degree}.floats();
  return std::clamp(pixels * kChannels / parameters, std::size_t{1}, kMost);
}

}  // namespace mote
