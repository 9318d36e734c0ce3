#pragma once

#include <string>

#include "app/cli/command.h"
#include "core/options.h"
#include "synth/cloud.h"

namespace mote {

inline constexpr const char* kCloudName = "cloud";

/// `mote synth cloud`: a volume, instead of a scene as a dataset.
struct CloudWriting {
  synth::CloudPlan plan;

  void describe(OptionTable& table);
};

/// Writes the cloud to the file `out` and prints its facts. `threads` = 0: all CPUs. Shows
/// progress. Throws UsageError for a name that is not one of a volume, Error for a file that exists
/// or cannot be written, and Interrupted.
void write_cloud(const CloudWriting& cloud, const std::string& out, int threads,
                 const GlobalOptions& globals);

}  // namespace mote
