#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace mote {

/// The distance of the elements [first, end) of two lists, relative to the size of the second's.
inline double relative_distance(const std::vector<float>& found, const std::vector<float>& expected,
                                std::size_t first, std::size_t end) {
  double apart = 0, size = 0;
  for (std::size_t i = first; i < end; ++i) {
    apart += std::pow(static_cast<double>(found[i]) - static_cast<double>(expected[i]), 2);
    size += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(apart / size);
}

}  // namespace mote
