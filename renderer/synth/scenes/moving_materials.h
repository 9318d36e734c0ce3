#pragma once

#include "synth/scene.h"

// Materials of the moving scenes. All but `water` and `glow` have fine texture, which tells moving
// surfaces from still ones.

namespace mote::synth::moving {

Surface planks(vec3 p);   // a table or a floor, world positions
Surface tiles(vec3 p);    // coloured tiles in all three axes
Surface plaster(vec3 p);  // a wall with a pattern of lozenges
Surface enamel(vec3 p);   // painted metal with worn spots
Surface steel(vec3 p);    // brushed metal
Surface water(vec3 p);
Surface drop(vec3 p);  // droplets
/// A cube or ball with bands, dots and a grain in two colours.
Material patterned(vec3 first, vec3 second, float scale);
/// A striped cloth with an emblem; x, y: place, 0 to 1.
Surface cloth(vec3 uv);
/// Translucent looking sweet with fruit in it, at rest positions.
Surface jelly(vec3 p);
/// A shining surface.
Material glow(vec3 radiance);

}  // namespace mote::synth::moving
