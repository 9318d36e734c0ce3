#pragma once

#include <set>
#include <string>

#include "app/cli/command.h"
#include "core/options.h"
#include "synth/rigs/rig_writer.h"

namespace mote {

/// `mote synth SCENE --rig arc`: a moving scene as several cameras film it.
struct RigWriting {
  std::string form = "none", layout = "d-nerf", truth = "test";
  synth::RigPlan plan;
  synth::RigRender render;

  void describe(OptionTable& table);
  bool is_asked() const { return form != "none"; }
  /// Throws UsageError for an option that rigs do not have, or one of rigs without a rig.
  void check(const std::set<std::string>& given) const;
};

/// Renders the rig into the folder `out` and prints its facts. Shows progress and stops on Ctrl-C.
/// The size, lens, seed, samples and points of the plan must be set. Throws UsageError for a scene
/// that does not move. `threads` = 0: all usable CPUs.
void write_rig(const RigWriting& writing, const std::string& scene, const std::string& out,
               int threads, const GlobalOptions& globals);

}  // namespace mote
