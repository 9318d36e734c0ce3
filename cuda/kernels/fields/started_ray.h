#pragma once

// The march of a ray before its first sample, for kernels.

#include "cuda/kernels/fields/ray_march.h"
#include "cuda/runtime/dialect.h"

namespace mote::cuda {

/// `settings`: not within a box.
MOTE_DEVICE RayMarch started_march(const MarchSettings& settings, const OccupiedBox& box,
                                   const RayStart& start) {
  RayMarch ray{};
  if (start.is_ray == 0) return ray;
  ray = begin_march(settings, {start.origin[0], start.origin[1], start.origin[2]},
                    {start.direction[0], start.direction[1], start.direction[2]}, start.jitter);
  if (!ray.done()) keep_in_box(settings, box, ray);
  shorten_march(settings, start.t, start.t_end, ray);
  return ray;
}

}  // namespace mote::cuda
