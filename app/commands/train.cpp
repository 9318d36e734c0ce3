// `mote train DATA`: trains a scene from photographs with poses and writes a run folder.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/commands/scene_loading.h"
#include "app/jobs/idle_options.h"
#include "app/jobs/inputs.h"
#include "app/jobs/run_config.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "devices/devices.h"
#include "train/run/run_cost.h"
#include "train/run/training_run.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class Train : public Command {
 public:
  void describe(OptionTable& table) override {
    config_.describe(table);
    table
        .add({.name = "out",
              .target = &out_,
              .help = "folder for the results; default: DATA/output",
              .aliases = {"-o", "--output", "--output-dir"},
              .placeholder = "DIR"})
        .add({.name = "resume",
              .target = &resume_,
              .help = R"(continue the run in the folder; its options are kept unless given again)"})
        .add({.name = "dry-run",
              .target = &dry_run_,
              .help = "estimate time and memory without training or writing anything"});
  }

  void run(const GlobalOptions& globals) override {
    seed_ = globals.seed;
    find_folder();
    RunFolder folder(out_);
    if (resume_) take_up(folder);
    choose_end();
    const RunStart start = resume_       ? RunStart::resume
                           : globals.yes ? RunStart::replace
                                         : RunStart::fresh;
    check_options();
    if (!dry_run_) folder.check(start, inputs(globals));
    const auto backend =
        make_backend(globals.device, {.threads = config_.threads, .isa = config_.isa});
    log_detail("{}", backend->description());
    LoadedDataset data = load_with_progress(config_.data, config_.photographs(), globals);
    throw_if_interrupted();
    if (const std::string note = config_.settle_motion(data.dataset); !note.empty()) {
      log_info("{}", note);
    }
    warn_of_idle_options(*backend, data);
    if (dry_run_) {
      print_estimate(*backend, data, globals);
      return;
    }
    InputFiles files = inputs(globals);
    add_photographs(data.dataset, files);
    folder.open(start, files);
    const auto plan = config_.plan();
    const RunEnd end = run_training({.backend = *backend,
                                     .data = data,
                                     .train = config_.loop(),
                                     .plan = *plan,
                                     .run = config_.run,
                                     .folder = folder,
                                     .seed = static_cast<std::uint64_t>(seed_),
                                     .resume = resume_,
                                     .data_path = config_.data,
                                     .config = config_.text(seed_, globals.device, MOTE_VERSION),
                                     .version = MOTE_VERSION,
                                     .resume_command = "mote train --resume -o '" + out_ + "'",
                                     .progress = globals.progress_mode()});
    fmt::print("{}", globals.json ? end.stats : end.summary);
  }

 private:
  void warn_of_idle_options(const Backend& backend, const LoadedDataset& data) const {
    const bool on_device = config_.plan()->device_memory(backend, data.dataset).has_value();
    const RunConditions conditions{config_, data.facts, on_device};
    for (const std::string& warning : idle_option_warnings(flags, conditions)) {
      log_warning("{}", warning);
    }
  }

  void find_folder() {
    if (!out_.empty()) return;
    if (config_.data.empty()) {
      throw UsageError("is missing", "DATA", "name a dataset, or with --resume a run by -o DIR");
    }
    const fs::path data = config_.data;
    std::error_code ignored;
    out_ = (fs::is_directory(data, ignored) ? data / "output" : data.parent_path() / "output")
               .string();
  }

  /// Reads the options of the run to resume. Options on the command line have priority.
  void take_up(const RunFolder& folder) {
    std::error_code ignored;
    if (!fs::exists(folder.config(), ignored)) {
      throw Error("contains no run to resume", out_, "start one without --resume");
    }
    const int seed = config_.read(folder.config(), given);
    if (!given.contains("seed")) seed_ = seed;
  }

  /// A run ends by steps or by time. --steps has priority over the time budget in a file.
  void choose_end() {
    if (!flags.contains("steps")) return;
    if (flags.contains("time-budget") && !config_.loop().time_budget.empty()) {
      throw UsageError("both are given, but only one can end a run", "--steps, --time-budget",
                       "give --steps or --time-budget");
    }
    config_.loop().time_budget.clear();
  }

  void check_options() {
    if (config_.data.empty()) {
      throw UsageError(
          "is missing", "DATA",
          "name a dataset: a folder with photographs and poses, or a mesh, an image or "
          "a volume");
    }
    config_.settle_model(given.contains("model"));
    config_.check();
    config_.make_paths_absolute();
  }

  /// The input files that are known before the dataset is read.
  InputFiles inputs(const GlobalOptions& globals) const {
    InputFiles files;
    for (const std::string& path : config_.inputs()) files.add(path);
    files.add(globals.config);
    return files;
  }

  void print_estimate(Backend& backend, LoadedDataset& data, const GlobalOptions& globals) const {
    log_info("{}", data.dataset.source);
    for (const std::string& note : data.dataset.notes) log_info("{}", note);
    for (const std::string& warning : data.dataset.warnings) log_warning("{}", warning);
    const auto plan = config_.plan();
    const RunCost cost = measure_run_cost({.backend = backend,
                                           .data = data,
                                           .train = config_.loop(),
                                           .plan = *plan,
                                           .run = config_.run,
                                           .seed = static_cast<std::uint64_t>(seed_)});
    for (const std::string& note : cost.remarks.notes) log_info("{}", note);
    for (const std::string& warning : cost.remarks.warnings) log_warning("{}", warning);
    fmt::print("{}", globals.json ? run_cost_json(cost).dump(2) + "\n" : run_cost_text(cost));
  }

  RunConfig config_;
  std::string out_;
  bool resume_ = false, dry_run_ = false;
  int seed_ = 0;
};

}  // namespace

extern const CommandEntry kTrainCommand{
    "train",
    "train a scene on photographs with poses, or a neural field on a mesh, an image or a volume",
    R"(DATA is a folder with a COLMAP model (sparse/0) and images, a folder with a transforms.json of
NeRF, instant-ngp or nerfstudio, or such a file. For photographs without poses see mote import.
A mesh (.obj, .ply, .stl, .glb) trains a signed distance field, an image (.exr, .png, .jpg) a
neural image, and a volume (.nvdb) a neural volume; see docs/fields.md.
The results are splat_N.ply or, of a neural field, field_N.ingp (the scene after N steps),
config.json, train.log, metrics.csv, metrics.svg, stats.json, cameras.json, checkpoints/ and
eval/step_N/. Ctrl-C saves a checkpoint and the scene; --resume continues from the newest
checkpoint.)",
    make_command<Train>};

}  // namespace mote
