#pragma once

#include <cstdint>
#include <functional>

#include "core/parallel.h"
#include "volumes/density_volume.h"

namespace mote::synth {

struct CloudPlan {
  int voxels = 128;  // along the longest side
  std::uint32_t seed = 42;
};

/// A cumulus: round heaps on a flat base, eroded by noise, with densities from 0 to 1. It is 2
/// world units long, with its centre near the origin; y points down. The same for the same plan and
/// any number of threads. `progress` gets the share that is done, 0 to 1. Throws Interrupted.
DensityVolume make_cloud(const CloudPlan& plan, ThreadPool& threads,
                         const std::function<void(double)>& progress);

}  // namespace mote::synth
