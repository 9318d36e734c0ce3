#pragma once

#include "cuda/kernels/fields/grid_encoding.h"

namespace mote::cuda {

/// visit<FEATURES>() for a grid of 2, 4 or 8 features, or kByParts.
template <class Visit>
auto visit_features(int features, const Visit& visit) {
  switch (features) {
    case kByParts:
      return visit.template operator()<kByParts>();
    case 2:
      return visit.template operator()<2>();
    case 4:
      return visit.template operator()<4>();
    default:
      return visit.template operator()<8>();
  }
}

/// visit<D, FEATURES>() for the grid, which has_grid_kernels().
template <class Visit>
auto visit_grid_shape(const GridConfig& config, const Visit& visit) {
  return visit_features(config.features, [&]<int FEATURES>() {
    return config.dimensions == 2 ? visit.template operator()<2, FEATURES>()
                                  : visit.template operator()<3, FEATURES>();
  });
}

/// Rows of blocks of kernels with a thread for each position and level, or pair of outputs.
inline unsigned encoding_rows(const GridConfig& config) {
  return static_cast<unsigned>(config.features == kByParts ? config.levels / 2 : config.levels);
}

}  // namespace mote::cuda
