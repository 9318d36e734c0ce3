#include "app/viewer/view/legend_scale.h"

#include <algorithm>
#include <cmath>

#include "core/axis.h"

namespace mote {
namespace {

std::vector<LegendTick> even_ticks(double low, double high, std::size_t most) {
  const AxisScale scale{low, high, false};
  std::vector<LegendTick> ticks;
  for (const double value : axis_ticks(scale, static_cast<int>(most))) {
    ticks.push_back({scale.share(value), axis_number(value)});
  }
  return ticks;
}

/// Places as in the mode `slice`: log(1 + value), from 0.
std::vector<LegendTick> logarithmic_ticks(double high, std::size_t most) {
  std::vector<LegendTick> ticks{{0, "0"}};
  const int last = static_cast<int>(std::floor(std::log10(high)));
  const int every = std::max(1, (last + static_cast<int>(most)) / static_cast<int>(most));
  for (int power = 0; power <= last; power += every) {
    const double value = std::pow(10.0, power);
    ticks.push_back({std::log1p(value) / std::log1p(high), axis_number(value)});
  }
  return ticks;
}

}  // namespace

std::vector<LegendTick> legend_ticks(const Legend& legend, const LegendRange& range,
                                     std::size_t most) {
  const double low = static_cast<double>(range.low), high = static_cast<double>(range.high);
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {};
  most = std::max<std::size_t>(most, 2);
  return legend.logarithmic ? logarithmic_ticks(high, most) : even_ticks(low, high, most);
}

}  // namespace mote
