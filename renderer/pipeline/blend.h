#pragma once

// Blending of one splat into one lane of pixels, front to back, and its vjp. It is the same for
// every kind: a kind provides the exponent log2(alpha) and receives dL/d ln(alpha).

#include "math/vector.h"
#include "splats/kinds/alpha.h"

namespace mote {

/// The blending state of a lane of pixels.
template <class F>
struct LaneForward {
  F transmittance{1.0f};  // final once a pixel has stopped
  // The transmittance if pixels did not stop. The next splat waits for this alone.
  F running{1.0f};
  decltype(F() < F()) open = F(0.0f) < F(1.0f);  // the pixels that have not stopped
};

/// Exponents of blending as they are: log2(alpha). Other units have the same members.
struct Log2Exponent {
  static constexpr float kLeast = kLog2AlphaMin;  // of an alpha that is not skipped
  template <class F>
  static MOTE_LANE F alpha(F exponent) {
    return exp2_bounded(exponent);
  }
};

/// The alpha of a splat at one lane of pixels: zero below kAlphaMin or where a pixel is not `open`,
/// at most kAlphaMax. `Exponent`: the unit of the exponent.
template <class Exponent = Log2Exponent, class F, class Mask>
MOTE_LANE F blend_alpha(F exponent, Mask open) {
  return keep(at_least(open, exponent, F(Exponent::kLeast)),
              min(F(kAlphaMax), Exponent::alpha(exponent)));
}

/// Blends one splat at one lane of pixels, with its blend_alpha(); returns the weight of its
/// colour. A pixel stops before its transmittance falls below kTransmittanceMin. It may stop after
/// alpha was computed. Has no branches, because processors predict poorly when a pixel stops.
template <class F>
MOTE_LANE F blend_with_alpha(F alpha, LaneForward<F>& pixel) {
  const F before = pixel.running;
  pixel.running = fnma(alpha, before, before);
  pixel.open = at_least(pixel.open, pixel.running, F(kTransmittanceMin));
  pixel.transmittance = select(pixel.open, pixel.running, pixel.transmittance);
  return keep(pixel.open, alpha * before);
}

/// Blends one splat at one lane of pixels. Skips an alpha below kAlphaMin and clamps one above
/// kAlphaMax. A pixel stops before its transmittance falls below kTransmittanceMin.
template <class F>
MOTE_LANE F blend_step(F exponent, LaneForward<F>& pixel) {
  return blend_with_alpha(blend_alpha(exponent, pixel.open), pixel);
}

/// The blending state of a pixel on a GPU.
struct PixelForward {
  float transmittance;  // final once the pixel has stopped
  float running;        // the transmittance if pixels did not stop: below the limit from then on

  MOTE_LANE bool is_open() const { return running >= kTransmittanceMin; }
};

/// blend_step() for one pixel, in a form for which CUDA's compiler needs few instructions and no
/// branches. Calls add(weight, before, after) with the transmittances before and after the splat
/// while the pixel is open; the weight is 0 if the splat is skipped.
template <class Add>
MOTE_LANE void blend_pixel(float exponent, PixelForward& pixel, const Add& add) {
  const float unclamped = exp2_bounded(exponent), before = pixel.running;
  const float alpha = exponent >= kLog2AlphaMin ? min(kAlphaMax, unclamped) : 0.0f;
  const float weight = alpha * before;
  pixel.running = fnma(alpha, before, before);
  if (pixel.is_open()) {
    add(weight, before, pixel.running);
    pixel.transmittance = pixel.running;
  }
}

/// Adds a splat of the weight to the sum of colours.
template <class F>
MOTE_LANE Vec3<F> add_color(const Vec3<F>& sum, F weight, const Vec3<F>& color) {
  return {fma(weight, color.x, sum.x), fma(weight, color.y, sum.y), fma(weight, color.z, sum.z)};
}

/// The depths of a pixel so far: sum of weight * view z, and the view z at which the transmittance
/// fell below 1/2.
template <class F>
struct PixelDepth {
  F weighted, median;
};

/// Adds a splat at the view depth z. The transmittances are those before and after it.
template <class F>
MOTE_LANE void add_depth(F z, F weight, F before, F after, PixelDepth<F>& depth) {
  depth.weighted = fma(weight, z, depth.weighted);
  depth.median = select((before >= F(0.5f)) & (after < F(0.5f)), z, depth.median);
}

/// The number of blended splats with one more of the weight.
template <class F>
MOTE_LANE F add_overdraw(F count, F weight) {
  return count + keep(weight > F(0.0f), F(1.0f));
}

/// One channel of the finished picture.
template <class F>
MOTE_LANE F over_background(F color_sum, F transmittance, F background) {
  return fma(transmittance, background, color_sum);
}

template <class F>
MOTE_LANE F alpha_of(F transmittance) {
  return F(1.0f) - transmittance;
}

/// The mean view z by weight; 0 where nothing is blended.
template <class F>
MOTE_LANE F expected_depth(F alpha, F weighted_depth) {
  const auto covered = alpha > F(0.0f);
  return keep(covered, weighted_depth / select(covered, alpha, F(1.0f)));
}

/// The state of a pixel in the backward pass, front to back. It holds the transmittance before the
/// next splat (0 once the pixel has stopped), and dL/dpixel . (colour of the remaining terms,
/// background included), which no longer changes once the pixel has stopped. Initial values: 1 and
/// dL/dpixel . pixel.
template <class F>
struct PixelBackward {
  F transmittance, behind;
};

/// dL/dpixel . pixel, the colours' part of the initial value of PixelBackward::behind.
template <class F>
MOTE_LANE F color_behind(const Vec3<F>& d_pixel, const Vec3<F>& pixel) {
  return fma(d_pixel.z, pixel.z, fma(d_pixel.y, pixel.y, d_pixel.x * pixel.x));
}

/// The weight of a splat's colour in a pixel, and dL/d ln(alpha).
template <class F>
struct BlendStepGradient {
  F weight, g;
};

/// The alpha of a splat in the backward pass, with the exponent that blending computed: zero below
/// kAlphaMin, at most kAlphaMax. `unclamped`: a value that is less than kAlphaMax where alpha is.
template <class F>
struct AlphaForVjp {
  F alpha, unclamped;
};

template <class Exponent = Log2Exponent, class F>
MOTE_LANE AlphaForVjp<F> alpha_for_vjp(F exponent) {
  const F unclamped = Exponent::alpha(exponent);
  const auto touched = exponent >= F(Exponent::kLeast);
  return {keep(touched, min(F(kAlphaMax), unclamped)), unclamped};
}

/// The vjp of blend_step() for one splat at one lane of pixels. It stops as blend_step() does;
/// a clamped alpha gets no gradient. Equals blend_vjp() without stored states. `along`: dL/dpixel .
/// colour of the splat.
template <class F>
MOTE_LANE BlendStepGradient<F> blend_step_vjp(const AlphaForVjp<F>& splat, F along,
                                              PixelBackward<F>& pixel) {
  const F one(1.0f), alpha = splat.alpha;
  const F after = fnma(alpha, pixel.transmittance, pixel.transmittance);
  const auto going = after >= F(kTransmittanceMin);
  const F weight = keep(going, alpha * pixel.transmittance);
  const F behind = fnma(weight, along, pixel.behind);
  const F d_alpha = fnma(behind, reciprocal(one - alpha), pixel.transmittance * along);
  const F g = keep(going & (splat.unclamped < F(kAlphaMax)), alpha * d_alpha);
  pixel = {keep(going, after), behind};
  return {weight, g};
}

template <class F>
struct BlendGradient {
  Vec3<F> d_color;
  F d_alpha;
};

/// The vjp of one splat's term in C = sum alpha_i T_i c_i + T_final background. `transmittance`: T
/// before the splat. `behind`: colour of all later terms, background included. `d_transmittance`:
/// dL/dT_final without the background's part.
template <class F>
MOTE_LANE BlendGradient<F> blend_vjp(F alpha, F transmittance, Vec3<F> color, Vec3<F> behind,
                                     F transmittance_final, Vec3<F> d_pixel, F d_transmittance) {
  const F inverse = F(1.0f) / (F(1.0f) - alpha);
  return {d_pixel * (alpha * transmittance),
          dot(d_pixel, color * transmittance - behind * inverse) -
              d_transmittance * transmittance_final * inverse};
}

}  // namespace mote
