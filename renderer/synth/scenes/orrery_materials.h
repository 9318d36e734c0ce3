#pragma once

#include "synth/scene.h"

// The materials of the scene `orrery`. Those of planets take unit directions from the centre that
// rotate with the planet.

namespace mote::synth::orrery {

/// A walnut drum; its top is blue enamel with a map of stars and orbits in gold. World positions.
Surface drum(vec3 p);
/// Polished brass with a brushed grain around the vertical.
Surface brass(vec3 p);
/// A flat ring with a scale: (fraction of the circle, fraction around the section, 0).
Surface scale_ring(vec3 uv);
Surface sun(vec3 direction);
Surface rock(vec3 direction);
Surface marble(vec3 direction);
Surface sea_and_land(vec3 direction);
Surface rust(vec3 direction);
Surface banded(vec3 direction);
Surface pale_banded(vec3 direction);
/// Rings of dust. x: fraction of the way from the inner to the outer edge.
Surface dust(vec3 share);

}  // namespace mote::synth::orrery
