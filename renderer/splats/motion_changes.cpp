#include "splats/motion_changes.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "splats/feature_cloud.h"
#include "splats/motions/life.h"

namespace mote {
namespace {

/// The power of a second in the unit of a group's values; 0: none, or their logarithm.
int power_of_time(RateGroup group) {
  switch (group) {
    case RateGroup::time_mean:
      return 1;
    case RateGroup::velocity:
    case RateGroup::spin:
      return -1;
    case RateGroup::quadratic:
      return -2;
    case RateGroup::cubic:
      return -3;
    default:
      return 0;
  }
}

bool stays_static(const SplatCloud& cloud, std::size_t i) {
  return is_static(cloud.at(i, Field::log_time_plateau));
}

/// Whether some splat has a value above 0 or below in a field from `first` on.
bool has_values_from(const SplatCloud& cloud, Field first) {
  for (const Field field : cloud.info().stored()) {
    if (field < first) continue;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      if (cloud.at(i, field) != 0) return true;
    }
  }
  return false;
}

bool all_static(const SplatCloud& cloud) {
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (!stays_static(cloud, i)) return false;
  }
  return true;
}

}  // namespace

void set_duration(SplatCloud& cloud, double duration_s) {
  CHECK(cloud.times.duration_s > 0 && duration_s > 0);
  const double factor = duration_s / cloud.times.duration_s;
  const auto log_factor = static_cast<float>(std::log(factor));
  for (const Field field : cloud.info().stored()) {
    const int power = power_of_time(group_of(field));
    const auto by = static_cast<float>(std::pow(factor, power));
    const bool is_log = field == Field::log_time_sigma || field == Field::log_time_plateau;
    for (std::size_t i = 0; (power != 0 || is_log) && i < cloud.count(); ++i) {
      float& value = cloud.at(i, field);
      if (is_log && !(field == Field::log_time_plateau && stays_static(cloud, i)))
        value += log_factor;
      if (power != 0) value *= by;
    }
  }
  if (cloud.decoder != nullptr) scale_temporal_features(cloud, 1 / factor);
  cloud.times.duration_s = duration_s;
  cloud.times.frames_per_second /= factor;
}

SplatCloud with_simplest_motion(SplatCloud cloud) {
  SplatMotion motion = cloud.motion();
  if (motion == SplatMotion::poly && !has_values_from(cloud, Field::quadratic_x)) {
    motion = SplatMotion::life;
  }
  // Features depend on the middle of a life.
  if (motion == SplatMotion::life && cloud.decoder == nullptr &&
      !has_values_from(cloud, Field::velocity_x) && all_static(cloud)) {
    motion = SplatMotion::still;
  }
  if (motion == cloud.motion()) return cloud;
  SplatCloud simple(cloud.count(), {cloud.kind(), cloud.sh_degree(), motion});
  simple.antialiased = cloud.antialiased;
  simple.warnings = cloud.warnings;
  simple.decoder = cloud.decoder;
  if (motion != SplatMotion::still) simple.times = cloud.times;
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    // The fields of a motion follow those of a simpler one.
    std::copy_n(cloud.geometry_block(b), simple.geometry_stride(), simple.geometry_block(b));
    std::copy_n(cloud.sh_block(b), cloud.sh_stride(), simple.sh_block(b));
  }
  return simple;
}

}  // namespace mote
