#pragma once

// The structural similarity of Wang et al. 2004 at one pixel of one channel, with its derivatives,
// from moments under an 11x11 Gaussian window of standard deviation 1.5. The moments are chosen so
// that single precision keeps its digits where two images are nearly equal:
//   SSIM = (1 - (mx - my)^2 / (mx^2 + my^2 + C1)) (1 - var(x - y) / (var x + var y + C2)),
// which equals the usual quotient of products, written with the differences of the images.

#include "lanes/scalar.h"

namespace mote {

inline constexpr int kSsimRadius = 5;  // px; the window is 2 * 5 + 1 wide
inline constexpr double kSsimC1 = 0.01 * 0.01, kSsimC2 = 0.03 * 0.03;  // for values in 0..1
/// The window in one dimension: weights at distances 0 to 5. All 11 weights sum to one.
inline constexpr double kSsimWeights[kSsimRadius + 1] = {
    0.2660117248617943,  0.21300553771125366,  0.1093606895097,
    0.03600077212843082, 0.007598758135239184, 0.0010283800844791099};

/// The weights, for sums in F.
template <class F>
struct SsimWindow {
  F weight[kSsimRadius + 1] = {
      F(static_cast<float>(kSsimWeights[0])), F(static_cast<float>(kSsimWeights[1])),
      F(static_cast<float>(kSsimWeights[2])), F(static_cast<float>(kSsimWeights[3])),
      F(static_cast<float>(kSsimWeights[4])), F(static_cast<float>(kSsimWeights[5]))};
};

/// The weighted sum of value(-kSsimRadius) to value(kSsimRadius): the window in one dimension.
template <class F, class Value>
MOTE_LANE F window_sum(const SsimWindow<F>& window, const Value& value) {
  F sum = window.weight[0] * value(0);
  MOTE_UNROLL
  for (int i = 1; i <= kSsimRadius; ++i) {
    sum = fma(window.weight[i], value(-i) + value(i), sum);
  }
  return sum;
}

/// Indices of the moments in arrays with one element per moment: means of x, of y, of x^2 + y^2,
/// and of (x - y)^2.
enum SsimMoment { kMeanX, kMeanY, kMeanSquares, kMeanDifference, kSsimMoments };

/// Weighted means over the window.
template <class F>
struct SsimMoments {
  F mean_x, mean_y;
  F squares;     // mean of x^2 + y^2
  F difference;  // mean of (x - y)^2
};

/// The moments get(m) of all numbers m.
template <class F, class Get>
MOTE_LANE SsimMoments<F> ssim_moments(const Get& get) {
  return {get(kMeanX), get(kMeanY), get(kMeanSquares), get(kMeanDifference)};
}

/// x^2 + y^2 of one pixel.
template <class F>
MOTE_LANE F ssim_squares(F x, F y) {
  return fma(x, x, y * y);
}

/// (x - y)^2 of one pixel.
template <class F>
MOTE_LANE F ssim_difference(F x, F y) {
  const F difference = x - y;
  return difference * difference;
}

template <class F>
struct Ssim {
  F value;
  SsimMoments<F> d;  // derivatives of the value with respect to the moments
};

template <class F>
MOTE_LANE Ssim<F> ssim_of(const SsimMoments<F>& m) {
  const F zero(0.0f), one(1.0f), two(2.0f);
  const F delta = m.mean_x - m.mean_y;
  const F mean_squares = fma(m.mean_x, m.mean_x, m.mean_y * m.mean_y);
  // Rounding can make a variance negative.
  const F luminance = mean_squares + F(static_cast<float>(kSsimC1));
  const F variances = max(zero, m.squares - mean_squares) + F(static_cast<float>(kSsimC2));
  const F inverse = reciprocal(luminance * variances);
  const F two_by_luminance = two * variances * inverse, by_variances = luminance * inverse;
  const F a = delta * delta * (two_by_luminance * F(0.5f));
  const F b = max(zero, fnma(delta, delta, m.difference)) * by_variances;
  const F one_a = one - a, one_b = one - b;
  // With S = (1 - a)(1 - b): a depends on the means only; b depends on all moments.
  const F by_a = one_b * two_by_luminance, by_b = two * one_a * by_variances;
  return {one_a * one_b,
          {fnma(by_a, fnma(a, m.mean_x, delta), by_b * fnma(b, m.mean_x, delta)),
           fma(by_a, fma(a, m.mean_y, delta), -(by_b * fma(b, m.mean_y, delta))),
           F(0.5f) * by_b * b, -(one_a * by_variances)}};
}

}  // namespace mote
