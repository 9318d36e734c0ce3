#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mote {

/// The median; the upper one of the two middle values where the count is even. `values` must not be
/// empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace mote
