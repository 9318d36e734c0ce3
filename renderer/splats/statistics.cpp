#include "splats/statistics.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "core/buffer.h"
#include "core/interrupt.h"
#include "math/activations.h"
#include "splats/selection.h"

namespace mote {
namespace {

constexpr float kInvisibleOpacity = 1.0f / 255;

float finite_or_nan(float value) {
  return std::isfinite(value) ? value : std::numeric_limits<float>::quiet_NaN();
}

/// Fills the scratch with value(splat) of all splats for which that is not NaN. Returns the filled
/// part.
template <class Value>
std::span<float> gather(const SplatCloud& cloud, Buffer<float>& scratch, const Value& value) {
  throw_if_interrupted();
  std::size_t filled = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    scratch[filled] = value(i);
    filled += !std::isnan(scratch[filled]);
  }
  return scratch.span().first(filled);
}

/// The values at ascending `percents`, by nearest rank. Reorders the values.
template <std::size_t N>
std::array<float, N> percentiles_of(std::span<float> values,
                                    const std::array<double, N>& percents) {
  std::array<float, N> result{};
  if (values.empty()) return result;
  auto from = values.begin();
  for (std::size_t i = 0; i < N; ++i) {
    const double rank = percents[i] / 100 * static_cast<double>(values.size() - 1);
    const auto place = values.begin() + std::lround(rank);
    std::nth_element(from, place, values.end());
    result[i] = *place;
    from = place;
  }
  return result;
}

template <class Scaled>
void fill_bins(Distribution& distribution, std::span<const float> values, const Scaled& scaled) {
  const double width = (distribution.high - distribution.low) / Distribution::kBins;
  for (const float value : values) {
    const double place = width > 0 ? (scaled(value) - distribution.low) / width : 0;
    const double bin = std::clamp(place, 0.0, static_cast<double>(Distribution::kBins - 1));
    ++distribution.bins[static_cast<std::size_t>(bin)];
  }
}

Distribution opacity_distribution(std::span<float> values) {
  Distribution opacity;
  opacity.percentiles = percentiles_of(values, Distribution::kPercents);
  opacity.high = 1;
  fill_bins(opacity, values, [](float value) { return static_cast<double>(value); });
  return opacity;
}

Distribution size_distribution(std::span<float> values) {
  const auto log10_size = [](float value) {
    return std::log10(std::max(static_cast<double>(value), 1e-45));
  };
  Distribution size;
  size.percentiles = percentiles_of(values, Distribution::kPercents);
  size.low = log10_size(size.percentiles[Distribution::kLow]);
  size.high = log10_size(size.percentiles[Distribution::kHigh]);
  fill_bins(size, values, log10_size);
  return size;
}

void measure_bounds(const SplatCloud& cloud, Buffer<float>& scratch, CloudStatistics& statistics) {
  constexpr std::array kAxes{Field::mean_x, Field::mean_y, Field::mean_z};
  for (int axis = 0; axis < 3; ++axis) {
    const std::span<float> values = gather(cloud, scratch, [&](std::size_t i) {
      return finite_or_nan(cloud.at(i, kAxes[static_cast<std::size_t>(axis)]) +
                           0.0f);  // turns -0 into 0
    });
    const auto at = percentiles_of(values, std::array{0.0, 1.0, 99.0, 100.0});
    statistics.bounds.low[axis] = at[0];
    statistics.inner_bounds.low[axis] = at[1];
    statistics.inner_bounds.high[axis] = at[2];
    statistics.bounds.high[axis] = at[3];
  }
}

void count_oddities(const SplatCloud& cloud, CloudStatistics& statistics) {
  throw_if_interrupted();
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    statistics.invalid += !is_valid(cloud, i);
    statistics.infinite_opacity += std::isinf(cloud.at(i, Field::logit_opacity));
    statistics.zero_rotation +=
        cloud.at(i, Field::rotation_w) == 0 && cloud.at(i, Field::rotation_x) == 0 &&
        cloud.at(i, Field::rotation_y) == 0 && cloud.at(i, Field::rotation_z) == 0;
  }
}

}  // namespace

CloudStatistics measure(const SplatCloud& cloud) {
  CloudStatistics statistics;
  Buffer<float> scratch(cloud.count());
  measure_bounds(cloud, scratch, statistics);

  const std::span<float> opacities = gather(cloud, scratch, [&](std::size_t i) {
    const float logit = cloud.at(i, Field::logit_opacity);
    return std::isnan(logit) ? logit : sigmoid(logit);
  });
  statistics.opacity = opacity_distribution(opacities);
  statistics.invisible = static_cast<std::size_t>(std::count_if(
      opacities.begin(), opacities.end(), [](float o) { return o < kInvisibleOpacity; }));

  const std::span<float> sizes = gather(cloud, scratch, [&](std::size_t i) {
    return finite_or_nan(
        std::exp(std::max({cloud.at(i, Field::log_scale_x), cloud.at(i, Field::log_scale_y),
                           cloud.at(i, Field::log_scale_z)})));
  });
  statistics.size = size_distribution(sizes);
  const float diagonal = glm::distance(statistics.inner_bounds.low, statistics.inner_bounds.high);
  statistics.huge = static_cast<std::size_t>(
      std::count_if(sizes.begin(), sizes.end(), [&](float s) { return s > diagonal; }));
  count_oddities(cloud, statistics);
  return statistics;
}

}  // namespace mote
