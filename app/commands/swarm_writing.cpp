#include "app/commands/swarm_writing.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands/scene_loading.h"
#include "app/jobs/inputs.h"
#include "core/log.h"
#include "io/splats/scene_format.h"

namespace mote {

void SwarmWriting::describe(OptionTable& table) {
  table
      .add({.name = "splats",
            .target = &splats,
            .help = "swarm: number of splats",
            .minimum = 1,
            .maximum = 4e9})
      .add({.name = "scene-duration",
            .target = &plan.duration_s,
            .help = "swarm: length of the scene",
            .unit = "s",
            .minimum = 0.1,
            .maximum = 86400})
      .add({.name = "static-share",
            .target = &plan.static_share,
            .help = "swarm: share of the splats that stand still and are always there",
            .minimum = 0,
            .maximum = 1});
}

void write_swarm(const SwarmWriting& swarm, const std::string& out, int threads,
                 const GlobalOptions& globals) {
  const SceneExtension extension = scene_extension(out);
  if (extension.format == nullptr || extension.format->motion == SplatMotion::still) {
    throw UsageError("a swarm is written as a file that holds motion", out,
                     "give -o a name such as swarm.4dgs");
  }
  InputFiles inputs;
  inputs.add(globals.config);
  const Existing existing = named_output(out, globals.yes, inputs);
  synth::SwarmPlan plan = swarm.plan;
  plan.splats = static_cast<std::uint64_t>(swarm.splats);
  plan.seed = static_cast<std::uint32_t>(globals.seed);
  ThreadPool pool(threads);
  clear_leftovers(out);
  {
    Progress progress(globals.progress_mode(), "writing a swarm", 1, "");
    const SplatCloud cloud =
        synth::make_swarm(plan, pool, [&](double done) { progress.set(0.1 * done); });
    const ProgressCallback shown = shown_on(progress, 0.9);
    for (const std::string& warning : save_scene(cloud, out, existing, shown)) {
      log_warning("{}: {}", out, warning);
    }
  }
  if (globals.json) {
    const nlohmann::json result{{"out", out},
                                {"scene", kSwarmName},
                                {"splats", plan.splats},
                                {"duration_s", plan.duration_s}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} splats that live and move, {:.6g} s\n", out, plan.splats, plan.duration_s);
}

}  // namespace mote
