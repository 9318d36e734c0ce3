#include "train/run/loop_options.h"

namespace mote {

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
}

}  // namespace mote
