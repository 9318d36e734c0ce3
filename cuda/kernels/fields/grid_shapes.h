#pragma once

#include "fields/encodings/grid_layout.h"

namespace mote::cuda {

/// visit<D, FEATURES>() for the grid, which has_grid_kernels().
template <class Visit>
auto visit_grid_shape(const GridConfig& config, const Visit& visit) {
  const auto by_features = [&]<int D>() {
    switch (config.features) {
      case 2:
        return visit.template operator()<D, 2>();
      case 4:
        return visit.template operator()<D, 4>();
      default:
        return visit.template operator()<D, 8>();
    }
  };
  return config.dimensions == 2 ? by_features.template operator()<2>()
                                : by_features.template operator()<3>();
}

}  // namespace mote::cuda
