// `mote bench SCENE`: frame times, their stages, and the cost of a close-up.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/commands/render_setup.h"
#include "app/jobs/bench_report.h"
#include "app/jobs/bench_run.h"
#include "app/jobs/inputs.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "devices/devices.h"

namespace mote {
namespace {

constexpr ImageSize kDefaultSize{3840, 2160};
constexpr std::string_view kStandardOutput = "-";

class Bench : public Command {
 public:
  Bench() {
    options_.orbit = 12;
    options_.size = fmt::format("{}x{}", kDefaultSize.width, kDefaultSize.height);
  }

  void describe(OptionTable& table) override {
    options_.describe(table);
    effort_.describe(table);
    table
        .add({.name = "path",
              .target = &path_,
              .help = "views to measure; auto uses --cameras if given, else an orbit",
              .choices = {"auto", "orbit", "cameras"}})
        .add({.name = "download",
              .target = &download_,
              .help = R"(copy each frame from the GPU to the host, as for writing pictures)"})
        .add({.name = "json",
              .target = &json_,
              .help = "write the numbers as JSON, to standard output without FILE",
              .placeholder = "FILE",
              .implied = std::string(kStandardOutput)});
  }

  void run(const GlobalOptions& globals) override {
    choose_path();
    if (globals.json && json_.empty()) json_ = std::string(kStandardOutput);
    if (writes_file()) {
      existing_ = named_output(json_, globals.yes, inputs(globals));
      const OutputFile trial(json_, existing_);
    }
    options_.usual_orbit = !given.contains("orbit");
    options_.given = given;
    const std::uint64_t free_before = free_memory(globals.device);
    RenderSetup setup = set_up_rendering(options_, kDefaultSize, globals);
    setup.settings.outputs.picture = download_;
    setup.settings.outputs.stage_times = true;
    BenchReport report = described(setup);
    const BenchPlan plan{.model = *setup.model,
                         .device = setup.backend->description(),
                         .settings = setup.settings,
                         .views = setup.views,
                         .closeup = setup.closeup,
                         .effort = effort_};
    measure(plan, globals, report);
    const std::uint64_t free_after = free_memory(globals.device);
    report.device_memory_bytes = free_before - std::min(free_before, free_after);
    publish(report);
  }

 private:
  bool writes_file() const { return !json_.empty() && json_ != kStandardOutput; }

  InputFiles inputs(const GlobalOptions& globals) const {
    InputFiles files;
    add_scene(options_.scene, files);
    files.add(globals.config);
    if (!options_.cameras.empty()) add_cameras(options_.cameras, files);
    return files;
  }

  void choose_path() {
    if (path_ == "cameras" && options_.cameras.empty()) {
      throw UsageError("needs cameras", "--path cameras", "give --cameras PATH");
    }
    if (path_ == "orbit") {
      options_.cameras.clear();
      options_.frame_rate = 0;  // of the cameras
    }
    if (!options_.cameras.empty()) options_.orbit = 0;
    if (options_.cameras.empty() && options_.orbit == 0) {
      throw UsageError("leaves no view to measure", "--orbit 0", "give 1 or more");
    }
  }

  /// Free memory of all GPUs of the kind that `device` names; 0 for another device. GPUs report
  /// only free memory, so memory taken by other processes meanwhile is counted as ours.
  static std::uint64_t free_memory(std::string_view device) {
    std::uint64_t bytes = 0;
    for (const BackendEntry& entry : backends()) {
      if (entry.list == nullptr || device.substr(0, device.find(':')) != entry.name) continue;
      for (const GpuDescription& gpu : entry.list()) bytes += gpu.free_bytes;
    }
    return bytes;
  }

  BenchReport described(const RenderSetup& setup) const {
    BenchReport report;
    report.scene = options_.scene;
    report.format = setup.format;
    report.path = options_.cameras.empty() ? "orbit" : options_.cameras;
    report.count = setup.count;
    report.counted = setup.counted;
    report.sh_degree = setup.detail;
    report.build = MOTE_BUILD;
    return report;
  }

  static void measure(const BenchPlan& plan, const GlobalOptions& globals, BenchReport& report) {
    Progress progress(globals.progress_mode(), "measuring", static_cast<double>(frame_count(plan)),
                      "frames");
    const auto before = [&](std::size_t done) {
      throw_if_interrupted();
      progress.set(static_cast<double>(done));
    };
    measure_frames(plan, before, report);
  }

  void publish(const BenchReport& report) const {
    if (json_ != kStandardOutput) fmt::print("{}", report_text(report));
    if (json_.empty()) return;
    const std::string text =
        report_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (json_ == kStandardOutput) {
      fmt::print("{}", text);
    } else {
      OutputFile file(json_, existing_);
      file.write(text);
      file.commit();
    }
  }

  RenderOptions options_;
  BenchEffort effort_;
  bool download_ = false;
  std::string path_ = "auto", json_;
  Existing existing_ = Existing::keep;
};

}  // namespace

extern const CommandEntry kBenchCommand{
    "bench", "frame times of a scene, by stage",
    R"(Frame times cover all frames of all views; percentiles interpolate linearly between ranks.
Frames stay on the GPU unless --download is given. `its stages` is the time from the start of
the first stage to the end of the last, by the device's clock if it has one. The close-up is
just in front of the surface in the centre of the scene and is reported separately. Rates are
work divided by the wall time of a stage; evaluations are splat-pixel pairs, including masked
lanes.)",
    make_command<Bench>};

}  // namespace mote
