#include "train/run/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/spelling.h"
#include "io/splats/format_lists.h"

namespace mote {
namespace {

constexpr double kMostSteps = 1e9;

void check_steps(const std::vector<double>& steps, const std::string& flag) {
  for (const double step : steps) {
    if (step == std::floor(step)) continue;
    throw UsageError(fmt::format("{} is not a whole number", step), flag,
                     "give numbers of steps, as in 7000,30000");
  }
}

/// The extensions of writable scene formats, without dots.
std::vector<std::string> writable_extensions() {
  std::vector<std::string> names = format_extensions(FormatUse::write);
  for (std::string& name : names) name.erase(0, 1);
  return names;
}

}  // namespace

void LoopOptions::describe(OptionTable& table) {
  table
      .add({.name = "steps",
            .target = &steps,
            .help = "training steps; splats train on one photograph each, fields on rays of many",
            .aliases = {"-i", "--iterations", "--iter", "--iters", "--total-train-iters",
                        "--max-steps"},
            .minimum = 1,
            .maximum = 1e8})
      .add(
          {.name = "time-budget",
           .target = &time_budget,
           .help =
               R"(train for this time instead of --steps: 90s, 5m, 1h30m; all schedules are fitted to it, and the result depends on the machine's speed)",
           .placeholder = "TIME"})
      .add({.name = "background",
            .target = &background,
            .help = "colour behind the model; random: another colour in each step or ray",
            .aliases = {"--bg"},
            .placeholder = "black|white|random|learned|R,G,B"})
      .add({.name = "exposure",
            .target = &exposure,
            .help = "learn an exposure, an affine map of colour, for each photograph"})
      .add({.name = "camera-color",
            .target = &camera_color,
            .help = "learn a correction of colour for each camera of a dataset that names them; "
                    "auto: for a moving scene, without --exposure",
            .choices = {"auto", "on", "off"}})
      .add({.name = "camera-clock",
            .target = &camera_clock,
            .help = "moving splats: learn an offset of the clock of each camera of a dataset that "
                    "names them"})
      .add({.name = "clock-search",
            .target = &clock_search,
            .help = "with --camera-clock: before clocks are learned, search for offsets of up to "
                    "this many frames of a camera; 0: no search",
            .unit = "frames",
            .minimum = 0,
            .maximum = 1000,
            .zero = "off"})
      .add({.name = "pose-opt",
            .target = &pose_opt,
            .help = "correct the poses of the training photographs"})
      .add({.name = "ssim-weight",
            .target = &ssim_weight,
            .help = "share of 1 - SSIM in the loss of splats; the rest is L1",
            .aliases = {"--lambda-dssim", "--ssim-lambda"},
            .minimum = 0,
            .maximum = 1})
      .add({.name = "resolution-schedule",
            .target = &resolution_schedule,
            .help = "number of times that the photographs are halved at the start",
            .aliases = {"--num-downscales"},
            .minimum = 0,
            .maximum = 4})
      .add({.name = "resolution-until",
            .target = &resolution_until,
            .help = "fraction of the run after which photographs have full resolution",
            .minimum = 0,
            .maximum = 1,
            .group = "Advanced"})
      .add({.name = "motion-parts",
            .target = &motion_parts,
            .help = "moving splats, cameras at rest: share of the steps on parts of photographs in "
                    "which something moves",
            .minimum = 0,
            .maximum = 1})
      .add({.name = "motion-parts-from",
            .target = &motion_parts_from,
            .help = "fraction of the run after which there are such steps",
            .minimum = 0,
            .maximum = 1,
            .group = "Advanced"});
  correction_rates.describe(table);
}

void CorrectionRates::describe(OptionTable& table) {
  const auto add = [&](const char* name, double& target, const char* help) {
    table.add({.name = name,
               .target = &target,
               .help = help,
               .minimum = 0,
               .maximum = 10,
               .group = "Advanced"});
  };
  add("exposure-lr", exposure, "learning rate of exposures");
  add("pose-lr", pose, "learning rate of poses, in radians and in extents of the scene");
  add("background-lr", background, "learning rate of a learned background");
  add("clock-lr", clock,
      "learning rate of clocks in a run of 30,000 steps, s; shorter runs have larger ones");
}

void RunOptions::describe(OptionTable& table) {
  constexpr const char* kGroup = "Output";
  const auto add = [&](Option option) {
    option.group = kGroup;
    table.add(std::move(option));
  };
  add({.name = "eval",
       .target = &eval,
       .help = "evaluate the test views at --eval-steps and at the end"});
  add({.name = "eval-steps",
       .target = &eval_steps,
       .help = "additional steps after which to evaluate",
       .minimum = 1,
       .maximum = kMostSteps,
       .placeholder = "N,..."});
  add({.name = "eval-pictures",
       .target = &eval_pictures,
       .help = "write the pictures of evaluations"});
  add({.name = "save-steps",
       .target = &save_steps,
       .help = "steps after which to write the model; it is always written at the end",
       .minimum = 1,
       .maximum = kMostSteps,
       .placeholder = "N,..."});
  add({.name = "export",
       .target = &exports,
       .help = "additional formats of the final model, by extension",
       .placeholder = "spz,..."});
  add({.name = "checkpoint-every",
       .target = &checkpoint_every,
       .help = "steps between checkpoints; 0: only on Ctrl-C and at the end",
       .unit = "steps",
       .minimum = 0,
       .maximum = kMostSteps,
       .zero = "at the end"});
  add({.name = "metrics-every",
       .target = &metrics_every,
       .help = "steps between lines of metrics.csv",
       .unit = "steps",
       .minimum = 1,
       .maximum = kMostSteps});
}

void RunOptions::check() const {
  check_steps(eval_steps, "--eval-steps");
  check_steps(save_steps, "--save-steps");
  const std::vector<std::string> writable = writable_extensions();
  for (const std::string& extension : exports) {
    if (std::find(writable.begin(), writable.end(), extension) != writable.end()) continue;
    throw UsageError("'" + extension + "' is not a format that Mote writes", "--export",
                     "give " + listed(writable));
  }
}

}  // namespace mote
