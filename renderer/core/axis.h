#pragma once

// The maths of a chart's axes: ranges, ticks and tick labels. Drawing, as SVG (core/chart.h) or in
// the window, is not here.

#include <limits>
#include <string>
#include <vector>

namespace mote {

/// The range of the values that an axis shows.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  bool empty() const { return !(low <= high); }
};

/// Maps values to positions along an axis.
struct AxisScale {
  double low = 0, high = 1;  // low < high; both above 0 on a logarithmic axis
  bool logarithmic = false;

  /// The position of `value`: 0 at the low end, 1 at the high end.
  double share(double value) const;
  /// The inverse of share().
  double value(double share) const;
};

/// The range with a margin at both ends. An empty range, or one of a single value, is widened.
/// `from_zero`: the range includes 0 and has no margin below it. `logarithmic`: the range must lie
/// above 0.
AxisScale padded_scale(ValueRange range, bool logarithmic, bool from_zero);

/// About `count` round numbers in low..high, spaced by 1, 2 or 5 times a power of 10. CHECKs that
/// low < high and count > 0.
std::vector<double> round_ticks(double low, double high, int count);

/// On a linear axis, round_ticks(). On a logarithmic axis, 1, 2 and 5 times the powers of 10, or
/// only the powers where those would be too many.
std::vector<double> axis_ticks(const AxisScale& scale, int count);

/// A number as a tick label: plain where that is short, otherwise with a power of 1000.
std::string axis_number(double value);

}  // namespace mote
