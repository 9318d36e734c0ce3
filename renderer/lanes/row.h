#pragma once

#include <cstddef>

#include "lanes/lane.h"

namespace mote {

/// N neighbouring values as a lane type, for code outside of the kernels: the compiler makes
/// vectors of the loops where it can.
template <class T, std::size_t N>
struct Row {
  T values[N];

  Row() = default;
  MOTE_LANE explicit Row(T all) {
    for (T& own : values) own = all;
  }
  /// The values from `from` on.
  static MOTE_LANE Row loaded(const T* from) {
    Row row;
    for (std::size_t i = 0; i < N; ++i) row.values[i] = from[i];
    return row;
  }
  MOTE_LANE void store(T* to) const {
    for (std::size_t i = 0; i < N; ++i) to[i] = values[i];
  }
};

template <class T, std::size_t N>
MOTE_LANE Row<T, N> operator*(const Row<T, N>& a, const Row<T, N>& b) {
  Row<T, N> product;
  for (std::size_t i = 0; i < N; ++i) product.values[i] = a.values[i] * b.values[i];
  return product;
}

/// a * b + c.
template <class T, std::size_t N>
MOTE_LANE Row<T, N> fma(const Row<T, N>& a, const Row<T, N>& b, const Row<T, N>& c) {
  Row<T, N> sum;
  for (std::size_t i = 0; i < N; ++i) sum.values[i] = a.values[i] * b.values[i] + c.values[i];
  return sum;
}

}  // namespace mote
