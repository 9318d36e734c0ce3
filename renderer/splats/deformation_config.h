#pragma once

#include "fields/encodings/hexplane_layout.h"

namespace mote {

/// The sizes of a deformation field (splats/deformation.h).
struct DeformationConfig {
  HexPlaneConfig planes;
  int neurons = 64, hidden_layers = 1;  // of the network; MlpConfig has their ranges

  bool operator==(const DeformationConfig&) const = default;
};

}  // namespace mote
