#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// What a training run leaves behind and when; it does not change the splats. The options table
/// yields flags and JSON keys (config.json).
struct RunOptions {
  bool eval = true, eval_pictures = true;
  std::vector<double> eval_steps{7000}, save_steps{7000};
  std::vector<std::string> exports;  // extensions besides .ply
  int checkpoint_every = 1000;       // steps; 0: on Ctrl-C and at the end only
  int metrics_every = 100;           // steps

  void describe(OptionTable& table);
  /// Throws UsageError for steps that are not whole and for formats that cannot be written.
  void check() const;
};

}  // namespace mote
