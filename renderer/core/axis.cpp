#include "core/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/progress.h"

namespace mote {
namespace {

/// The powers of 10 times `factors` in low..high, in order. Where fewer than two lie in the range,
/// evenly spaced ticks.
std::vector<double> logarithmic_ticks(double low, double high, const std::vector<double>& factors) {
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : factors) {
      const double tick = factor * power;
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks.size() > 1 ? ticks : round_ticks(low, high, 4);
}

/// The multiples of `step` in low..high.
std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> ticks;
  const double slack = 1e-9 * (high - low);
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) {
    ticks.push_back(i == 0 ? 0 : i * step);
  }
  return ticks;
}

}  // namespace

double AxisScale::share(double value) const {
  return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double AxisScale::value(double share) const {
  return logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
}

AxisScale padded_scale(ValueRange range, bool logarithmic, bool from_zero) {
  constexpr double kMargin = 0.06;
  if (from_zero) range.add(0);
  if (range.empty()) range = {logarithmic ? 0.1 : 0.0, 1};
  if (logarithmic) {
    const double factor = std::max(std::pow(range.high / range.low, kMargin), 1.05);
    return {range.low / factor, range.high * factor, true};
  }
  const double margin =
      std::max(kMargin * (range.high - range.low), 1e-3 * std::abs(range.high) + 1e-9);
  return {from_zero ? range.low : range.low - margin, range.high + margin, false};
}

std::vector<double> round_ticks(double low, double high, int count) {
  CHECK(low < high && count > 0);
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / power;
  constexpr std::array<double, 5> kSteps{0.5, 1, 2, 5, 10};
  auto step = std::lower_bound(kSteps.begin() + 1, kSteps.end() - 1, factor);
  std::vector<double> ticks = multiples(low, high, power * *step);
  // A single tick does not show the scale of the axis.
  if (count > 1 && ticks.size() < 2) ticks = multiples(low, high, power * *--step);
  return ticks;
}

std::vector<double> axis_ticks(const AxisScale& scale, int count) {
  if (!scale.logarithmic) return round_ticks(scale.low, scale.high, count);
  std::vector<double> ticks = logarithmic_ticks(scale.low, scale.high, {1, 2, 5});
  if (ticks.size() <= 2 * static_cast<std::size_t>(count)) return ticks;
  return logarithmic_ticks(scale.low, scale.high, {1});
}

std::string axis_number(double value) {
  return std::abs(value) >= 1e4 ? short_number(value) : fmt::format("{:.4g}", value);
}

}  // namespace mote
