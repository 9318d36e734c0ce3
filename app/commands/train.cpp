// `mote train DATA`: trains a scene from photographs with poses and writes a run folder.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/commands/scene_loading.h"
#include "app/jobs/idle_options.h"
#include "app/jobs/inputs.h"
#include "app/jobs/run_config.h"
#include "app/jobs/seed_runs.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "devices/devices.h"
#include "io/images/own_file.h"
#include "train/run/run_cost.h"
#include "train/run/training_run.h"
#include "train/splats/initial_motion.h"

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
              .help = "folder for the results; default: DATA/output, or output beside a file",
              .aliases = {"-o", "--output", "--output-dir"},
              .placeholder = "DIR"})
        .add({.name = "resume",
              .target = &resume_,
              .help = R"(continue the run in the folder; its options are kept unless given again)"})
        .add({.name = "seeds",
              .target = &seeds_,
              .help = "repeat the run with this number of seeds, from --seed on, in the folders "
                      "seed_N, and print means and spreads of their evaluations",
              .minimum = 1,
              .maximum = 1000})
        .add({.name = "dry-run",
              .target = &dry_run_,
              .help = "estimate time and memory without training or writing anything"});
  }

  void run(const GlobalOptions& globals) override {
    seed_ = globals.seed;
    find_folder();
    const SeedFolder seeds(out_);
    const bool repeats = resume_ ? seeds.exists() : seeds_ > 1;
    check_repeats(seeds, repeats);
    resume_command_ = "mote train --resume -o '" + out_ + "'";
    repeats ? run_seeds(seeds, globals) : run_one(globals);
  }

 private:
  void run_one(const GlobalOptions& globals) {
    RunFolder folder(out_);
    if (resume_) take_up(folder);
    choose_end();
    const RunStart start = resume_       ? RunStart::resume
                           : globals.yes ? RunStart::replace
                                         : RunStart::fresh;
    check_options();
    if (!dry_run_) folder.check(start, inputs(globals));
    Material material = load(globals);
    if (dry_run_) {
      print_estimate(*material.backend, material.data, globals);
      return;
    }
    folder.open(start, files_of(material, globals));
    const RunEnd end = train(material, folder, seed_, resume_, globals);
    fmt::print("{}", globals.json ? end.stats : end.summary);
  }

  /// Throws for options and folders that do not fit to one run, or to several.
  void check_repeats(const SeedFolder& seeds, bool repeats) const {
    if (!repeats) {
      if (resume_ && given.contains("seeds") && seeds_ > 1) {
        throw Error("contains no runs of several seeds", out_,
                    "leave --seeds out, or start without --resume in another folder with -o");
      }
      if (!resume_ && seeds.exists()) {
        throw Error("contains runs of several seeds", out_,
                    "choose another folder with -o, or continue them with --resume");
      }
      return;
    }
    if (dry_run_) {
      throw UsageError("estimates one run", "--dry-run", "leave --seeds out");
    }
    if (RunFolder(out_).holds_run()) {
      throw Error("contains a run already", out_, "choose another folder with -o");
    }
  }

  /// Repeats the run in a folder a seed. Runs that are done stay.
  void run_seeds(const SeedFolder& folder, const GlobalOptions& globals) {
    const SeedList seeds = seeds_of(folder, globals);
    choose_end();
    check_options();
    if (!config_.run.eval) {
      throw UsageError("leaves nothing to compare", "--no-eval", "leave it or --seeds out");
    }
    own_file(folder.stats(), true);  // refuses a file of another program
    const bool is_longer = flags.contains("steps") || flags.contains("time-budget");
    const auto start = resume_       ? RunStart::resume
                       : globals.yes ? RunStart::replace
                                     : RunStart::fresh;
    for (int i = 0; i < seeds.count; ++i) {
      RunFolder(folder.run(seeds.at(i))).check(start, inputs(globals));
    }
    Material material = load(globals);
    const InputFiles files = files_of(material, globals);
    if (!resume_) clear_seeds(folder, seeds, start, files);
    make_folders(out_);
    folder.write(seeds, config_, globals.device, MOTE_VERSION);
    std::vector<int> done;
    std::vector<SeedScores> scores;
    for (int i = 0; i < seeds.count; ++i) {
      const int seed = seeds.at(i);
      if (is_longer || !folder.is_done(seed)) {
        log_info("seed {}, run {} of {}", seed, i + 1, seeds.count);
        RunFolder run(folder.run(seed));
        const bool goes_on = resume_ && run.holds_run();
        run.open(goes_on ? RunStart::resume : RunStart::fresh, files);
        train(material, run, seed, goes_on, globals);
      }
      done.push_back(seed);
      scores.push_back(
          seed_scores(nlohmann::json::parse(read_text_file(RunFolder(folder.run(seed)).stats()))));
    }
    const SeedComparison comparison = compare_seeds(std::move(done), std::move(scores));
    const std::string stats = seeds_json(comparison).dump(2) + "\n";
    OutputFile file(folder.stats(), own_file(folder.stats(), true));
    file.write(stats);
    file.commit();
    fmt::print("{}", globals.json ? stats : seeds_text(comparison));
  }

  /// The seeds that are asked for; when resuming, those of the folder and perhaps more.
  SeedList seeds_of(const SeedFolder& folder, const GlobalOptions& globals) {
    if (!resume_) {
      if (folder.exists() && !globals.yes) {
        throw Error("contains runs already", out_,
                    "continue them with --resume, replace them with -y, or choose another folder "
                    "with -o");
      }
      return {.first = seed_, .count = seeds_};
    }
    SeedList seeds = folder.read(&config_, given);
    if (given.contains("seed") && seed_ != seeds.first) {
      throw UsageError("the runs have the seeds " + seeds.text(), "--seed", "leave it out");
    }
    if (!given.contains("seeds")) return seeds;
    if (seeds_ < seeds.count) {
      throw UsageError(fmt::format("there are runs of {} seeds already", seeds.count), "--seeds",
                       "leave it out, or give a larger number to add runs");
    }
    seeds.count = seeds_;
    return seeds;
  }

  /// Removes the files of earlier runs, also of seeds that are not repeated now, and the list of
  /// seeds, so that no earlier run can be taken for one of the new options.
  void clear_seeds(const SeedFolder& folder, const SeedList& seeds, RunStart start,
                   const InputFiles& files) const {
    const auto clear = [&](int seed) {
      RunFolder run(folder.run(seed));
      run.open(start, files);
      run.clear();
    };
    if (folder.exists()) {
      const SeedList before = folder.read(nullptr, {});
      for (int i = 0; i < before.count; ++i) clear(before.at(i));
    }
    for (int i = 0; i < seeds.count; ++i) clear(seeds.at(i));
    for (const fs::path& file : {folder.stats(), folder.list()}) {
      if (files.holds(file)) refuse_input(file);
      std::error_code ignored;
      fs::remove(file, ignored);
    }
  }

  /// The data of one or several runs, on their device.
  struct Material {
    std::unique_ptr<Backend> backend;
    LoadedDataset data;
  };

  Material load(const GlobalOptions& globals) {
    Material material{
        make_backend(globals.device, {.threads = config_.threads, .isa = config_.isa}), {}};
    log_detail("{}", material.backend->description());
    material.data = load_with_progress(config_.data, config_.photographs(), globals);
    throw_if_interrupted();
    if (const std::string note = config_.settle_motion(material.data.dataset); !note.empty()) {
      log_info("{}", note);
    }
    const bool on_device =
        config_.plan()->device_memory(*material.backend, material.data.dataset, false).has_value();
    if (!resume_ && !on_device) {
      const std::string note = config_.settle_splat_memory(material.data);
      if (!note.empty()) log_info("{}", note);
    }
    warn_of_idle_options(*material.backend, material.data);
    return material;
  }

  InputFiles files_of(const Material& material, const GlobalOptions& globals) const {
    InputFiles files = inputs(globals);
    add_photographs(material.data.dataset, files);
    return files;
  }

  /// Trains in an open folder.
  RunEnd train(Material& material, RunFolder& folder, int seed, bool resume,
               const GlobalOptions& globals) {
    const auto plan = config_.plan();
    return run_training({.backend = *material.backend,
                         .data = material.data,
                         .train = config_.loop(),
                         .plan = *plan,
                         .run = config_.run,
                         .folder = folder,
                         .seed = static_cast<std::uint64_t>(seed),
                         .resume = resume,
                         .data_path = config_.data,
                         .config = config_.text(seed, globals.device, MOTE_VERSION),
                         .version = MOTE_VERSION,
                         .resume_command = resume_command_,
                         .progress = globals.progress_mode()});
  }

  void warn_of_idle_options(const Backend& backend, const LoadedDataset& data) const {
    const bool on_device = config_.plan()->device_memory(backend, data.dataset, false).has_value();
    const RunConditions conditions{config_, data.facts, on_device, has_moving_points(data.dataset)};
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
    if (given.contains("model")) {
      const auto run = RunConfig::of_run(folder.config());
      if (run && run->model != config_.model) {
        throw UsageError(fmt::format("the run trains {}, not {}", run->model, config_.model),
                         "--model", "leave it out, or start a run in another folder with -o");
      }
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
  std::string out_, resume_command_;
  bool resume_ = false, dry_run_ = false;
  int seed_ = 0, seeds_ = 1;
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
