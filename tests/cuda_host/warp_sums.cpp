// The sum of several values over a warp at once.

#include <array>
#include <chrono>

#include <cuda_host/warp_words.h>

#include "controls.h"

namespace cuda_host {
namespace {

struct Sums {
  float* values;
  int count;
};

void add_up(void* const* lanes, unsigned) {
  const int count = static_cast<const Sums*>(lanes[0])->count;
  for (int k = 0; k < count; ++k) {
    std::array<float, 32> sums;
    for (std::size_t i = 0; i < 32; ++i) sums[i] = static_cast<const Sums*>(lanes[i])->values[k];
    // All lanes of a butterfly get the same sum, bit for bit, so it is enough to follow one.
    for (std::size_t apart = 16; apart > 0; apart /= 2) {
      for (std::size_t i = 0; i < apart; ++i) sums[i] += sums[i + apart];
    }
    for (std::size_t i = 0; i < 32; ++i) static_cast<const Sums*>(lanes[i])->values[k] = sums[0];
  }
}

}  // namespace

void warp_sums(float* values, int count, Site site) {
  Sums sums{values, count};
  warp_operation(0xffffffffu, &sums, add_up, site);
}

unsigned clock_ticks() {
  return static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count());
}

bool sums_by_shuffles() {
  return machine().sums_by_shuffles;
}

}  // namespace cuda_host
