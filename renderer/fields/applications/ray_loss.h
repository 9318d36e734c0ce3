#pragma once

// The loss of a ray of a NeRF in training, and its gradients by the ray's colour.

#include "fields/applications/compositing.h"
#include "fields/networks/loss.h"
#include "math/exposure.h"

namespace mote {

/// The light that a ray should have.
struct RayTarget {
  float color[3];  // with the background
  float background[3];
  float weight;    // above 0
  float coverage;  // of the photograph; the background is behind the rest
};

struct RayLoss {
  float last[3];                  // the ray's colour, with the background
  float d_last[3], d_shown[3];    // shown: with the exposure
  float loss, absolute, squared;  // sums over the channels, times the weight
};

/// The colour of a ray whose samples are all added, with the background. A ray without light left
/// becomes opaque. Returns the factor on its colour.
template <class Color>
MOTE_LANE float finish_ray(Color& color, const float (&background)[3], float (&last)[3]) {
  float opaque = 1;
  if (color.transmittance < kTrainingStop) {
    opaque = opaque_factor(color.transmittance);
    color.transmittance = 0;
  }
  for (int c = 0; c < 3; ++c) {
    last[c] = opaque * color.color[c] + color.transmittance * background[c];
  }
  return opaque;
}

/// `color`: of the ray, changed as by finish_ray(). `exposure`: three rows (math/exposure.h).
/// `scale`: of the gradients.
template <FieldLoss LOSS>
MOTE_LANE RayLoss grade_ray(RayColor<float>& color, const RayTarget& target, const float* exposure,
                            float scale) {
  RayLoss ray{};
  const float opaque = finish_ray(color, target.background, ray.last);
  float shown[3];
  for (int c = 0; c < 3; ++c) {
    const float* row = exposure + static_cast<std::size_t>(c) * kExposureRow;
    shown[c] = row[0] * ray.last[0] + row[1] * ray.last[1] + row[2] * ray.last[2] + row[3];
  }
  const float luminance = color_luminance<float>(3, [&](int channel) { return shown[channel]; });
  for (int c = 0; c < 3; ++c) {
    const auto value = field_loss<LOSS>(shown[c], target.color[c], luminance);
    const float difference = shown[c] - target.color[c];
    ray.loss += target.weight * value.value;
    ray.absolute += target.weight * abs(difference);
    ray.squared += target.weight * difference * difference;
    ray.d_shown[c] = scale * target.weight * value.slope;
    const float* row = exposure + static_cast<std::size_t>(c) * kExposureRow;
    for (int from = 0; from < 3; ++from) ray.d_last[from] += opaque * row[from] * ray.d_shown[c];
  }
  return ray;
}

/// Number of slopes of a ray: of its three times larger loss by the background's channels, then by
/// the exposure of its photograph.
inline constexpr int kRaySlopes = 3 + kExposureValues;

/// Calls add(number, slope) for each. `transmittance`: of the ray that grade_ray() has finished.
template <class Add>
MOTE_LANE void for_each_ray_slope(const RayLoss& ray, float transmittance, float coverage,
                                  const Add& add) {
  constexpr int kRow = kExposureRow;
  for (int c = 0; c < 3; ++c) {
    // The background is seen through the field, and behind the photograph.
    add(c, ray.d_last[c] * transmittance - ray.d_shown[c] * (1 - coverage));
    for (int from = 0; from < 3; ++from) {
      add(3 + c * kRow + from, ray.d_shown[c] * ray.last[from]);
    }
    add(3 + c * kRow + 3, ray.d_shown[c]);
  }
}

}  // namespace mote
