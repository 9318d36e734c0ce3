// The functions that lanes_test.cpp measures, compiled once per instruction set.
#include "lane_functions.h"

#include "lanes/pack.h"

namespace mote::MOTE_ISA {
namespace {

template <class Function>
MOTE_LANE void each(const float* in, float* out, std::size_t count, const Function& function) {
  for (std::size_t i = 0; i < count; i += kPackLanes) {
    hn::StoreU(function(load_unaligned(in + i)).value, PackTag(), out + i);
  }
}

void reciprocals(const float* in, float* out, std::size_t count) {
  each(in, out, count, [](Pack a) { return reciprocal(a); });
}
void bounded_powers(const float* in, float* out, std::size_t count) {
  each(in, out, count, [](Pack a) { return exp2_bounded(a); });
}
void powers_or_zero(const float* in, float* out, std::size_t count) {
  each(in, out, count, [](Pack a) { return exp2_or_zero(a); });
}
void scaled_powers(const float* in, float* out, std::size_t count) {
  each(in, out, count,
       [](Pack a) { return exp2_scaled((a - Pack(kExponentOrigin)) * Pack(kExponentScale)); });
}

}  // namespace

extern const LaneFunctions kLaneFunctions;
const LaneFunctions kLaneFunctions{reciprocals, bounded_powers, powers_or_zero, scaled_powers};

}  // namespace mote::MOTE_ISA
