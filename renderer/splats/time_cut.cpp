#include "splats/time_cut.h"

#include <algorithm>

#include "core/error.h"

namespace mote {

SplatMask living_in(const SplatCloud& cloud, const LifeRange& range) {
  if (!cloud.info().moves()) return SplatMask(cloud.count(), true);
  SplatMask living(cloud.count());
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const LifeRange life = life_range(load_motion(cloud.info().planes, cloud.geometry_block(0), i),
                                      cloud.at(i, Field::logit_opacity));
    living.set(i, !life.empty() && life.from_s <= range.to_s && range.from_s <= life.to_s);
  }
  return living;
}

SplatCloud cut_in_time(const SplatCloud& cloud, double from_s, double to_s) {
  CHECK(cloud.info().moves() && from_s < to_s);
  SplatCloud part = reordered(cloud, living_in(cloud, {from_s, to_s}).indices());
  for (std::size_t i = 0; i < part.count(); ++i) {
    float& mean_s = part.at(i, Field::time_mean);
    mean_s = static_cast<float>(static_cast<double>(mean_s) - from_s);
  }
  part.times = {.duration_s = to_s - from_s, .frames_per_second = cloud.times.frames_per_second};
  return part;
}

}  // namespace mote
