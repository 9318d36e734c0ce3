#pragma once

// A float whose operations round one by one: no compiler fuses a product and a sum, whatever its
// flags. Where two kernels must get the same bits from the same formula, as for the number of tiles
// of a splat and their list, both take this lane type. Division and square root are single
// instructions and need no pin.

#include "lanes/scalar.h"

namespace mote {

struct PinnedFloat {
  float value;

  MOTE_LANE PinnedFloat() : value(0) {}
  MOTE_LANE PinnedFloat(float v) : value(v) {}

  friend MOTE_LANE PinnedFloat operator+(PinnedFloat a, PinnedFloat b) {
#if defined(__CUDA_ARCH__)
    return __fadd_rn(a.value, b.value);
#else
    return a.value + b.value;
#endif
  }
  friend MOTE_LANE PinnedFloat operator-(PinnedFloat a, PinnedFloat b) {
    return a + -b;
  }
  friend MOTE_LANE PinnedFloat operator*(PinnedFloat a, PinnedFloat b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a.value, b.value);
#else
    return rounded(a.value * b.value);
#endif
  }
  friend MOTE_LANE PinnedFloat operator/(PinnedFloat a, PinnedFloat b) {
    return a.value / b.value;
  }
  friend MOTE_LANE PinnedFloat operator-(PinnedFloat a) {
    return -a.value;
  }
  friend MOTE_LANE bool operator<(PinnedFloat a, PinnedFloat b) {
    return a.value < b.value;
  }
  friend MOTE_LANE bool operator>(PinnedFloat a, PinnedFloat b) {
    return a.value > b.value;
  }

  friend MOTE_LANE PinnedFloat min(PinnedFloat a, PinnedFloat b) {
    return mote::min(a.value, b.value);
  }
  friend MOTE_LANE PinnedFloat max(PinnedFloat a, PinnedFloat b) {
    return mote::max(a.value, b.value);
  }
  friend MOTE_LANE PinnedFloat sqrt(PinnedFloat a) {
    return mote::sqrt(a.value);
  }

 private:
#if !defined(__CUDA_ARCH__)
  /// Hides from the compiler that the value is a product.
  static MOTE_LANE float rounded(float product) {
#if defined(__x86_64__)
    asm("" : "+x"(product));
#else
    volatile float stored = product;
    product = stored;
#endif
    return product;
  }
#endif
};

}  // namespace mote
