#pragma once

// The list of kinds. Kernels are instantiated for each of them.

#include "splats/kinds/gaussian.h"

namespace mote {

template <class... KIND>
struct KindList {};

/// In the order of SplatKind.
using SplatKinds = KindList<Gaussian>;

}  // namespace mote
