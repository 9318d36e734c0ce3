#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The options that change or choose the times of a moving scene.
struct TimeConversion {
  double moment_s = -1, duration_s = 0;  // out of their ranges until they are given
  std::vector<double> part_s = {};       // from, to; empty: all

  void describe(OptionTable& table);
};

/// Throws UsageError if `part_s` is not a part of the scene's times.
void check_part(const SceneTimes& times, const TimeConversion& conversion);

/// Stretches the times of the scene, takes a part of them, and replaces splats that move by those
/// of a moment: as far as the options of `given` ask for it, in this order. `file`: for messages.
/// Throws UsageError for splats that stand still and for times outside of the scene, and Error if
/// no splat is left.
void convert_times(SplatCloud& cloud, const TimeConversion& conversion,
                   const std::set<std::string>& given, const std::string& file);

}  // namespace mote
