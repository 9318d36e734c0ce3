#include "splats/motion_trails.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>

#include "splats/moment.h"
#include "splats/motions/motions.h"

namespace mote {
namespace {

constexpr std::size_t kMostCandidates = 40'000;

/// The stored planes of a splat, in double.
auto trail_planes(const SplatCloud& cloud, std::size_t splat) {
  const float* geometry = cloud.geometry_block(splat / kBlockSize) + splat % kBlockSize;
  return [geometry](int plane) {
    return static_cast<double>(geometry[static_cast<std::size_t>(plane) * kBlockSize]);
  };
}

/// The mean of a splat at a time.
template <class Kind, class Motion>
glm::dvec3 trail_place(const SplatCloud& cloud, std::size_t splat, double time_s) {
  const Vec3<double> mean = Motion::template mean_at<MovingKind<Kind, Motion>>(
      trail_planes(cloud, splat), at_time(time_s));
  return {mean.x, mean.y, mean.z};
}

/// The speed in the middle of a life, world units/s; 0 for splats that are faint or stand still.
template <class Kind, class Motion>
double trail_speed(const SplatCloud& cloud, std::size_t splat) {
  constexpr double kStep_s = 1e-3;
  constexpr float kFaintLogit = -2;  // an opacity of 0.12
  if constexpr (!Motion::kHasLife) {
    return 0;
  } else {
    if (!(cloud.at(splat, Field::logit_opacity) > kFaintLogit)) return 0;
    const auto middle_s = static_cast<double>(cloud.at(splat, Field::time_mean));
    const double speed = glm::length(trail_place<Kind, Motion>(cloud, splat, middle_s + kStep_s) -
                                     trail_place<Kind, Motion>(cloud, splat, middle_s - kStep_s)) /
                         (2 * kStep_s);
    return std::isfinite(speed) ? speed : 0;
  }
}

/// The splats to follow, in their order.
template <class Kind, class Motion>
std::vector<std::uint32_t> followed(const SplatCloud& cloud, const SplatMask& left_out) {
  const std::size_t stride = std::max<std::size_t>(1, cloud.count() / kMostCandidates);
  std::vector<std::uint32_t> splats;
  std::vector<double> speeds;
  for (std::size_t i = 0; i < cloud.count(); i += stride) {
    if (left_out.size() > 0 && left_out.test(i)) continue;
    const double speed = trail_speed<Kind, Motion>(cloud, i);
    if (!(speed > 0)) continue;
    splats.push_back(static_cast<std::uint32_t>(i));
    speeds.push_back(speed);
  }
  if (splats.empty()) return splats;
  std::vector<double> sorted = speeds;
  const auto fast = sorted.begin() + static_cast<std::ptrdiff_t>(95 * (sorted.size() - 1) / 100);
  std::nth_element(sorted.begin(), fast, sorted.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < splats.size(); ++i) {
    if (speeds[i] >= *fast / 20) splats[kept++] = splats[i];
  }
  const std::size_t every = (kept + MotionTrails::kMost - 1) / MotionTrails::kMost;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kept; i += every) splats[last++] = splats[i];
  splats.resize(last);
  return splats;
}

}  // namespace

MotionTrails::MotionTrails(const SplatCloud& cloud, const SplatMask& left_out)
    : few_(visit_moving(cloud.kind(), cloud.motion(), [&]<class Kind, class Motion>() {
        SplatCloud chosen = reordered(cloud, followed<Kind, Motion>(cloud, left_out));
        chosen.decoder = nullptr;  // trails need no colours
        return with_sh_degree(chosen, 0);
      })) {}

std::vector<std::vector<glm::dvec3>> MotionTrails::at(double time_s, double length_s) const {
  std::vector<std::uint32_t> living;
  moment_of(few_, time_s, &living);
  std::vector<std::vector<glm::dvec3>> trails(living.size());
  visit_moving(few_.kind(), few_.motion(), [&]<class Kind, class Motion>() {
    if constexpr (Motion::kHasLife) {
      for (std::size_t i = 0; i < living.size(); ++i) {
        const auto planes = trail_planes(few_, living[i]);
        for (int step = 0; step <= kSteps; ++step) {
          const double then_s = time_s - length_s * step / kSteps;
          if (!Motion::template is_seen<MovingKind<Kind, Motion>>(planes, false, at_time(then_s)))
            break;
          trails[i].push_back(trail_place<Kind, Motion>(few_, living[i], then_s));
        }
      }
    }
  });
  return trails;
}

}  // namespace mote
