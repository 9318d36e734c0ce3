#include "app/commands/rig_writing.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/jobs/shared_options.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace mote {
namespace {

constexpr const char* kRigOptions[] = {"cameras", "frames",       "frame-rate",   "layout",
                                       "truth",   "clock-jitter", "color-jitter", "lens-jitter",
                                       "noise",   "crf",          "fresh-noise"};
constexpr const char* kViewOptions[] = {"views", "test-views",      "moving",         "background",
                                        "hdr",   "exposure-jitter", "rolling-shutter"};

std::vector<std::string> layout_names() {
  std::vector<std::string> names;
  for (const synth::RigLayoutEntry* entry : synth::rig_layouts()) names.emplace_back(entry->name);
  return names;
}

synth::Truth truth_named(const std::string& name) {
  return name == "none"  ? synth::Truth::none
         : name == "all" ? synth::Truth::all
                         : synth::Truth::test;
}

}  // namespace

void RigWriting::describe(OptionTable& table) {
  const std::string group = "Rigs";
  table
      .add({.name = "rig",
            .target = &form,
            .help = "film a moving scene with several still cameras: on an arc before it or on a "
                    "dome around it; the camera in the middle, cam00, is for testing",
            .choices = {"none", "arc", "dome"},
            .group = group})
      .add({.name = "cameras",
            .target = &plan.cameras,
            .help = "number of cameras",
            .minimum = 2,
            .maximum = 1000,
            .group = group})
      .add({.name = "frames",
            .target = &plan.frames,
            .help = "frames of each camera",
            .minimum = 1,
            .maximum = 100000,
            .group = group})
      .add({.name = "frame-rate",
            .target = &plan.frames_per_second,
            .help = "frames of each camera in a second",
            .unit = "frames/s",
            .minimum = 0.1,
            .maximum = 10000,
            .group = group})
      .add({.name = "layout",
            .target = &layout,
            .help = "form of the dataset",
            .choices = layout_names(),
            .group = group})
      .add({.name = "truth",
            .target = &truth,
            .help = "cameras with exact depth, normals, masks, flow and scene flow",
            .choices = {"test", "all", "none"},
            .group = group})
      .add({.name = "clock-jitter",
            .target = &plan.clock_jitter,
            .help = "largest offset of the training cameras' clocks",
            .unit = "frames",
            .minimum = 0,
            .maximum = 100,
            .group = group})
      .add({.name = "color-jitter",
            .target = &plan.color_jitter,
            .help = "standard deviation of the training cameras' colour matrices",
            .minimum = 0,
            .maximum = 0.5,
            .group = group})
      .add({.name = "lens-jitter",
            .target = &plan.lens_jitter,
            .help = "standard deviation of the cameras' focal lengths, as a share, and of their k1",
            .minimum = 0,
            .maximum = 0.2,
            .group = group})
      .add({.name = "noise",
            .target = &plan.noise,
            .help = "standard deviation of the noise of the pictures, of display values 0 to 1",
            .minimum = 0,
            .maximum = 0.5,
            .group = group})
      .add({.name = "crf",
            .target = &render.crf,
            .help = "quality of videos: 1 (best) to 51 (smallest file)",
            .minimum = 1,
            .maximum = 51,
            .group = group})
      .add({.name = "fresh-noise",
            .target = &render.fresh_noise,
            .help = "new sample points in each frame; otherwise still pixels keep theirs, so that "
                    "the noise of rendering does not flicker",
            .group = group});
}

void RigWriting::check(const std::set<std::string>& given) const {
  if (is_asked()) {
    for (const char* option : kViewOptions) {
      if (!given.contains(option)) continue;
      throw UsageError("is for datasets of single views, but --rig is given",
                       std::string("--") + option, "leave it out");
    }
    return;
  }
  for (const char* option : kRigOptions) {
    if (!given.contains(option)) continue;
    throw UsageError("is for rigs", std::string("--") + option,
                     "add --rig arc or --rig dome, or leave it out");
  }
}

void write_rig(const RigWriting& writing, const std::string& scene, const std::string& out,
               int threads, const GlobalOptions& globals) {
  const synth::SceneEntry& entry = synth::scene_named(scene);
  if (!entry.moves) {
    throw UsageError("nothing moves in this scene", scene,
                     "choose another one, or leave out --rig");
  }
  const synth::RigLayoutEntry& layout = synth::rig_layout_named(writing.layout);
  synth::RigPlan plan = writing.plan;
  plan.form = writing.form == "dome" ? synth::RigForm::dome : synth::RigForm::arc;
  synth::RigRender render = writing.render;
  render.truth = truth_named(writing.truth);
  const auto start = std::chrono::steady_clock::now();
  ThreadPool pool(threads);
  const double pictures = static_cast<double>(plan.cameras) * plan.frames;
  synth::RigSummary summary;
  {
    Progress progress(globals.progress_mode(), "rendering " + scene, pictures, "pictures");
    summary = synth::write_rig(entry, plan, render, layout, out, pool,
                               [&](double done) { progress.set(done); });
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (globals.json) {
    const nlohmann::json result{{"out", out},
                                {"scene", scene},
                                {"layout", writing.layout},
                                {"cameras", plan.cameras},
                                {"frames", plan.frames},
                                {"frames_per_second", plan.frames_per_second},
                                {"width", plan.width},
                                {"height", plan.height},
                                {"points", summary.points},
                                {"triangles", summary.triangles},
                                {"seconds", elapsed.count()}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} cameras, {} frames each, {}x{}, {} points, in {}\n", out, plan.cameras,
             plan.frames, plan.width, plan.height, summary.points, short_duration(elapsed.count()));
}

}  // namespace mote
