#pragma once

#include "synth/scene.h"

namespace mote::synth::study {

/// Adds the garden, the sun, and the empty room with its windows, curtains and rug. Must precede
/// all other materials, since the garden is the backdrop.
void add_room(Scene& scene);

}  // namespace mote::synth::study
