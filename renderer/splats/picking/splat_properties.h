#pragma once

// Numbers that describe single splats, for histograms and for selection by a range of values.

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "cameras/camera.h"
#include "splats/color_adjustment.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// Colours are those of base_color().
enum class SplatProperty { opacity, size, hue, saturation, value, red, green, blue, depth, life };

struct PropertyInfo {
  SplatProperty property;
  std::string_view name;
  std::string_view help;     // a phrase with its unit
  bool logarithmic = false;  // the values are above 0, and their ratios matter
  /// Ends of all possible values; equal if they have no bounds.
  double least = 0, most = 1;
};

/// All properties, in the order of the enumeration.
inline constexpr std::array<PropertyInfo, 10> kSplatProperties{{
    {SplatProperty::opacity, "opacity", "0 to 1"},
    {SplatProperty::size, "size", "standard deviation along the longest axis, world units", true, 0,
     0},
    {SplatProperty::hue, "hue", "degrees: 0 is red, 120 green, 240 blue; greys have none", false, 0,
     360},
    {SplatProperty::saturation, "saturation", "of the colour, 0 to 1"},
    {SplatProperty::value, "value", "of the colour: its largest channel, 0 to 1"},
    {SplatProperty::red, "red", "display value, 0 to 1"},
    {SplatProperty::green, "green", "display value, 0 to 1"},
    {SplatProperty::blue, "blue", "display value, 0 to 1"},
    {SplatProperty::depth, "depth", "along the view's direction, world units", true, 0, 0},
    {SplatProperty::life, "life", "seconds in which a splat that moves is visible", true, 0, 0},
}};

inline const PropertyInfo& info_of(SplatProperty property) {
  return kSplatProperties[static_cast<std::size_t>(property)];
}

/// The colour of a splat without its dependence on the direction, display-referred, clamped to 0
/// to 1.
glm::dvec3 base_color(const SplatCloud& cloud, std::size_t splat, const AffineColor& adjustment);

/// Hue in degrees, saturation and value of a colour of 0 to 1. The hue of greys is NaN.
glm::dvec3 hue_saturation_value(const glm::dvec3& color);

/// The view and the edits in which properties are meant.
struct PropertyView {
  Camera camera;  // relative to the cloud
  ColorAdjustment colors = {};
  double scale = 1;  // world units per unit of the cloud
};

/// One value for each splat, NaN where it has none: greys have no hue, splats behind the camera no
/// depth, and splats that stand still no life.
std::vector<float> property_values(const SplatCloud& cloud, SplatProperty property,
                                   const PropertyView& view);

/// The splats with a value from `low` to `high`, ends included. If `low` is above `high`, those
/// from `low` upwards or up to `high`: a range of hues may contain red.
SplatMask pick_by_value(std::span<const float> values, double low, double high);

/// Counts of values in bins of equal width, or of equal ratio for logarithmic properties.
struct ValueHistogram {
  double low = 0, high = 1;  // ends of the bins
  bool logarithmic = false;
  std::vector<std::uint64_t> counts = {};
  std::uint64_t total = 0;  // counted values

  /// The value at a fraction of the histogram's width, 0 to 1.
  double value_at(double fraction) const;
  /// Its inverse, clamped to 0 to 1.
  double fraction_of(double value) const;
  /// Counts the splats of `among` in these bins, instead of those counted so far.
  void count(std::span<const float> values, const SplatMask& among);
};

/// The histogram of the splats of `among`. Bins span the property's possible values, or those that
/// occur if it has no bounds. CHECKs that there is a bin.
ValueHistogram histogram_of(std::span<const float> values, const SplatMask& among,
                            const PropertyInfo& info, std::size_t bins);

}  // namespace mote
