#pragma once

// The parameters of a neural field on the CPU, of any application, in the forms that kernels read.

#include <cstdint>

namespace mote {

struct FieldParameters {
  const float* networks;       // of a NeRF: density network, colour network
  const std::uint16_t* table;  // of the grids, IEEE halves
};

}  // namespace mote
