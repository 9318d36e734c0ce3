#pragma once

// The light of a sample of a ray, from the values of the networks there.

#include "fields/applications/compositing.h"
#include "fields/applications/soft_density.h"
#include "fields/applications/volume_shading.h"
#include "lanes/lane.h"

namespace mote::cuda {

/// The meaning of the values at samples.
enum class SampleLight {
  display,    // of a NeRF: the logarithm of the density, and colours before a sigmoid
  unbounded,  // the same, before an exponential
  volume      // of a volume: its density, and linear light
};

/// A softplus of the density (fields/applications/soft_density.h).
struct SoftDensity {
  float shift;
  float cells;  // per length of the field; 0: no softplus
};

/// The logarithm of the density of a NeRF, from the network's output.
MOTE_LANE float log_density(const SoftDensity& soft, float raw) {
  constexpr float kLog2 = 0.693147180559945309f;
  return soft.cells > 0 ? log_softplus(raw + soft.shift) + log2(soft.cells) * kLog2 : raw;
}

template <SampleLight LIGHT>
MOTE_LANE SampleColor<float> light_of_sample(const SoftDensity& soft, float density,
                                             const float (&colors)[3], float dt) {
  SampleColor<float> sample{};
  if constexpr (LIGHT == SampleLight::volume) {
    sample.thickness = volume_extinction(density) * dt;
    MOTE_UNROLL
    for (int c = 0; c < 3; ++c) sample.color[c] = max(colors[c], 0.0f);
  } else {
    sample.thickness = optical_thickness(log_density(soft, density), dt);
    MOTE_UNROLL
    for (int c = 0; c < 3; ++c) {
      sample.color[c] = field_color<LIGHT == SampleLight::unbounded>(colors[c]);
    }
  }
  sample.opacity = opacity_of_thickness(sample.thickness);
  return sample;
}

}  // namespace mote::cuda
