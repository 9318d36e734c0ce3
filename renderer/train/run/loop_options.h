#pragma once

#include <string>

#include "core/options.h"

namespace mote {

/// Learning rates of Adam for corrections of photographs and for the background.
struct CorrectionRates {
  double exposure = 1e-3;
  double pose = 1e-4;  // radians, and scene extents
  double background = 1e-2;

  void describe(OptionTable& table);
};

/// Options of training that every model has. The options of a model add its own, and describe all
/// of them in one table.
struct LoopOptions {
  int steps = 30000;
  // "5m", "90s", "1h30m"; empty: the number of steps ends the run
  std::string time_budget;
  std::string background = "black";  // black, white, random, learned, or r,g,b in 0..1
  bool exposure = false, pose_opt = false;
  double ssim_weight = 0.2;
  int resolution_schedule = 0;    // initial number of halvings
  double resolution_until = 0.3;  // fraction of the run after which photographs have full size
  CorrectionRates correction_rates;
};

}  // namespace mote
