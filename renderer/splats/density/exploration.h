#pragma once

// The exploration noise of MCMC (Kheradmand et al. 2024): mean += covariance * normal * scale *
// gate(opacity). The gate depends on the kind of splat (Kind::exploration_gate).

#include <cstdint>
#include <type_traits>

#include "math/activations.h"
#include "splats/kinds/ewa.h"
#include "splats/kinds/stored.h"

namespace mote {

/// The noise may be skipped where the gate is not above this value.
inline constexpr float kLeastGate = 1e-6f;

/// The movement of a mean. `normal` has variance 1; `amount` is gate times scale.
template <class F>
MOTE_LANE Vec3<F> exploration_step(const Mat3<F>& axes_world, Vec3<F> normal, F amount) {
  return axes_world * transpose_times(axes_world, normal) * amount;
}

/// `mean` moved by `step`; unchanged where the result is not finite or too large.
template <class F>
MOTE_LANE F explored(F mean, F step) {
  const F moved = mean + step;
  return select(abs(moved) < F(1e30f), moved, mean);
}

/// The mean of a splat after the noise. `normal` has variance 1.
template <class Kind, class F>
MOTE_LANE Vec3<F> explored_mean(const StoredSplat<Kind, F>& splat, Vec3<F> normal, F gate,
                                F scale) {
  const Vec3<F> deviation = activate(splat).scale() * Kind::spread(splat);
  const Mat3<F> axes = splat_axes(rotation_from(splat.rotation()), deviation);
  const Vec3<F> step = exploration_step(axes, normal, gate * scale), mean = splat.mean();
  return {explored(mean.x, step.x), explored(mean.y, step.y), explored(mean.z, step.z)};
}

// Random numbers without state. `W` is one 32-bit word, or one per lane of a pack.

/// A hash in which each bit of the input flips half of the output bits on average (the finaliser of
/// MurmurHash3, A. Appleby, public domain).
template <class W>
MOTE_LANE W mixed_words(W x) {
  x = (x ^ shift_right<16>(x)) * W(0x85ebca6bu);
  x = (x ^ shift_right<13>(x)) * W(0xc2b2ae35u);
  return x ^ shift_right<16>(x);
}

/// The counter of the splat with this index, for exploration_normal(). The seed is that of a step.
template <class W>
MOTE_LANE W exploration_counter(W splat, std::uint64_t seed) {
  return splat + W(mixed_words(static_cast<std::uint32_t>(seed ^ seed >> 32)));
}

/// Approximately normal: the centred sum of the four bytes of a random word, with variance 1. Its
/// tails end at 3.5, which is sufficient for the noise.
template <class W>
MOTE_LANE auto normal_of_bytes(W random) {
  constexpr float kMean = 510.0f, kScale = 0.0067658235f;  // 1 / sqrt(4 (256^2 - 1) / 12)
  const W byte(0xffu);
  const auto sum = float_of((random & byte) + (shift_right<8>(random) & byte) +
                            (shift_right<16>(random) & byte) + shift_right<24>(random));
  using F = std::remove_const_t<decltype(sum)>;
  return (sum - F(kMean)) * F(kScale);
}

/// A sample of variance 1, independent of the samples with other salts.
template <class W>
MOTE_LANE auto exploration_sample(W counter, W salt) {
  return normal_of_bytes(mixed_words(mixed_words(counter ^ salt) + W(0x9e3779b9u)));
}

/// Three independent samples of variance 1.
template <class F, class W>
MOTE_LANE Vec3<F> exploration_normal(W counter) {
  return {exploration_sample(counter, W(0x68bc21ebu)), exploration_sample(counter, W(0x02e5be93u)),
          exploration_sample(counter, W(0x967a889bu))};
}

}  // namespace mote
