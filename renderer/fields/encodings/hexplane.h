#pragma once

// A HexPlane encoding of a position in space and time (Cao and Johnson 2023): the product of
// bilinear values from six planes, forward and backward, and the smoothness of the planes. Loading
// and adding nodes is up to the caller.
//
// F holds neighbouring features of one position, S the position: the features of a node are
// adjacent in memory, so that a pack loads them without a gather.

#include <cstddef>

#include "fields/encodings/hexplane_layout.h"
#include "lanes/scalar.h"

namespace mote {

/// The cell of an axis that contains a coordinate.
template <class S>
struct HexCell {
  int node;  // the lower one
  S weight;  // of the upper one
  S slope;   // of the weight, by the coordinate; 0 outside of the planes
};

/// `x`: 0 at the first node, 1 at the last. Coordinates outside, and NaN, are at the border.
template <class S>
MOTE_LANE HexCell<S> hex_cell(int nodes, S x) {
  const S last = static_cast<S>(nodes - 1), at = x * last;
  const bool is_inside = x >= S(0) && x <= S(1);
  // Phrased positively, so that NaN becomes 0.
  const S bounded = at > S(0) ? (at < last ? at : last) : S(0);
  int node = static_cast<int>(bounded);
  if (node > nodes - 2) node = nodes - 2;
  return {node, bounded - static_cast<S>(node), is_inside ? last : S(0)};
}

/// A position in the cells of a level.
template <class S>
struct HexPoint {
  HexCell<S> axis[kHexAxes];
};

template <class S>
MOTE_LANE HexPoint<S> hex_point(const HexLevel& level, const S (&x)[kHexAxes]) {
  HexPoint<S> point{};
  for (int axis = 0; axis < kHexAxes; ++axis) {
    point.axis[axis] = hex_cell(level.nodes[axis], x[axis]);
  }
  return point;
}

/// A node that a position reads.
template <class S>
struct HexCorner {
  std::size_t node;  // [nodes of v][nodes of u]
  S weight;
  S slope_u, slope_v;  // of the weight, by the coordinates of the plane's axes
};

/// The node of a plane at the corner of the cell. Bit 0 of `corner`: the upper one along u, bit 1:
/// along v.
template <class S>
MOTE_LANE HexCorner<S> hex_corner(const HexLevel& level, const HexPoint<S>& point, int plane,
                                  int corner) {
  const HexAxes axes = hex_axes(plane);
  const HexCell<S> u = point.axis[axes.u], v = point.axis[axes.v];
  const bool upper_u = (corner & 1) != 0, upper_v = (corner & 2) != 0;
  const S weight_u = upper_u ? u.weight : S(1) - u.weight;
  const S weight_v = upper_v ? v.weight : S(1) - v.weight;
  const auto row = static_cast<std::size_t>(v.node + (upper_v ? 1 : 0));
  return {row * static_cast<std::size_t>(level.nodes[axes.u]) +
              static_cast<std::size_t>(u.node + (upper_u ? 1 : 0)),
          weight_u * weight_v, (upper_u ? u.slope : -u.slope) * weight_v,
          weight_u * (upper_v ? v.slope : -v.slope)};
}

/// The value of a plane at a position. load(plane, node) returns features of a node.
template <class F, class S, class Load>
MOTE_LANE F hex_plane_value(const HexLevel& level, const HexPoint<S>& point, int plane,
                            const Load& load) {
  F value(0.0f);
  MOTE_UNROLL
  for (int corner = 0; corner < 4; ++corner) {
    const HexCorner<S> at = hex_corner(level, point, plane, corner);
    value = fma(F(at.weight), load(plane, at.node), value);
  }
  return value;
}

/// Features of a level: the product of the planes.
template <class F, class S, class Load>
MOTE_LANE F hex_value(const HexLevel& level, const HexPoint<S>& point, const Load& load) {
  F product(1.0f);
  MOTE_UNROLL
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    product = product * hex_plane_value<F>(level, point, plane, load);
  }
  return product;
}

/// The vjp of hex_value(): sets `d_planes` to the gradients by the values of the planes, and adds
/// those by the coordinates to `d_x`, one share for each feature of F.
template <class F, class S, class Load>
MOTE_LANE void hex_value_vjp(const HexLevel& level, const HexPoint<S>& point, const Load& load,
                             F d_value, F (&d_planes)[kHexPlanes], F (&d_x)[kHexAxes]) {
  F values[kHexPlanes], along_u[kHexPlanes], along_v[kHexPlanes];
  MOTE_UNROLL
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    values[plane] = along_u[plane] = along_v[plane] = F(0.0f);
    MOTE_UNROLL
    for (int corner = 0; corner < 4; ++corner) {
      const HexCorner<S> at = hex_corner(level, point, plane, corner);
      const F own = load(plane, at.node);
      values[plane] = fma(F(at.weight), own, values[plane]);
      along_u[plane] = fma(F(at.slope_u), own, along_u[plane]);
      along_v[plane] = fma(F(at.slope_v), own, along_v[plane]);
    }
  }
  // Products of the planes before and after, so that no plane is divided by.
  F before = d_value;
  MOTE_UNROLL
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    d_planes[plane] = before;
    before = before * values[plane];
  }
  F after(1.0f);
  MOTE_UNROLL
  for (int plane = kHexPlanes - 1; plane >= 0; --plane) {
    d_planes[plane] = d_planes[plane] * after;
    after = after * values[plane];
    const HexAxes axes = hex_axes(plane);
    d_x[axes.u] = fma(d_planes[plane], along_u[plane], d_x[axes.u]);
    d_x[axes.v] = fma(d_planes[plane], along_v[plane], d_x[axes.v]);
  }
}

/// The vjp of hex_plane_value() by the nodes: calls add(node, gradient).
template <class F, class S, class Add>
MOTE_LANE void hex_nodes_vjp(const HexLevel& level, const HexPoint<S>& point, int plane, F d_value,
                             const Add& add) {
  MOTE_UNROLL
  for (int corner = 0; corner < 4; ++corner) {
    const HexCorner<S> at = hex_corner(level, point, plane, corner);
    add(at.node, F(at.weight) * d_value);
  }
}

/// The derivative by node `at` of the sum of the squares of the differences of neighbours along a
/// line of `count` nodes. load(i) returns node i.
template <class F, class Load>
MOTE_LANE F squared_steps_vjp(int at, int count, const Load& load) {
  const F own = load(at);
  F sum(0.0f);
  if (at > 0) sum = sum + (own - load(at - 1));
  if (at + 1 < count) sum = sum + (own - load(at + 1));
  return F(2.0f) * sum;
}

/// The same of the sum of the squares of the second differences.
template <class F, class Load>
MOTE_LANE F squared_bends_vjp(int at, int count, const Load& load) {
  F sum(0.0f);
  // A second difference a - 2 b + c begins at `first`; `at` is one of its nodes.
  for (int first = at - 2; first <= at; ++first) {
    if (first < 0 || first + 2 >= count) continue;
    const F bend = fma(F(-2.0f), load(first + 1), load(first) + load(first + 2));
    sum = fma(F(first == at - 1 ? -2.0f : 1.0f), bend, sum);
  }
  return F(2.0f) * sum;
}

/// Weights of the losses of the planes (Wu et al. 2024), for one plane: of the mean squared steps
/// along u and v, of the mean squared bends along v, and of the mean |value - 1|.
template <class F>
struct HexSmoothness {
  F steps_u, steps_v, bends_v, from_one;
};

/// The weights of a plane: spatial planes are smooth in space, planes with time are smooth in time
/// and change little. `space`, `time`, `still`: the weights of the three losses.
template <class F>
MOTE_LANE HexSmoothness<F> hex_smoothness(const HexLevel& level, int plane, int features,
                                          float space, float time, float still) {
  const HexAxes axes = hex_axes(plane);
  const auto u = static_cast<float>(level.nodes[axes.u]);
  const auto v = static_cast<float>(level.nodes[axes.v]);
  const auto all = static_cast<float>(features);
  HexSmoothness<F> weights{F(0.0f), F(0.0f), F(0.0f), F(0.0f)};
  if (has_time(plane)) {
    if (v > 2) weights.bends_v = F(time / (all * u * (v - 2)));
    weights.from_one = F(still / (all * u * v));
  } else {
    weights.steps_u = F(2 * space / (all * (u - 1) * v));
    weights.steps_v = F(2 * space / (all * u * (v - 1)));
  }
  return weights;
}

/// The derivative of the losses by the features of a node. load(u, v) returns those of a node.
template <class F, class Load>
MOTE_LANE F hex_smoothness_vjp(const HexLevel& level, int plane, const HexSmoothness<F>& weights,
                               int at_u, int at_v, const Load& load) {
  const HexAxes axes = hex_axes(plane);
  const auto along_u = [&](int u) { return load(u, at_v); };
  const auto along_v = [&](int v) { return load(at_u, v); };
  if (has_time(plane)) {
    const F own = load(at_u, at_v), zero(0.0f);
    const F sign =
        select(own > F(1.0f), weights.from_one, select(own < F(1.0f), -weights.from_one, zero));
    return fma(weights.bends_v, squared_bends_vjp<F>(at_v, level.nodes[axes.v], along_v), sign);
  }
  return fma(weights.steps_u, squared_steps_vjp<F>(at_u, level.nodes[axes.u], along_u),
             weights.steps_v * squared_steps_vjp<F>(at_v, level.nodes[axes.v], along_v));
}

}  // namespace mote
