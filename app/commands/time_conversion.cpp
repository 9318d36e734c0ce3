#include "app/commands/time_conversion.h"

#include <fmt/format.h>

#include "core/error.h"
#include "splats/moment.h"
#include "splats/motion_changes.h"
#include "splats/time_cut.h"

namespace mote {
namespace {

/// Throws UsageError, which names `option`, if the splats do not depend on time.
void check_moves(const SplatCloud& cloud, const char* option, const std::string& name) {
  if (cloud.moves()) return;
  throw UsageError("the splats of " + name + " stand still", option, "leave it out");
}

}  // namespace

void TimeConversion::describe(OptionTable& table) {
  table
      .add({.name = "time",
            .target = &time_s,
            .help = "write the splats of this time as splats that stand still",
            .unit = "s",
            .minimum = 0})
      .add({.name = "time-range",
            .target = &range_s,
            .help = "keep this part of a moving scene, which then begins at 0",
            .unit = "s",
            .length = 2,
            .placeholder = "FROM,TO"})
      .add({.name = "duration",
            .target = &duration_s,
            .help = "stretch the times of a moving scene to this duration",
            .unit = "s",
            .minimum = 1e-3,
            .maximum = 1e6});
}

void TimeConversion::apply(SplatCloud& cloud, const std::set<std::string>& given,
                           const std::string& name) const {
  if (given.contains("duration")) {
    check_moves(cloud, "--duration", name);
    set_duration(cloud, duration_s);
  }
  if (!range_s.empty()) {
    check_moves(cloud, "--time-range", name);
    if (cloud.deformation != nullptr) {
      throw UsageError("a scene with a deformation field cannot be cut in time", "--time-range",
                       "leave it out, or write all frames with --frames");
    }
    check_part(cloud.times);
    cloud = cut_in_time(cloud, range_s[0], range_s[1]);
  }
  if (!given.contains("time")) return;
  check_moves(cloud, "--time", name);
  if (time_s > cloud.times.duration_s) {
    throw UsageError(fmt::format("the scene ends at {:.6g} s", cloud.times.duration_s), "--time",
                     fmt::format("give 0 to {:.6g}", cloud.times.duration_s));
  }
  cloud = moment_of(cloud, time_s);
  if (cloud.count() == 0) {
    throw Error(fmt::format("no splat lives at {:.6g} s", time_s), name, "give another time");
  }
}

void TimeConversion::check_part(const SceneTimes& times) const {
  const double from_s = range_s[0], to_s = range_s[1], end_s = times.duration_s;
  if (0 <= from_s && from_s < to_s && to_s <= end_s) return;
  throw UsageError("is not a part of the scene's times", "--time-range",
                   fmt::format("give two ascending times from 0 to {:.6g} s", end_s));
}

}  // namespace mote
