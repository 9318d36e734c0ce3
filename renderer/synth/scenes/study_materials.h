#pragma once

#include "synth/scene.h"

// The materials of `study`. Positions are world, metres.

namespace mote::synth::study {

inline constexpr float kHalfLength = 2.6f, kHalfWidth = 2.1f, kHeight = 2.6f;  // of the room

Surface floor(vec3 p);
Surface rug(vec3 p);
Surface walls(vec3 p);
Surface ceiling(vec3 p);
Surface paint(vec3 p);      // of window frames and door
Surface dark_wood(vec3 p);  // of furniture
Surface cloth(vec3 p);      // of sofa and armchair
Surface curtain(vec3 p);
Surface book(vec3 p);     // x: number of the book, y: across its back, z: along its back, 0 to 1
Surface picture(vec3 p);  // x, y: place, 0 to 1; z: number
Surface gilt(vec3 p);
Surface brass(vec3 p);
Surface porcelain(vec3 p);  // relative to the vase
Surface globe(vec3 p);      // relative to its centre
Surface leaf(vec3 p);       // along the leaf: y, 0 to 1
Surface clay(vec3 p);
Surface lantern(vec3 p);  // y: from the bottom to the top, 0 to 1; shines
Surface shade(vec3 p);    // of lamps; shines
/// The garden and the sky, by the position on a large sphere around the room; shines.
Surface outdoors(vec3 p);

}  // namespace mote::synth::study
