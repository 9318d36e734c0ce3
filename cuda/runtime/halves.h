#pragma once

// Numbers of half precision, for kernels. The host run has its own <cuda_fp16.h>.

#include <cuda_fp16.h>

#include <cstring>

#include "cuda/runtime/dialect.h"

namespace mote::cuda {

MOTE_DEVICE unsigned bits_of(__half2 values) {
  unsigned bits;
  std::memcpy(&bits, &values, sizeof bits);
  return bits;
}

MOTE_DEVICE __half2 halves_of(unsigned bits) {
  __half2 values;
  std::memcpy(&values, &bits, sizeof bits);
  return values;
}

/// Two floats as halves in a word, the first one in its lower half. Large ones become infinite.
MOTE_DEVICE unsigned rounded_halves(float low, float high) {
  return bits_of(__floats2half2_rn(low, high));
}

/// The same of max(low, 0) and max(high, 0), in one instruction from compute capability 8.0 on.
MOTE_DEVICE unsigned positive_halves(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned word;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
#else
  return rounded_halves(low > 0 ? low : 0.0f, high > 0 ? high : 0.0f);
#endif
}

/// The halves of `own` where those of `values` are above 0; else 0.
MOTE_DEVICE unsigned halves_where_positive(unsigned values, unsigned own) {
  return own & __hgt2_mask(halves_of(values), halves_of(0));
}

}  // namespace mote::cuda
