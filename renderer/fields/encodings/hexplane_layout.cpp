#include "fields/encodings/hexplane_layout.h"

#include "core/error.h"

namespace mote {
namespace {

constexpr int kMostHexFeatures = 64, kMostHexLevels = 4, kMostHexNodes = 4096;

void check_hex_config(const HexPlaneConfig& config) {
  const bool usable = config.features >= kHexFeatureUnit && config.features <= kMostHexFeatures &&
                      config.features % kHexFeatureUnit == 0 && config.levels >= 1 &&
                      config.levels <= kMostHexLevels && config.resolution >= 2 &&
                      config.resolution <= kMostHexNodes && config.moments >= 2 &&
                      config.moments <= kMostHexNodes;
  if (usable) return;
  throw Error("has planes of an unusable size", "the deformation field",
              "give 16 to 64 features in sixteens, 1 to 4 levels, and 2 to 4096 nodes");
}

}  // namespace

std::vector<HexLevel> hex_levels(const HexPlaneConfig& config) {
  check_hex_config(config);
  constexpr std::size_t kMostParameters = std::size_t{1} << 28;
  std::vector<HexLevel> levels;
  std::size_t first = 0;
  for (int l = 0; l < config.levels; ++l) {
    const int side = config.resolution << l;
    HexLevel level{{side, side, side, config.moments}, {}};
    for (int plane = 0; plane < kHexPlanes; ++plane) {
      level.first[plane] = first;
      first += level.nodes_of(plane) * static_cast<std::size_t>(config.features);
    }
    levels.push_back(level);
  }
  if (first > kMostParameters) {
    throw Error("has too many nodes in its planes", "the deformation field",
                "give fewer levels, or a lower resolution");
  }
  return levels;
}

std::size_t hex_parameters(const HexPlaneConfig& config) {
  const HexLevel last = hex_levels(config).back();
  return last.first[kHexPlanes - 1] +
         last.nodes_of(kHexPlanes - 1) * static_cast<std::size_t>(config.features);
}

}  // namespace mote
