#include "app/commands/cloud_writing.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/jobs/inputs.h"
#include "io/volumes/volume_file.h"

namespace mote {

void CloudWriting::describe(OptionTable& table) {
  table.add({.name = "voxels",
             .target = &plan.voxels,
             .help = "cloud: voxels along the longest side",
             .minimum = 16,
             .maximum = 1024});
}

void write_cloud(const CloudWriting& cloud, const std::string& out, int threads,
                 const GlobalOptions& globals) {
  if (std::filesystem::path(out).extension() != ".nvdb") {
    throw UsageError("a cloud is written as a .nvdb file", out,
                     "give -o a name such as cloud.nvdb");
  }
  InputFiles inputs;
  inputs.add(globals.config);
  const Existing existing = named_output(out, globals.yes, inputs);
  synth::CloudPlan plan = cloud.plan;
  plan.seed = static_cast<std::uint32_t>(globals.seed);
  ThreadPool pool(threads);
  const DensityVolume volume = [&] {
    Progress progress(globals.progress_mode(), "making a cloud", 1, "");
    return synth::make_cloud(plan, pool, [&](double done) { progress.set(done); });
  }();
  clear_leftovers(out);
  write_volume(volume, out, existing);
  const glm::ivec3 size = volume.last_voxel() - volume.first_voxel() + 1;
  if (globals.json) {
    const nlohmann::json result{
        {"out", out}, {"scene", kCloudName}, {"voxels", {size.x, size.y, size.z}}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: a cloud of {}x{}x{} voxels\n", out, size.x, size.y, size.z);
}

}  // namespace mote
