#include "splats/motion_trails.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <utility>

#include "splats/deformation.h"
#include "splats/moment.h"
#include "splats/motions/motions.h"

namespace mote {
namespace {

constexpr std::size_t kMostCandidates = 40'000;
/// A field takes longer than a life.
constexpr std::size_t kMostInField = 8'000;
constexpr float kFaintLogit = -2;  // an opacity of 0.12

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

/// A splat that may be followed.
struct Candidate {
  std::uint32_t splat;
  double speed;  // world units/s
};

/// speed_of(i): 0 for splats that are not followed. Every n-th splat is asked for.
template <class Speed>
std::vector<Candidate> candidates(const SplatCloud& cloud, const SplatMask& left_out,
                                  std::size_t most, const Speed& speed_of) {
  const std::size_t stride = std::max<std::size_t>(1, cloud.count() / most);
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < cloud.count(); i += stride) {
    if (left_out.size() > 0 && left_out.test(i)) continue;
    const double speed = speed_of(i);
    if (speed > 0) found.push_back({static_cast<std::uint32_t>(i), speed});
  }
  return found;
}

/// The same of splats that a field moves, with their largest speed at three times.
std::vector<Candidate> moved_candidates(const SplatCloud& cloud, const SplatMask& left_out) {
  constexpr int kTimes = 3;
  std::vector<Candidate> found = candidates(cloud, left_out, kMostInField, [&](std::size_t i) {
    return cloud.at(i, Field::logit_opacity) > kFaintLogit ? 1.0 : 0.0;
  });
  std::vector<std::uint32_t> source(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) source[i] = found[i].splat;
  const SplatCloud few = with_sh_degree(reordered(cloud, source), 0);
  for (Candidate& one : found) one.speed = 0;
  for (int t = 0; t < kTimes; ++t) {
    const SplatCloud then =
        deformed_with_velocities(few, cloud.times.duration_s * (t + 0.5) / kTimes);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double speed =
          glm::length(glm::dvec3(then.at(i, Field::velocity_x), then.at(i, Field::velocity_y),
                                 then.at(i, Field::velocity_z)));
      if (std::isfinite(speed)) found[i].speed = std::max(found[i].speed, speed);
    }
  }
  std::erase_if(found, [](const Candidate& one) { return !(one.speed > 0); });
  return found;
}

std::vector<Candidate> candidates_of(const SplatCloud& cloud, const SplatMask& left_out) {
  if (cloud.deformation != nullptr) return moved_candidates(cloud, left_out);
  return visit_moving(cloud.kind(), cloud.motion(), [&]<class Kind, class Motion>() {
    return candidates(cloud, left_out, kMostCandidates,
                      [&](std::size_t i) { return trail_speed<Kind, Motion>(cloud, i); });
  });
}

/// The splats to follow, in their order.
std::vector<std::uint32_t> followed(const std::vector<Candidate>& found, std::size_t most) {
  std::vector<std::uint32_t> splats;
  std::vector<double> speeds;
  for (const Candidate& one : found) speeds.push_back(one.speed);
  const double least = MotionTrails::least_speed(std::move(speeds));
  for (const Candidate& one : found) {
    if (one.speed >= least) splats.push_back(one.splat);
  }
  const std::size_t every = (splats.size() + most - 1) / most;
  std::size_t last = 0;
  for (std::size_t i = 0; i < splats.size(); i += every) splats[last++] = splats[i];
  splats.resize(last);
  return splats;
}

/// The ways of splats that a field moves. They begin with the scene.
MotionWays moved_trails(const SplatCloud& few, double time_s, double length_s) {
  MotionWays trails(few.count());
  for (int step = 0; step <= MotionTrails::kSteps; ++step) {
    const double then_s = time_s - length_s * step / MotionTrails::kSteps;
    if (then_s < 0) break;
    const SplatCloud then = deformed(few, then_s);
    for (std::size_t i = 0; i < trails.size(); ++i) {
      trails[i].emplace_back(then.at(i, Field::mean_x), then.at(i, Field::mean_y),
                             then.at(i, Field::mean_z));
    }
  }
  return trails;
}

SplatCloud without_colors(SplatCloud cloud) {
  cloud.decoder = nullptr;
  return with_sh_degree(cloud, 0);
}

}  // namespace

MotionTrails::MotionTrails(const SplatCloud& cloud, const SplatMask& left_out, std::size_t most)
    : few_(without_colors(reordered(cloud, followed(candidates_of(cloud, left_out), most)))) {}

double MotionTrails::least_speed(std::vector<double> speeds) {
  if (speeds.empty()) return 0;
  const auto fast = speeds.begin() + static_cast<std::ptrdiff_t>(95 * (speeds.size() - 1) / 100);
  std::nth_element(speeds.begin(), fast, speeds.end());
  return *fast / 20;
}

std::shared_ptr<const MotionWays> MotionTrails::kept_at(double time_s, double length_s) const {
  return last_.at(time_s, length_s, 0, [&] { return at(time_s, length_s); });
}

MotionWays MotionTrails::at(double time_s, double length_s) const {
  if (few_.deformation != nullptr) return moved_trails(few_, time_s, length_s);
  std::vector<std::uint32_t> living;
  moment_of(few_, time_s, &living);
  MotionWays trails(living.size());
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
