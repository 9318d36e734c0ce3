#pragma once

// A ray of a NeRF's picture while its samples are added.

#include <cstdint>

#include "cpu/ray_sheets.h"
#include "fields/applications/compositing.h"

namespace mote {

struct DrawnRay {
  int x = 0, y = 0;
  bool is_seen = true;         // false: the lens shows nothing there
  float depth_per_length = 0;  // view z, world units
  RayColor<float> color;
  float depth_sum = 0, depth_median = 0;
  std::uint32_t samples = 0;
  RaySheets sheets;

  /// The part of the light that is left.
  float light() const { return sheets.light * color.transmittance; }
  bool ended() const { return light() < kDrawingStop; }
  void begin_part() {
    color = {};
    depth_sum = depth_median = 0;
    samples = 0;
  }
};

inline void add_drawn_sample(const SampleColor<float>& sample, float depth, DrawnRay& ray) {
  const bool was_above = ray.color.transmittance > 0.5f;
  const float weight = add_sample(sample, ray.color);
  ray.depth_sum += weight * depth;
  if (was_above && ray.color.transmittance <= 0.5f) ray.depth_median = depth;
  ++ray.samples;
}

/// Makes a ray that has ended opaque.
inline void close_ray(DrawnRay& ray) {
  if (!ray.ended() || ray.samples == 0) return;
  const float opaque = opaque_factor(ray.color.transmittance);
  for (float& channel : ray.color.color) channel *= opaque;
  ray.depth_sum *= opaque;
  ray.color.transmittance = 0;
}

}  // namespace mote
