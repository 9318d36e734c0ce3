#pragma once

// Colours that show the motion of splats in place of their own colour.

#include <cstdint>

#include "math/vector.h"

namespace mote {

enum class PaintedMotion : std::uint8_t { none, velocity, life };

/// The motion that pictures show in place of the colours of splats.
struct MotionPaint {
  PaintedMotion what = PaintedMotion::none;
  /// The speed that is painted with half of the full saturation, world units/s of the scene.
  float half_speed = 1;
  float duration_s = 1;  // the life that has the last colour of the scale
};

/// The colour of splats that stand still or live always.
inline constexpr float kStillGrey = 0.5f;

/// Red, green and blue are the directions x, y and z of the scene: above kStillGrey along the axis,
/// below it against the axis. Faster splats have more saturated colours.
template <class F>
MOTE_LANE Vec3<F> velocity_color(Vec3<F> velocity, F half_speed) {
  const F scale = F(kStillGrey) / (sqrt(dot(velocity, velocity)) + half_speed);
  const F grey(kStillGrey);
  return {fma(velocity.x, scale, grey), fma(velocity.y, scale, grey), fma(velocity.z, scale, grey)};
}

/// From orange for short lives through green to blue for those of the scene's length. `share`: of
/// the scene's duration; longer lives have the last colour.
template <class F>
MOTE_LANE Vec3<F> life_color(F share) {
  const F t = max(min(share, F(1.0f)), F(0.0f));
  const F first = max(fma(F(-2.0f), t, F(1.0f)), F(0.0f));  // weight of the orange
  const F last = max(fma(F(2.0f), t, F(-1.0f)), F(0.0f));   // weight of the blue
  const F middle = F(1.0f) - first - last;
  return {fma(F(0.95f), first, fma(F(0.15f), middle, F(0.20f) * last)),
          fma(F(0.45f), first, fma(F(0.65f), middle, F(0.30f) * last)),
          fma(F(0.10f), first, fma(F(0.45f), middle, F(0.75f) * last))};
}

}  // namespace mote
