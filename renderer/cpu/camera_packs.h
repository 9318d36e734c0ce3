#pragma once

#include "cpu/kernels.h"
#include "lanes/pack.h"
#include "primitives/gaussian_view.h"

namespace mote::MOTE_ISA {

/// The camera of a projection, the same in all lanes.
MOTE_LANE ViewCamera<Pack> camera_packs(const ProjectParams& p) {
  const float* r = p.cam_from_world;
  return {{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}},
          {p.translation[0], p.translation[1], p.translation[2]},
          {p.position_world[0], p.position_world[1], p.position_world[2]},
          make_pinhole<Pack>(p.focal_x, p.focal_y, p.center_x, p.center_y, p.width, p.height)};
}

}  // namespace mote::MOTE_ISA
