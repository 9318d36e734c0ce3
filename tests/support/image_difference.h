#pragma once

#include <cmath>

#include "core/image.h"

namespace mote {

/// Mean absolute difference of the values of two images of equal size.
inline double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    sum += std::abs(static_cast<double>(a.pixels[i]) - static_cast<double>(b.pixels[i]));
  }
  return sum / static_cast<double>(a.pixels.size());
}

}  // namespace mote
