#include "app/commands/time_conversion.h"

#include <fmt/format.h>

#include "core/error.h"
#include "splats/moment.h"
#include "splats/motion_changes.h"
#include "splats/time_cut.h"

namespace mote {
namespace {

/// Throws UsageError, which names `option`, if the splats do not depend on time.
void check_moves(const SplatCloud& cloud, const char* option, const std::string& file) {
  if (cloud.moves()) return;
  throw UsageError("the splats of " + file + " stand still", option, "leave it out");
}

void take_part(SplatCloud& cloud, const TimeConversion& conversion) {
  if (cloud.deformation != nullptr) {
    throw UsageError("a scene with a deformation field cannot be cut in time", "--time-range",
                     "leave it out, or write all frames with --frames");
  }
  check_part(cloud.times, conversion);
  cloud = cut_in_time(cloud, conversion.part_s[0], conversion.part_s[1]);
}

void take_moment(SplatCloud& cloud, double moment_s, const std::string& file) {
  if (moment_s > cloud.times.duration_s) {
    throw UsageError(fmt::format("the scene ends at {:.6g} s", cloud.times.duration_s), "--time",
                     fmt::format("give 0 to {:.6g}", cloud.times.duration_s));
  }
  cloud = moment_of(cloud, moment_s);
  if (cloud.count() == 0) {
    throw Error(fmt::format("no splat lives at {:.6g} s", moment_s), file, "give another time");
  }
}

}  // namespace

void TimeConversion::describe(OptionTable& table) {
  table
      .add({.name = "time",
            .target = &moment_s,
            .help = "write the splats of this time as splats that stand still",
            .unit = "s",
            .minimum = 0})
      .add({.name = "time-range",
            .target = &part_s,
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

void check_part(const SceneTimes& times, const TimeConversion& conversion) {
  const double from_s = conversion.part_s[0], to_s = conversion.part_s[1];
  if (0 <= from_s && from_s < to_s && to_s <= times.duration_s) return;
  throw UsageError("is not a part of the scene's times", "--time-range",
                   fmt::format("give two ascending times from 0 to {:.6g} s", times.duration_s));
}

void convert_times(SplatCloud& cloud, const TimeConversion& conversion,
                   const std::set<std::string>& given, const std::string& file) {
  if (given.contains("duration")) {
    check_moves(cloud, "--duration", file);
    set_duration(cloud, conversion.duration_s);
  }
  if (!conversion.part_s.empty()) {
    check_moves(cloud, "--time-range", file);
    take_part(cloud, conversion);
  }
  if (given.contains("time")) {
    check_moves(cloud, "--time", file);
    take_moment(cloud, conversion.moment_s, file);
  }
}

}  // namespace mote
