#pragma once

// Interpolation in one level of a grid encoding, forward and backward (Müller et al. 2022). Loading
// and adding entries is up to the caller.

#include "fields/encodings/grid_layout.h"
#include "lanes/scalar.h"

namespace mote {

/// Factor of a coordinate in the hash (Teschner et al. 2003). The first is 1, so that neighbours
/// along x with an even coordinate share a pair of entries. A function, since devices have no
/// arrays of constants.
MOTE_LANE constexpr std::uint32_t grid_prime(int axis) {
  constexpr std::uint32_t kPrimes[kMostGridDimensions] = {1u, 2654435761u, 805459861u, 3674653429u};
  return kPrimes[axis];
}

/// The cell of a level that contains a position.
template <int D, class F>
struct GridCell {
  typename LaneWords<F>::Type corner[D];  // the grid point with the lowest coordinates
  F weight[D];                            // of its neighbour along each axis
  F slope[D];                             // of the weight, per cell
};

/// `x`: from 0 to 1. Positions outside, and NaN, are in the cells of the border.
template <Interpolation INTERPOLATION, int D, class F>
MOTE_LANE GridCell<D, F> grid_cell(const GridLevel& level, const F (&x)[D]) {
  GridCell<D, F> cell{};
  for (int axis = 0; axis < D; ++axis) {
    // Half a cell of offset, so that the borders of the levels' cells do not coincide.
    const F at = fma(F(level.scale), x[axis], F(0.5f));
    const F last(static_cast<float>(level.resolution));
    const F corner = min(max(floor(at), F(0.0f)), last);
    const F t = at - corner;
    cell.corner[axis] = word_of(corner);
    switch (INTERPOLATION) {
      case Interpolation::nearest:
        cell.weight[axis] = F(0.0f);
        cell.slope[axis] = F(0.0f);
        break;
      case Interpolation::linear:
        cell.weight[axis] = t;
        cell.slope[axis] = F(1.0f);
        break;
      case Interpolation::smoothstep:
        cell.weight[axis] = t * t * fnma(F(2.0f), t, F(3.0f));
        cell.slope[axis] = F(6.0f) * t * (F(1.0f) - t);
        break;
    }
  }
  return cell;
}

/// The index of a grid point in the level's table.
template <int D, class Words>
MOTE_LANE Words grid_index(const GridLevel& level, const Words (&at)[D]) {
  if (level.index == GridIndex::hashed) {
    Words hash = at[0];  // grid_prime(0) is 1
    for (int axis = 1; axis < D; ++axis) hash = hash ^ at[axis] * Words(grid_prime(axis));
    return hash & Words(level.entries - 1);
  }
  Words index = at[0];
  for (int axis = 1; axis < D; ++axis) {
    index = index + at[axis] * Words(level.stride[static_cast<std::size_t>(axis)]);
  }
  if (level.index == GridIndex::tiled) return word_remainder(index, level.entries);
  // Points beyond the border wrap around; their index is below twice the number of entries.
  return word_min(index, index - Words(level.entries));
}

/// Number of grid points that a position reads.
template <Interpolation INTERPOLATION, int D>
inline constexpr int kGridCorners = INTERPOLATION == Interpolation::nearest ? 1 : 1 << D;

/// Calls visit(corner, index, weight) for each grid point that a position reads. Bit i of `corner`:
/// the upper one along axis i.
template <Interpolation INTERPOLATION, int D, class F, class Visit>
MOTE_LANE void for_each_corner(const GridLevel& level, const GridCell<D, F>& cell,
                               const Visit& visit) {
  using Words = typename LaneWords<F>::Type;
  for (int corner = 0; corner < kGridCorners<INTERPOLATION, D>; ++corner) {
    Words at[D];
    F weight(1.0f);
    for (int axis = 0; axis < D; ++axis) {
      const bool upper = (corner >> axis & 1) != 0;
      at[axis] = cell.corner[axis] + Words(upper ? 1u : 0u);
      if constexpr (INTERPOLATION != Interpolation::nearest) {
        weight = weight * (upper ? cell.weight[axis] : F(1.0f) - cell.weight[axis]);
      }
    }
    visit(corner, grid_index<D>(level, at), weight);
  }
}

/// The features at a position. `load(index, feature)` reads a parameter of the level.
template <Interpolation INTERPOLATION, int FEATURES, int D, class F, class Load>
MOTE_LANE void grid_features(const GridLevel& level, const F (&x)[D], const Load& load,
                             F (&features)[FEATURES]) {
  for (F& feature : features) feature = F(0.0f);
  for_each_corner<INTERPOLATION>(level, grid_cell<INTERPOLATION>(level, x),
                                 [&](int, auto index, F weight) {
                                   for (int f = 0; f < FEATURES; ++f)
                                     features[f] = fma(weight, load(index, f), features[f]);
                                 });
}

/// The vjp of grid_features() by the parameters: calls add(index, feature, gradient).
template <Interpolation INTERPOLATION, int FEATURES, int D, class F, class Add>
MOTE_LANE void grid_parameters_vjp(const GridLevel& level, const F (&x)[D],
                                   const F (&d_features)[FEATURES], const Add& add) {
  for_each_corner<INTERPOLATION>(level, grid_cell<INTERPOLATION>(level, x),
                                 [&](int, auto index, F weight) {
                                   for (int f = 0; f < FEATURES; ++f)
                                     add(index, f, weight * d_features[f]);
                                 });
}

/// Calls visit(corner, index, weight, rate) for each grid point that a position in the cell reads.
/// `rate`: the change of the weight while the position moves with `velocity`.
template <Interpolation INTERPOLATION, int D, class F, class Visit>
MOTE_LANE void for_each_moving_corner(const GridLevel& level, const GridCell<D, F>& cell,
                                      const F (&velocity)[D], const Visit& visit) {
  F speed[D];
  for (int axis = 0; axis < D; ++axis) {
    speed[axis] = cell.slope[axis] * F(level.scale) * velocity[axis];
  }
  for_each_corner<INTERPOLATION>(level, cell, [&](int corner, auto index, F weight) {
    F before(1.0f), rate(0.0f);
    if constexpr (INTERPOLATION != Interpolation::nearest) {
      for (int axis = 0; axis < D; ++axis) {
        const bool upper = (corner >> axis & 1) != 0;
        const F own = upper ? cell.weight[axis] : F(1.0f) - cell.weight[axis];
        rate = fma(rate, own, before * (upper ? speed[axis] : -speed[axis]));
        before = before * own;
      }
    }
    visit(corner, index, weight, rate);
  });
}

template <Interpolation INTERPOLATION, int D, class F, class Visit>
MOTE_LANE void for_each_moving_corner(const GridLevel& level, const F (&x)[D],
                                      const F (&velocity)[D], const Visit& visit) {
  for_each_moving_corner<INTERPOLATION>(level, grid_cell<INTERPOLATION>(level, x), velocity, visit);
}

/// The change of grid_features() while the position moves with `velocity`.
template <Interpolation INTERPOLATION, int FEATURES, int D, class F, class Load>
MOTE_LANE void grid_feature_rates(const GridLevel& level, const GridCell<D, F>& cell,
                                  const F (&velocity)[D], const Load& load, F (&rates)[FEATURES]) {
  for (F& rate : rates) rate = F(0.0f);
  for_each_moving_corner<INTERPOLATION>(level, cell, velocity, [&](int, auto index, F, F rate) {
    for (int f = 0; f < FEATURES; ++f) rates[f] = fma(rate, load(index, f), rates[f]);
  });
}
template <Interpolation INTERPOLATION, int FEATURES, int D, class F, class Load>
MOTE_LANE void grid_feature_rates(const GridLevel& level, const F (&x)[D], const F (&velocity)[D],
                                  const Load& load, F (&rates)[FEATURES]) {
  grid_feature_rates<INTERPOLATION>(level, grid_cell<INTERPOLATION>(level, x), velocity, load,
                                    rates);
}

/// The vjp of grid_features() by the position, added to `d_x`.
template <Interpolation INTERPOLATION, int FEATURES, int D, class F, class Load>
MOTE_LANE void grid_position_vjp(const GridLevel& level, const GridCell<D, F>& cell,
                                 const Load& load, const F (&d_features)[FEATURES], F (&d_x)[D]) {
  if constexpr (INTERPOLATION != Interpolation::nearest) {
    F along[D];  // dL/d(weight of the upper neighbour)
    for (F& sum : along) sum = F(0.0f);
    for_each_corner<INTERPOLATION>(level, cell, [&](int corner, auto index, F) {
      F value(0.0f);
      for (int f = 0; f < FEATURES; ++f) value = fma(d_features[f], load(index, f), value);
      for (int axis = 0; axis < D; ++axis) {
        F others = (corner >> axis & 1) != 0 ? value : -value;
        for (int other = 0; other < D; ++other) {
          if (other == axis) continue;
          const F upper = cell.weight[other];
          others = others * ((corner >> other & 1) != 0 ? upper : F(1.0f) - upper);
        }
        along[axis] = along[axis] + others;
      }
    });
    for (int axis = 0; axis < D; ++axis) {
      d_x[axis] = fma(along[axis] * cell.slope[axis], F(level.scale), d_x[axis]);
    }
  }
}

template <Interpolation INTERPOLATION, int FEATURES, int D, class F, class Load>
MOTE_LANE void grid_position_vjp(const GridLevel& level, const F (&x)[D], const Load& load,
                                 const F (&d_features)[FEATURES], F (&d_x)[D]) {
  grid_position_vjp<INTERPOLATION>(level, grid_cell<INTERPOLATION>(level, x), load, d_features,
                                   d_x);
}

}  // namespace mote
