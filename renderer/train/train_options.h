#pragma once

#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// Everything that decides what training does with a dataset, apart from the dataset and the
/// device. The options table yields flags, JSON keys (config.json) and rows of the control panel.
struct TrainOptions {
  int steps = 30000;
  std::string strategy = "mcmc";  // a name of strategies()
  int sh_degree = 3;
  std::string init = "points";  // "points", "random" or a scene file
  int init_count = 100000;      // of random splats
  int max_splats = 1000000;
  int target_splats = 0;             // the strategy ends at this many; 0: as its rules say
  std::string time_budget;           // "5m", "90s", "1h30m"; empty: steps decide
  std::string background = "black";  // black, white, random, learned, or r,g,b in 0..1
  bool exposure = false, pose_opt = false, antialiased = false, absgrad = false;
  double ssim_weight = 0.2;
  // ... further ones stand with the part of the trainer that they belong to

  void describe(OptionTable& table);
};

}  // namespace mote
