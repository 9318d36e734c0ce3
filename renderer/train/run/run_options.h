#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// The output of a training run and its timing; it does not affect the model. The options table
/// yields flags and JSON keys (config.json).
struct RunOptions {
  bool eval = true, eval_pictures = true;
  std::vector<double> eval_steps{7000}, save_steps{7000};
  std::vector<std::string> exports;  // extensions besides .ply
  int checkpoint_every = 1000;       // steps; 0: only on Ctrl-C and at the end
  int metrics_every = 100;           // steps

  void describe(OptionTable& table);
  /// Throws UsageError for step counts that are not integers and for formats that cannot be
  /// written.
  void check() const;
};

}  // namespace mote
