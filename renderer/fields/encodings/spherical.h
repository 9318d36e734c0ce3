#pragma once

// The encoding of directions by real spherical harmonics: bands 0 to DEGREE - 1, in the order and
// with the signs of math/spherical_harmonics.h, by recurrences (Sloan 2008, "Stupid Spherical
// Harmonics Tricks"). On the unit sphere they are the polynomials of tiny-cuda-nn.

#include <array>

#include "lanes/scalar.h"
#include "math/vector.h"

namespace mote {

inline constexpr int kMostShEncodingDegree = 8;

namespace spherical {

constexpr double root(double value) {
  double guess = value > 1 ? value : 1;
  for (int i = 0; i < 200; ++i) guess = 0.5 * (guess + value / guess);
  return guess;
}

/// The factor of the function (l, m) or (l, -m), with the Condon-Shortley phase.
constexpr double norm(int l, int m) {
  double factorials = 1;
  for (int i = l - m + 1; i <= l + m; ++i) factorials /= i;
  const double pi = 3.14159265358979323846;
  const double value = root((2 * l + 1) / (4 * pi) * factorials * (m > 0 ? 2 : 1));
  return m % 2 == 0 ? value : -value;
}

using Norms = std::array<std::array<float, kMostShEncodingDegree>, kMostShEncodingDegree>;

constexpr Norms norms() {
  Norms all{};
  for (int l = 0; l < kMostShEncodingDegree; ++l) {
    for (int m = 0; m <= l; ++m)
      all[static_cast<std::size_t>(l)][static_cast<std::size_t>(m)] =
          static_cast<float>(norm(l, m));
  }
  return all;
}

inline constexpr Norms kNorms = norms();

/// The terms of a pair of functions (l, m) and (l, -m): norm * legendre * across, where across is
/// r^m cos(m phi) or r^m sin(m phi).
template <class F>
struct Term {
  int l, m;
  F legendre, legendre_slope;    // by z
  F cosine, sine;                // across
  F cosine_before, sine_before;  // those of m - 1
};

/// Calls visit(term) for 0 <= m <= l < DEGREE.
template <int DEGREE, class F, class Visit>
MOTE_LANE void for_each_term(Vec3<F> d, const Visit& visit) {
  F cosine(1.0f), sine(0.0f), cosine_before(0.0f), sine_before(0.0f);
  float first = 1;  // (2 m - 1)!!
  for (int m = 0; m < DEGREE; ++m) {
    F before(0.0f), slope_before(0.0f), here(first), slope(0.0f);
    for (int l = m; l < DEGREE; ++l) {
      visit(Term<F>{l, m, here, slope, cosine, sine, cosine_before, sine_before});
      // (l + 1 - m) P(l + 1) = (2 l + 1) z P(l) - (l + m) P(l - 1)
      const F up(static_cast<float>(2 * l + 1) / static_cast<float>(l + 1 - m));
      const F back(static_cast<float>(l + m) / static_cast<float>(l + 1 - m));
      const F next = up * d.z * here - back * before;
      const F next_slope = up * fma(d.z, slope, here) - back * slope_before;
      before = here, here = next;
      slope_before = slope, slope = next_slope;
    }
    cosine_before = cosine, sine_before = sine;
    cosine = d.x * cosine_before - d.y * sine_before;
    sine = d.x * sine_before + d.y * cosine_before;
    first *= static_cast<float>(2 * m + 1);
  }
}

}  // namespace spherical

/// Calls store(k, value) for the DEGREE^2 values at the unit direction. `norm(l, m)`: spherical's
/// kNorms, which kernels have in other memory.
template <int DEGREE, class F, class Norm, class Store>
MOTE_LANE void encode_direction_to(Vec3<F> direction, const Norm& norm, const Store& store) {
  spherical::for_each_term<DEGREE>(direction, [&](const spherical::Term<F>& t) {
    const F scaled = t.legendre * F(norm(t.l, t.m));
    const int zero = t.l * (t.l + 1);
    if (t.m > 0) store(zero - t.m, scaled * t.sine);
    store(zero + t.m, scaled * t.cosine);
  });
}

/// values[0 .. DEGREE^2) at the unit direction.
template <int DEGREE, class F>
MOTE_LANE void encode_direction(Vec3<F> direction, F* values) {
  encode_direction_to<DEGREE>(
      direction,
      [](int l, int m) {
        return spherical::kNorms[static_cast<std::size_t>(l)][static_cast<std::size_t>(m)];
      },
      [&](int k, F value) { values[k] = value; });
}

/// dL/ddirection, not projected to the sphere, from d_values = dL/dvalues.
template <int DEGREE, class F>
MOTE_LANE Vec3<F> encode_direction_vjp(Vec3<F> direction, const F* d_values) {
  Vec3<F> d{F(0.0f), F(0.0f), F(0.0f)};
  spherical::for_each_term<DEGREE>(direction, [&](const spherical::Term<F>& t) {
    const F norm(spherical::kNorms[static_cast<std::size_t>(t.l)][static_cast<std::size_t>(t.m)]);
    const int zero = t.l * (t.l + 1);
    const F by_cosine = norm * d_values[zero + t.m];
    const F by_sine = t.m > 0 ? norm * d_values[zero - t.m] : F(0.0f);
    const F turn = F(static_cast<float>(t.m)) * t.legendre;
    d.x = fma(turn, fma(by_cosine, t.cosine_before, by_sine * t.sine_before), d.x);
    d.y = fma(turn, fnma(by_cosine, t.sine_before, by_sine * t.cosine_before), d.y);
    d.z = fma(t.legendre_slope, fma(by_cosine, t.cosine, by_sine * t.sine), d.z);
  });
  return d;
}

}  // namespace mote
