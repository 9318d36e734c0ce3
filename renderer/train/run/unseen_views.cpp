#include "train/run/unseen_views.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mote {

SeenViews::SeenViews(const Dataset& dataset)
    : dataset_(dataset), cameras_(dataset.camera_groups.size(), false) {
  for (const std::uint32_t i : dataset.train) {
    const Photograph& photograph = dataset.photographs[i];
    times_s_.push_back(photograph.time_s);
    if (!cameras_.empty()) cameras_[photograph.camera_group] = true;
  }
  std::ranges::sort(times_s_);
}

double SeenViews::frame_s(const Photograph& photograph) const {
  double rate = dataset_.time.frames_per_second;
  if (!dataset_.camera_groups.empty()) {
    const double own = dataset_.camera_groups[photograph.camera_group].frames_per_second;
    if (own > 0) rate = own;
  }
  return rate > 0 ? 1 / rate : 0;
}

Unseen SeenViews::unseen_in(const Photograph& photograph) const {
  constexpr double kNear = 0.25;  // frames
  Unseen unseen;
  if (!dataset_.time.moves()) return unseen;
  double nearest_s = std::numeric_limits<double>::infinity();
  const auto after = std::ranges::lower_bound(times_s_, photograph.time_s);
  if (after != times_s_.end()) nearest_s = *after - photograph.time_s;
  if (after != times_s_.begin()) nearest_s = std::min(nearest_s, photograph.time_s - *(after - 1));
  unseen.moment = nearest_s > kNear * frame_s(photograph);
  unseen.camera = !cameras_.empty() && !cameras_[photograph.camera_group];
  return unseen;
}

}  // namespace mote
