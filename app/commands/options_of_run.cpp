#include "app/commands/options_of_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "train/run/run_folder.h"
#include "train/run/run_report.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Takes the options that name parts of a dataset from a run on the same dataset, but for those
/// that the user gave. A folder of --frame-cache has frames of any number of datasets.
void take_parts_of_dataset(const RunConfig& of_run, const EvaluationOptions& options) {
  const bool is_own = of_run.is_trained_on(options.config.data);
  const DatasetOptions usual;
  const DatasetOptions& from = is_own ? of_run.dataset : usual;
  std::vector<std::string> not_taken;
  const auto take = [&](const std::string& name, auto value) {
    if (options.given.contains(name)) return;
    options.config.dataset.*value = from.*value;
    if (from.*value != of_run.dataset.*value) not_taken.push_back("--" + name);
  };
  take("images", &DatasetOptions::images);
  take("masks", &DatasetOptions::masks);
  take("poses", &DatasetOptions::poses);
  take("test-cameras", &DatasetOptions::test_cameras);
  take("frame-rate", &DatasetOptions::frame_rate);
  take("time-range", &DatasetOptions::time_range);
  if (not_taken.empty()) return;
  options.notes.push_back(fmt::format("not taken from the run, which has another dataset: {}",
                                      fmt::join(not_taken, ", ")));
}

void note_size(const RunFolder& folder, const EvaluationOptions& options) {
  const DatasetOptions& dataset = options.config.dataset;
  if (options.given.contains("resize") || options.given.contains("max-resolution")) return;
  if (dataset.resize == 1 && dataset.max_resolution == 0) return;
  std::string size;
  if (dataset.resize != 1) size += fmt::format(" --resize {}", dataset.resize);
  if (dataset.max_resolution > 0)
    size += fmt::format(" --max-resolution {}", dataset.max_resolution);
  options.notes.push_back(
      fmt::format("photographs have the size of {}:{}", folder.config().string(), size));
}

/// Uses the background of the run in the folder, if there is one; a given colour has priority.
void take_background(const RunFolder& folder, const EvaluationOptions& options) {
  if (!options.background.empty()) return;
  const auto stats = read_run_stats(folder);
  if (!stats || !stats->background) return;
  options.background.assign(stats->background->begin(), stats->background->end());
  options.notes.push_back(fmt::format("the background is that of {}: {:.3g}",
                                      folder.stats().string(), fmt::join(options.background, ",")));
}

/// Takes the scene, the dataset with its options, and the background from the run.
void take_run(const RunFolder& folder, const EvaluationOptions& options) {
  const auto scene = folder.newest_scene();
  if (!scene) {
    throw Error("contains no model of a run, such as splat_N.ply", options.scene,
                "give a scene file, or the folder of a training run");
  }
  std::error_code ignored;
  if (fs::exists(folder.config(), ignored)) {
    RunConfig of_run;
    of_run.read(folder.config(), {});
    options.config.read(folder.config(), options.given);
    take_parts_of_dataset(of_run, options);
    note_size(folder, options);
  }
  take_background(folder, options);
  options.scene = scene->string();
}

/// Takes the test views, the size of the photographs and the choice of fits from the run in the
/// folder, if there is one.
void take_views_and_fits(const RunFolder& folder, const EvaluationOptions& options) {
  const auto of_run = RunConfig::of_run(folder.config());
  if (!of_run) return;
  const std::set<std::string>& given = options.given;
  RunConfig& config = options.config;
  config.loop().exposure = of_run->loop().exposure;
  config.loop().pose_opt = of_run->loop().pose_opt;
  config.loop().camera_clock = of_run->loop().camera_clock;
  if (!given.contains("test-every")) config.dataset.test_every = of_run->dataset.test_every;
  if (!given.contains("lens-mode")) config.dataset.lens_mode = of_run->dataset.lens_mode;
  if (!given.contains("light-mode")) config.dataset.light_mode = of_run->dataset.light_mode;
  if (!given.contains("test-choice")) config.dataset.test_choice = of_run->dataset.test_choice;
  if (!given.contains("test-moments")) config.dataset.test_moments = of_run->dataset.test_moments;
  take_parts_of_dataset(*of_run, options);
  if (!given.contains("frame-cache")) config.dataset.frame_cache = of_run->dataset.frame_cache;
  if (given.contains("resize") || given.contains("max-resolution")) return;
  config.dataset.resize = of_run->dataset.resize;
  config.dataset.max_resolution = of_run->dataset.max_resolution;
  note_size(folder, options);
}

}  // namespace

void take_options_of_run(const EvaluationOptions& options) {
  std::error_code ignored;
  if (fs::is_directory(options.scene, ignored)) return take_run(RunFolder(options.scene), options);
  const InputFile scene(options.scene);  // throws for a misspelt path, before a missing dataset
  const RunFolder folder(fs::path(options.scene).parent_path());
  take_background(folder, options);
  take_views_and_fits(folder, options);
}

}  // namespace mote
