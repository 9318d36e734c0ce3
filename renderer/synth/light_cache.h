#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "synth/bvh.h"
#include "synth/scene.h"

namespace mote::synth {

/// Irradiance at every vertex: what does not depend on the view is gathered once for all views.
struct LightCache {
  std::vector<vec3> key;   // from the key light
  std::vector<vec3> soft;  // from the dome and, over several bounces, from other surfaces
};

struct LightQuality {
  int key_rays;                // towards the key light, a vertex
  std::vector<int> soft_rays;  // over the hemisphere, a vertex; one number a bounce
};

/// Gathers by path tracing from the vertices, where paths end in what the bounce before has
/// gathered, and smooths what comes from the hemisphere over neighbouring vertices. The same for
/// any number of threads. Throws Interrupted.
LightCache gather_light(const Scene& scene, const Bvh& bvh, const LightQuality& quality,
                        std::uint32_t seed, ThreadPool& threads);

}  // namespace mote::synth
