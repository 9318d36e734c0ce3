#pragma once

// A ray of a NeRF's picture while its samples are added.

#include <cstdint>

#include "cpu/ray_sheets.h"
#include "fields/applications/compositing.h"

namespace mote {

struct DrawnRay : DrawnColor {
  int x = 0, y = 0;
  bool is_seen = true;         // false: the lens shows nothing there
  float depth_per_length = 0;  // view z, world units
  RaySheets sheets;

  /// The part of the light that is left.
  float light() const { return sheets.light * color.transmittance; }
  bool ended() const { return light() < kDrawingStop; }
  void begin_part() { static_cast<DrawnColor&>(*this) = {}; }
};

/// Makes a ray that has ended opaque.
inline void close_ray(DrawnRay& ray) {
  if (ray.ended()) close_drawn(ray);
}

}  // namespace mote
