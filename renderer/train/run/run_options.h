#pragma once

// Options of a run that are the same for every model: its loop and its output.

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// Learning rates of Adam for corrections of photographs and for the background.
struct CorrectionRates {
  double exposure = 1e-3;
  double pose = 1e-4;  // radians, and scene extents
  double background = 1e-2;
  double clock = 1e-4;  // s, in a run of 30,000 steps

  void describe(OptionTable& table);
};

/// Options of training that every model has. The options of a model extend them; one table
/// describes both.
struct LoopOptions {
  int steps = 30000;
  // "5m", "90s", "1h30m"; empty: the number of steps ends the run
  std::string time_budget;
  std::string background = "black";  // black, white, random, learned, or r,g,b in 0..1
  bool exposure = false, pose_opt = false;
  std::string camera_color = "auto";  // "auto", "on" or "off": colour correction of each camera
  bool camera_clock = false;
  int clock_search = 0;  // largest offset of a search for clocks, frames; 0: none
  double ssim_weight = 0.2;
  int resolution_schedule = 0;      // initial number of halvings
  double resolution_until = 0.3;    // fraction of the run after which photographs have full size
  double motion_parts = 0;          // share of the steps on parts of photographs, see MotionParts
  double motion_parts_from = 0.25;  // fraction of the run before them
  CorrectionRates correction_rates;
  /// Folder of files that live no longer than the process; empty: that for temporary files. Not an
  /// option.
  std::string scratch_folder;
  bool resumes = false;  // the run is restored before its first step; not an option

  void describe(OptionTable& table);
};

/// The output of a training run and its timing; it does not affect the model. The options table
/// yields flags and JSON keys (config.json).
struct RunOptions {
  bool eval = true, eval_pictures = true;
  std::vector<double> eval_steps{7000}, save_steps{7000};
  std::vector<std::string> exports;  // extensions of additional files
  int checkpoint_every = 1000;       // steps; 0: only on Ctrl-C and at the end
  int metrics_every = 100;           // steps

  void describe(OptionTable& table);
  /// Throws UsageError if a step count is not an integer or a format cannot be written.
  void check() const;
};

}  // namespace mote
