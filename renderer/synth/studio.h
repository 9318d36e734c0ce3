#pragma once

#include "synth/scene.h"

namespace mote::synth {

/// Light and colours of a photo studio. Colours are linear radiances.
struct Studio {
  vec3 floor_albedo{0.5f};
  float floor_height = 0;  // world
  vec3 horizon{0.4f}, zenith{0.4f};
  vec3 overhead{1.0f};  // a large soft light above, visible in reflections
  vec3 fill{0.5f};      // a strip of light opposite to the key
  vec3 key_position{-2, -2, 3}, key_radiance{20};
  float key_size = 1.4f;  // side length, world
};

/// Adds floor, dome and lights. Must precede all other materials.
void add_studio(Scene& scene, const Studio& studio);

}  // namespace mote::synth
