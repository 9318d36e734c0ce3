// The limits of spz for a scene: its fixed-point positions and its range of scales.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "io/splats/spz_layout.h"

namespace mote::spz {
namespace {

constexpr int kUsualFractionalBits = 12;
constexpr float kLargestFixed = (1 << 23) - 1;
/// Maximum position step, relative to the size that 90 % of the splats exceed. docs/benchmarks.md
/// has the resulting PSNR.
constexpr float kStepPerSize = 1.0f / 16;
constexpr float kCoarseStepPerSize = 1.0f / 2;

/// Largest absolute coordinate.
float extent_of(const SplatCloud& cloud) {
  float extent = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (!is_storable(cloud, i)) continue;
    for (int axis = 0; axis < 3; ++axis) {
      extent = std::max(extent, std::abs(cloud.at(i, offset_by(Field::mean_x, axis))));
    }
  }
  return extent;
}

/// The size (standard deviation along the longest axis, world units) that 90 % of the splats
/// exceed. Infinite where no splat has a size.
float small_size_of(const SplatCloud& cloud) {
  std::vector<float> log_sizes;
  log_sizes.reserve(cloud.count());
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (!is_storable(cloud, i)) continue;
    float longest = cloud.at(i, Field::log_scale_x);
    for (int axis = 1; axis < 3; ++axis) {
      longest = std::max(longest, cloud.at(i, offset_by(Field::log_scale_x, axis)));
    }
    if (std::isfinite(longest)) log_sizes.push_back(longest);
  }
  if (log_sizes.empty()) return std::numeric_limits<float>::infinity();
  const auto tenth = log_sizes.begin() + static_cast<std::ptrdiff_t>(log_sizes.size() / 10);
  std::nth_element(log_sizes.begin(), tenth, log_sizes.end());
  return std::exp(*tenth);
}

struct Counts {
  std::size_t too_small = 0, too_large = 0;  // splats with an axis beyond the codes for scales
  std::size_t unstorable = 0;                // not finite, or without a rotation
};

Counts count_losses(const SplatCloud& cloud) {
  Counts counts;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (!is_storable(cloud, i)) {
      ++counts.unstorable;
      continue;
    }
    bool small = false, large = false;
    for (int axis = 0; axis < 3; ++axis) {
      const float log_scale = cloud.at(i, offset_by(Field::log_scale_x, axis));
      small |= log_scale < kSmallestLogScale - kLogScaleStep;
      large |= log_scale > kLargestLogScale + kLogScaleStep;
    }
    counts.too_small += small;
    counts.too_large += large;
  }
  return counts;
}

void warn_of_losses(const SplatCloud& cloud, const Counts& counts,
                    std::vector<std::string>& warnings) {
  const auto warn = [&](std::size_t count, const std::string& loss) {
    if (count > 0)
      warnings.push_back(fmt::format("{} of {} splats {}", count, cloud.count(), loss));
  };
  warn(counts.too_small, fmt::format("are thinner than {:.2g}, the smallest size in spz, and grow "
                                     "to it; enlarge the scene (mote convert --scale)",
                                     std::exp(kSmallestLogScale)));
  warn(counts.too_large, fmt::format("are larger than {:.3g}, the largest size in spz, and shrink "
                                     "to it; shrink the scene (mote convert --scale)",
                                     std::exp(kLargestLogScale)));
  warn(counts.unstorable,
       "have values that are not finite or a rotation of length zero; spz has no code for them, "
       "and they become transparent");
}

}  // namespace

bool is_storable(const SplatCloud& cloud, std::size_t i) {
  float squares = 0;
  for (Field f = Field::mean_x; f < Field::logit_opacity;
       f = static_cast<Field>(static_cast<int>(f) + 1)) {
    const float value = cloud.at(i, f);
    const bool is_scale = f >= Field::log_scale_x && f <= Field::log_scale_z;
    const bool is_rotation = f >= Field::rotation_w && f <= Field::rotation_z;
    if (!(std::isfinite(value) || (is_scale && value < 0))) return false;
    if (is_rotation) squares = std::max(squares, std::abs(value));
  }
  return squares > 0;
}

Fit fit(const SplatCloud& cloud, const std::string& name) {
  const float extent = extent_of(cloud), size = small_size_of(cloud);
  if (extent > kLargestFixed) {
    throw Error(
        fmt::format("a splat is {} away from the origin, but the limit of spz is 8388607", extent),
        name, "crop or scale the scene, or write .ply");
  }
  Fit result;
  int& bits = result.fractional_bits;
  bits = kUsualFractionalBits;
  while (bits < kMaxFractionalBits && std::ldexp(1.0f, -bits) > kStepPerSize * size) ++bits;
  while (bits > 0 && std::ldexp(extent, bits) > kLargestFixed) --bits;
  const float step = std::ldexp(1.0f, -bits);
  if (step > kCoarseStepPerSize * size) {
    result.warnings.push_back(
        fmt::format("positions are rounded to steps of {:.2g}, because a splat is {:.4g} away from "
                    "the origin, but a tenth of the splats is smaller than {:.2g}; crop distant "
                    "splats, move the scene to the origin, or write .ply",
                    step, extent, size));
  }
  warn_of_losses(cloud, count_losses(cloud), result.warnings);
  return result;
}

}  // namespace mote::spz
