#include "model/moving/part_trails.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <iterator>
#include <utility>

namespace mote {
namespace {

using Way = std::vector<glm::dvec3>;

/// Proportional to the mean speed; 0 for a single place.
double speed_of_way(const Way& way) {
  if (way.size() < 2) return 0;
  return glm::distance(way.front(), way.back()) / static_cast<double>(way.size() - 1);
}

}  // namespace

void PartTrails::put(std::uint32_t part, std::shared_ptr<const MotionTrails> trails) {
  const std::lock_guard lock(mutex_);
  parts_[part] = std::move(trails);
}

void PartTrails::drop(std::uint32_t part) {
  const std::lock_guard lock(mutex_);
  parts_.erase(part);
}

std::vector<Way> PartTrails::at(double time_s, double length_s) const {
  std::vector<std::shared_ptr<const MotionTrails>> parts;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [part, trails] : parts_) parts.push_back(trails);
  }
  std::vector<Way> all;
  for (const auto& trails : parts)
    std::ranges::move(trails->at(time_s, length_s), std::back_inserter(all));
  // Phrased positively, so that NaN fails.
  std::erase_if(all, [](const Way& way) { return !(speed_of_way(way) > 0); });
  std::vector<double> speeds;
  for (const Way& way : all) speeds.push_back(speed_of_way(way));
  const double least = MotionTrails::least_speed(speeds);
  std::erase_if(all, [&](const Way& way) { return speed_of_way(way) < least; });
  const std::size_t every = (all.size() + MotionTrails::kMost - 1) / MotionTrails::kMost;
  std::vector<Way> ways;
  for (std::size_t i = 0; i < all.size(); i += every) ways.push_back(std::move(all[i]));
  return ways;
}

}  // namespace mote
