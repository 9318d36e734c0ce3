#pragma once

#include <cstddef>

namespace mote {

/// Functions of lanes/pack.h on arrays with a length that is a multiple of 16, compiled for one
/// instruction set.
struct LaneFunctions {
  using Function = void (*)(const float* in, float* out, std::size_t count);
  Function reciprocal, exp2_bounded, exp2_or_zero;
  /// Of (in - kExponentOrigin) * kExponentScale.
  Function exp2_scaled;
};

}  // namespace mote
