#pragma once

// The light of a ray as a picture shows it.

#include "fields/applications/compositing.h"
#include "math/display_curve.h"

namespace mote {

struct ShownRay {
  float rgb[3];  // display values, over the background
  float alpha, depth_expected;
};

/// The shown ray of a NeRF, whose colours are display values. Rays that have ended are closed
/// before. `background`: three display values.
MOTE_LANE ShownRay shown_nerf(const DrawnColor& ray, const float* background) {
  const float left = ray.color.transmittance, alpha = 1 - left;
  ShownRay shown{
      .rgb = {}, .alpha = alpha, .depth_expected = alpha > 0 ? ray.depth_sum / alpha : 0};
  for (int c = 0; c < 3; ++c) shown.rgb[c] = ray.color.color[c] + left * background[c];
  return shown;
}

/// The shown ray of a volume, whose colours are linear light. A ray that has `ended` counts as
/// opaque, so that pictures do not depend on where rays end.
MOTE_LANE ShownRay shown_volume(const DrawnColor& ray, bool ended, const float* background) {
  const float covered = 1 - ray.color.transmittance;
  const float alpha = ended && ray.samples > 0 ? 1 : covered;
  ShownRay shown{
      .rgb = {}, .alpha = alpha, .depth_expected = covered > 0 ? ray.depth_sum / covered : 0};
  for (int c = 0; c < 3; ++c) {
    const float own = covered > 0 ? display_from_linear(ray.color.color[c] / covered) : 0;
    shown.rgb[c] = alpha * own + (1 - alpha) * background[c];
  }
  return shown;
}

}  // namespace mote
