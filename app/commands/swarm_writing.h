#pragma once

#include <string>

#include "app/cli/command.h"
#include "core/options.h"
#include "synth/swarm.h"

namespace mote {

inline constexpr const char* kSwarmName = "swarm";

/// `mote synth swarm`: splats that move, instead of a scene as a dataset.
struct SwarmWriting {
  double splats = 200000;
  synth::SwarmPlan plan;

  void describe(OptionTable& table);
};

/// Writes the splats to the file `out` and prints its facts. `threads` = 0: all CPUs. Shows
/// progress. Throws UsageError for a file that does not hold motion, Error for a file that exists
/// or cannot be written, and Interrupted.
void write_swarm(const SwarmWriting& swarm, const std::string& out, int threads,
                 const GlobalOptions& globals);

}  // namespace mote
