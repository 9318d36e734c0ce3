#include "model/moving/part_trails.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <iterator>
#include <utility>

namespace mote {
namespace {

using Way = MotionWays::value_type;

/// Proportional to the mean speed; 0 for a single place.
double speed_of_way(const Way& way) {
  if (way.size() < 2) return 0;
  return glm::distance(way.front(), way.back()) / static_cast<double>(way.size() - 1);
}

MotionWays ways_of(const std::vector<std::shared_ptr<const MotionTrails>>& parts, double time_s,
                   double length_s) {
  MotionWays all;
  for (const auto& trails : parts)
    std::ranges::move(trails->at(time_s, length_s), std::back_inserter(all));
  // Phrased positively, so that NaN fails.
  std::erase_if(all, [](const Way& way) { return !(speed_of_way(way) > 0); });
  std::vector<double> speeds;
  for (const Way& way : all) speeds.push_back(speed_of_way(way));
  const double least = MotionTrails::least_speed(speeds);
  std::erase_if(all, [&](const Way& way) { return speed_of_way(way) < least; });
  const std::size_t every = (all.size() + MotionTrails::kMost - 1) / MotionTrails::kMost;
  MotionWays ways;
  for (std::size_t i = 0; i < all.size(); i += every) ways.push_back(std::move(all[i]));
  return ways;
}

}  // namespace

void PartTrails::put(std::uint32_t part, std::shared_ptr<const MotionTrails> trails) {
  const std::lock_guard lock(mutex_);
  parts_[part] = std::move(trails);
  ++changes_;
}

void PartTrails::drop(std::uint32_t part) {
  const std::lock_guard lock(mutex_);
  parts_.erase(part);
  ++changes_;
}

std::shared_ptr<const MotionWays> PartTrails::at(double time_s, double length_s) const {
  std::vector<std::shared_ptr<const MotionTrails>> parts;
  std::uint64_t changes = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [part, trails] : parts_) parts.push_back(trails);
    changes = changes_;
  }
  return last_.at(time_s, length_s, changes, [&] { return ways_of(parts, time_s, length_s); });
}

}  // namespace mote
