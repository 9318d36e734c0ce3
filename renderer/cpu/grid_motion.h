#pragma once

// The data of the CPU kernels for derivatives of grid encodings by the position, and for gradients
// of a loss on these.

#include "cpu/field_kernels.h"

namespace mote {

/// The vjp by the positions.
struct GridSlopeParams {
  GridParams grid;          // `out` is not used
  const float* d_features;  // [levels][features][stride]
  float* d_positions;       // [dimensions][stride]; added to
};

/// The changes of the features while the positions move.
struct GridRateParams {
  GridParams grid;          // `out`: the changes
  const float* velocities;  // [dimensions][stride]
};

/// The vjp of features and changes by the parameters.
struct GridRateBackwardParams {
  GridBackwardParams grid;
  const float* velocities;  // [dimensions][stride]
  const float* d_rates;     // [levels][features][stride]: dL/dchanges
};

}  // namespace mote
