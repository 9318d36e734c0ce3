#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/options.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The options that change the times of a moving scene.
struct TimeConversion {
  double time_s = 0, duration_s = 0;
  std::vector<double> range_s = {};  // from, to; empty: all times

  void describe(OptionTable& table);
  /// Stretches the times, cuts the part out, and takes the splats of the moment, as far as the user
  /// gave the options. `name`: of the scene. Throws Error if the scene has no such times.
  void apply(SplatCloud& cloud, const std::set<std::string>& given, const std::string& name) const;
  /// Throws UsageError if the part is not one of the times.
  void check_part(const SceneTimes& times) const;
};

}  // namespace mote
