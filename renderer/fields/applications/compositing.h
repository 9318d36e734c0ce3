#pragma once

// Compositing of a ray's samples, front to back, with its vjp (Max 1995, "Optical Models for Direct
// Volume Rendering"; Mildenhall et al. 2020, equation 3).

#include <cmath>
#include <cstdint>

#include "fields/applications/shading.h"

namespace mote {

/// A ray ends before a sample if less light is left. The published limit in training is 1e-4. The
/// samples from 1e-2 on are a fifth of all, and the picture hardly shows them.
inline constexpr float kTrainingStop = 1e-2f, kDrawingStop = 1e-2f;

template <class F>
struct SampleColor {
  F thickness, opacity;
  F color[3];
};

/// A ray's colour so far, and the part of the light that is left.
template <class F>
struct RayColor {
  F transmittance = F(1.0f);
  F color[3] = {F(0.0f), F(0.0f), F(0.0f)};
};

/// The optical thickness after which less light than `stop` is left.
MOTE_LANE float thickness_to(float stop, float transmittance) {
  return std::log(transmittance / stop);
}

/// The optical thickness, by the densities of the occupancy grid, up to which a ray is marched at
/// once. The grid has the largest of several densities in a cell, so that rays seldom end before.
MOTE_LANE float reach_of(float stop, float transmittance) {
  constexpr float kBeyond = 2;
  return kBeyond * thickness_to(stop, transmittance);
}

/// Adds the next sample. Returns its weight.
template <class F>
MOTE_LANE F add_sample(const SampleColor<F>& sample, RayColor<F>& ray) {
  const F weight = ray.transmittance * sample.opacity;
  for (int c = 0; c < 3; ++c) ray.color[c] = fma(weight, sample.color[c], ray.color[c]);
  ray.transmittance = ray.transmittance * (F(1.0f) - sample.opacity);
  return weight;
}

/// Factor on the colour of a ray that has ended, so that it counts as opaque: pictures, and losses,
/// do not depend on where rays end. A ray with the colour last = factor * color has
///   last = color + transmittance * last,
/// as if `last` were its background. So its vjp is that of add_sample_vjp() with this `last` and
/// with factor * d_last.
template <class F>
MOTE_LANE F opaque_factor(F transmittance) {
  return F(1.0f) / (F(1.0f) - transmittance);
}

/// A ray of a picture: its colour, and the depths that the picture shows.
struct DrawnColor {
  RayColor<float> color;
  float depth_sum = 0;     // of weight * depth
  float depth_median = 0;  // where half of the light is left
  std::uint32_t samples = 0;
};

MOTE_LANE void add_drawn_sample(const SampleColor<float>& sample, float depth, DrawnColor& ray) {
  const bool was_above = ray.color.transmittance > 0.5f;
  const float weight = add_sample(sample, ray.color);
  ray.depth_sum += weight * depth;
  if (was_above && ray.color.transmittance <= 0.5f) ray.depth_median = depth;
  ++ray.samples;
}

/// Makes a ray that has ended opaque.
MOTE_LANE void close_drawn(DrawnColor& ray) {
  if (ray.samples == 0) return;
  const float opaque = opaque_factor(ray.color.transmittance);
  for (float& channel : ray.color.color) channel *= opaque;
  ray.depth_sum *= opaque;
  ray.color.transmittance = 0;
}

inline constexpr float kNearDistance = 0.1f;         // field's units
inline constexpr float kNearGradient = 1e-4f / 128;  // of the mean loss of a ray

/// A gradient that lowers the density of samples close to the camera, so that no haze forms there.
/// Densities below e^-10 are low enough. `distance`: of the sample, field's units.
template <class F>
MOTE_LANE F near_density_gradient(F distance, F raw_density) {
  return keep((distance < F(kNearDistance)) & (raw_density > F(-10.0f)), F(kNearGradient));
}

/// Gradients by the outputs of the networks.
template <class F>
struct SampleGradient {
  F raw_density;
  F raw_color[3];
};

/// The vjp of a sample. `weight` and `after`: from add_sample(). `last`: the ray's final colour
/// with the background. `d_color`: dL/dlast.
template <bool HDR, class F>
MOTE_LANE SampleGradient<F> add_sample_vjp(const SampleColor<F>& sample, F weight,
                                           const RayColor<F>& after, const F (&last)[3],
                                           const F (&d_color)[3]) {
  SampleGradient<F> gradient;
  F along(0.0f);
  for (int c = 0; c < 3; ++c) {
    // A thicker sample shows more of its colour and hides the rest.
    const F rest = last[c] - after.color[c];
    along = fma(d_color[c], fma(after.transmittance, sample.color[c], -rest), along);
    gradient.raw_color[c] = field_color_vjp<HDR>(sample.color[c], d_color[c] * weight);
  }
  gradient.raw_density = sample.thickness * along;
  return gradient;
}

}  // namespace mote
