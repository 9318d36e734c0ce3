#pragma once

#include <cstdint>
#include <functional>

#include "core/parallel.h"
#include "splats/splat_cloud.h"

namespace mote::synth {

/// Statistics of a long moving scene, for measurements of streaming.
struct SwarmPlan {
  std::uint64_t splats = 200000;
  double duration_s = 20;
  double static_share = 0.25;
  double shortest_life_s = 0.1, longest_life_s = 3;
  int sh_degree = 0;
  std::uint32_t seed = 42;
};

/// Splats with the motion `life` over a round floor of radius 4 world units; y points down. A share
/// is static; the lives of the others are as long as their visible time, log-uniform between the
/// bounds, and their middles are spread evenly over the scene. A quarter of these lives has a
/// plateau of half the life. The same for the same plan and any number of threads. `progress` gets
/// the share that is done, 0 to 1, and may throw to stop.
SplatCloud make_swarm(const SwarmPlan& plan, ThreadPool& threads,
                      const std::function<void(double)>& progress);

}  // namespace mote::synth
