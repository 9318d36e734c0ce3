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

}  // namespace mote::cuda
