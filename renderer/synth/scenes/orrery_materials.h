#pragma once

#include "synth/scene.h"

// What the things of the scene `orrery` are made of. Planets take unit directions from their
// centres that turn with them.

namespace mote::synth::orrery {

/// A walnut drum; its top is blue enamel with a map of stars and orbits in gold. World positions.
Surface drum(vec3 p);
/// Polished brass with a brushed grain around the vertical.
Surface brass(vec3 p);
/// A flat ring with a scale: (share of the turn, share around the section, 0).
Surface scale_ring(vec3 uv);
Surface sun(vec3 direction);
Surface rock(vec3 direction);
Surface marble(vec3 direction);
Surface sea_and_land(vec3 direction);
Surface rust(vec3 direction);
Surface banded(vec3 direction);
Surface pale_banded(vec3 direction);
/// Rings of dust, by share of the way from the inner edge to the outer in x.
Surface dust(vec3 share);

}  // namespace mote::synth::orrery
