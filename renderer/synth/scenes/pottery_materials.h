#pragma once

#include "synth/scene.h"

// The materials of the scene `pottery`. All take world positions unless a parameter says otherwise.

namespace mote::synth::pottery {

/// Glazed tiles in blue, white and ochre on top, oiled oak at the side.
Surface plinth(vec3 p);
/// Speckled stoneware with a teal glaze that runs down in drips; p relative to the foot of the
/// vase.
Surface vase(vec3 p);
/// White porcelain painted in cobalt; p relative to the foot of the bowl.
Surface bowl(vec3 p);
Surface brass(vec3 p);
Surface wax(vec3 p);
/// Willow, by (along, across, number of the rod).
Surface wicker(vec3 along_across_number);
Surface lemon(vec3 p);
Surface plum(vec3 p);
/// A round leaf, by (u around its edge, v from stalk to tip, number of the leaf).
Surface leaf(vec3 uv_number);
Surface stem(vec3 p);
/// Woven linen with stripes, by (across, along, side) in world lengths.
Surface linen(vec3 across_along);

}  // namespace mote::synth::pottery
