#pragma once

// The maths of a chart's axes: ranges, ticks and their numbers. Who draws them, as SVG
// (core/chart.h) or in the window, has the rest.

#include <limits>
#include <string>
#include <vector>

namespace mote {

/// What values an axis has to show.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  bool empty() const { return !(low <= high); }
};

/// Where values lie along an axis.
struct AxisScale {
  double low = 0, high = 1;  // low < high; above 0 where logarithmic
  bool logarithmic = false;

  /// 0 at the low end, 1 at the high one.
  double share(double value) const;
  /// The other way round.
  double value(double share) const;
};

/// The range with a margin, and with something to show where it is empty or all values are the
/// same. `from_zero`: 0 is in it, without a margin below. A logarithmic range holds values above 0.
AxisScale padded_scale(ValueRange range, bool logarithmic, bool from_zero);

/// Round numbers (1, 2 or 5 times a power of 10 apart) that lie in low..high, about `count` of
/// them. CHECKs that low < high and count > 0.
std::vector<double> round_ticks(double low, double high, int count);

/// round_ticks(), or on a logarithmic axis 1, 2 and 5 times the powers of 10, of which only the
/// powers are left where those were too many.
std::vector<double> axis_ticks(const AxisScale& scale, int count);

/// A number as an axis shows it: plain where that is short, with a power of 1000 where not.
std::string axis_number(double value);

}  // namespace mote
