#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "synth/bvh.h"
#include "synth/scene.h"

namespace mote::synth {

/// Irradiance at every vertex. It does not depend on the view and is computed once for all views.
struct LightCache {
  std::vector<vec3> key;   // from the key light
  std::vector<vec3> soft;  // from the dome, and from other surfaces over several bounces
};

/// Numbers of rays to gather light with.
struct LightQuality {
  int key_rays;                // towards the key light, per vertex
  std::vector<int> soft_rays;  // over the hemisphere, per vertex; one entry per bounce
};

/// Gathers light by path tracing from the vertices. Paths end in the light gathered by the previous
/// bounce. The light from the hemisphere is smoothed over neighbouring vertices. The result does
/// not depend on the number of threads. Throws Interrupted.
LightCache gather_light(const Scene& scene, const Bvh& bvh, const LightQuality& quality,
                        std::uint32_t seed, ThreadPool& threads);

}  // namespace mote::synth
