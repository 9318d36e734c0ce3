#pragma once

// The rate of a HexPlane encoding while the time changes: its derivative by the coordinate along
// time, in forward mode. At the nodes, where it jumps, it is that of the later cell.

#include "fields/encodings/hexplane.h"

namespace mote {

template <class F>
struct HexRate {
  F value, rate;
};

/// As hex_value(), with the rate of the features.
template <class F, class S, class Load>
MOTE_LANE HexRate<F> hex_value_rate(const HexLevel& level, const HexPoint<S>& point,
                                    const Load& load) {
  HexRate<F> product{F(1.0f), F(0.0f)};
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    HexRate<F> own{F(0.0f), F(0.0f)};
    for (int corner = 0; corner < 4; ++corner) {
      const HexCorner<S> at = hex_corner(level, point, plane, corner);
      const F node = load(plane, at.node);
      own.value = fma(F(at.weight), node, own.value);
      if (has_time(plane)) own.rate = fma(F(at.slope_v), node, own.rate);
    }
    product.rate = fma(product.rate, own.value, product.value * own.rate);
    product.value = product.value * own.value;
  }
  return product;
}

}  // namespace mote
