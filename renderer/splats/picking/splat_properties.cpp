#include "splats/picking/splat_properties.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <limits>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "math/activations.h"
#include "splats/feature_cloud.h"
#include "splats/life_range.h"

namespace mote {
namespace {

constexpr std::size_t kValuesPerTask = 16384;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

double largest_scale(const SplatCloud& cloud, std::size_t splat) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
    if (cloud.info().stores(field)) largest = std::max(largest, cloud.at(splat, field));
  }
  return std::exp(double{largest});
}

double depth_of(const SplatCloud& cloud, std::size_t splat, const Camera& camera) {
  const glm::dvec3 mean(cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
                        cloud.at(splat, Field::mean_z));
  const double depth = (camera.cam_from_world * mean + camera.translation).z;
  return depth > 0 ? depth : kNoValue;
}

/// Within the times of the scene.
double visible_s(const SplatCloud& cloud, std::size_t splat) {
  if (!cloud.info().moves()) return kNoValue;
  const LifeRange life =
      life_range(load_motion(cloud.info().planes, cloud.geometry_block(0), splat),
                 cloud.at(splat, Field::logit_opacity));
  const double from = std::max(life.from_s, 0.0), to = std::min(life.to_s, cloud.times.duration_s);
  return std::max(to - from, 0.0);
}

double value_of(const SplatCloud& cloud, std::size_t splat, SplatProperty property,
                const PropertyView& view, const AffineColor& colors) {
  const auto color = [&] { return base_color(cloud, splat, colors); };
  switch (property) {
    case SplatProperty::opacity:
      return sigmoid(double{cloud.at(splat, Field::logit_opacity)});
    case SplatProperty::size:
      return view.scale * largest_scale(cloud, splat);
    case SplatProperty::hue:
      return hue_saturation_value(color()).x;
    case SplatProperty::saturation:
      return hue_saturation_value(color()).y;
    case SplatProperty::value:
      return hue_saturation_value(color()).z;
    case SplatProperty::red:
      return color().x;
    case SplatProperty::green:
      return color().y;
    case SplatProperty::blue:
      return color().z;
    case SplatProperty::depth:
      return view.scale * depth_of(cloud, splat, view.camera);
    case SplatProperty::life:
      return visible_s(cloud, splat);
  }
  return kNoValue;
}

/// The least and the largest finite value among the splats; of logarithmic properties above 0.
std::pair<double, double> ends_of_values(std::span<const float> values, const SplatMask& among,
                                         bool logarithmic) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = kInfinity, high = -kInfinity;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!among.test(i) || !std::isfinite(value) || (logarithmic && !(value > 0))) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) return {logarithmic ? 1 : 0, logarithmic ? 2 : 1};
  if (low == high) return logarithmic ? std::pair(low / 2, high * 2) : std::pair(low - 1, high + 1);
  return {low, high};
}

}  // namespace

glm::dvec3 base_color(const SplatCloud& cloud, std::size_t splat, const AffineColor& adjustment) {
  if (cloud.decoder != nullptr) return base_feature_color(cloud, splat);
  constexpr double kBasis0 = 0.28209479177387814;  // the basis function of band 0
  const glm::dvec3 own = 0.5 + kBasis0 * glm::dvec3(cloud.sh(splat, 0, 0), cloud.sh(splat, 0, 1),
                                                    cloud.sh(splat, 0, 2));
  return glm::clamp(adjustment.linear * own + adjustment.offset, 0.0, 1.0);
}

// Smith, Color Gamut Transform Pairs (1978), the hexcone model.
glm::dvec3 hue_saturation_value(const glm::dvec3& color) {
  const double high = std::max({color.x, color.y, color.z});
  const double range = high - std::min({color.x, color.y, color.z});
  if (!(range > 0)) return {kNoValue, 0, high};
  const double sixth = high == color.x   ? (color.y - color.z) / range
                       : high == color.y ? 2 + (color.z - color.x) / range
                                         : 4 + (color.x - color.y) / range;
  return {60 * (sixth < 0 ? sixth + 6 : sixth), range / high, high};
}

std::vector<float> property_values(const SplatCloud& cloud, SplatProperty property,
                                   const PropertyView& view) {
  std::vector<float> values(cloud.count());
  const AffineColor colors = color_map(view.colors);
  run_tasks((values.size() + kValuesPerTask - 1) / kValuesPerTask, [&](std::size_t task, int) {
    const std::size_t end = std::min(values.size(), (task + 1) * kValuesPerTask);
    for (std::size_t i = task * kValuesPerTask; i < end; ++i) {
      values[i] = static_cast<float>(value_of(cloud, i, property, view, colors));
    }
  });
  return values;
}

SplatMask pick_by_value(std::span<const float> values, double low, double high) {
  SplatMask mask(values.size());
  const auto least = static_cast<float>(low), most = static_cast<float>(high);
  const bool wraps = low > high;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool above = values[i] >= least, below = values[i] <= most;
    if (wraps ? above || below : above && below) mask.set(i, true);
  }
  return mask;
}

double ValueHistogram::value_at(double fraction) const {
  return logarithmic ? low * std::pow(high / low, fraction) : low + fraction * (high - low);
}

double ValueHistogram::fraction_of(double value) const {
  const double fraction = logarithmic ? std::log(std::max(value, low) / low) / std::log(high / low)
                                      : (value - low) / (high - low);
  return std::clamp(fraction, 0.0, 1.0);
}

void ValueHistogram::count(std::span<const float> values, const SplatMask& among) {
  CHECK(values.size() == among.size());
  std::ranges::fill(counts, 0);
  total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!among.test(i) || !std::isfinite(value) || (logarithmic && !(value > 0))) continue;
    const auto bin =
        static_cast<std::size_t>(fraction_of(value) * static_cast<double>(counts.size()));
    ++counts[std::min(bin, counts.size() - 1)];
    ++total;
  }
}

ValueHistogram histogram_of(std::span<const float> values, const SplatMask& among,
                            const PropertyInfo& info, std::size_t bins) {
  CHECK(bins > 0);
  ValueHistogram histogram{.logarithmic = info.logarithmic};
  histogram.counts.resize(bins);
  std::tie(histogram.low, histogram.high) = info.least < info.most
                                                ? std::pair(info.least, info.most)
                                                : ends_of_values(values, among, info.logarithmic);
  histogram.count(values, among);
  return histogram;
}

}  // namespace mote
