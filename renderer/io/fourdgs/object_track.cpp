#include <algorithm>
#include <cmath>

#include "io/fourdgs/records.h"

namespace mote::fourdgs {
namespace {

using Pose = ObjectTrack::Pose;

/// Along the shorter arc, with constant speed.
std::array<double, 4> turned(const std::array<double, 4>& from, std::array<double, 4> to,
                             double share) {
  double cosine = 0;
  for (std::size_t i = 0; i < from.size(); ++i) cosine += from[i] * to[i];
  if (cosine < 0) {
    for (double& value : to) value = -value;
    cosine = -cosine;
  }
  const double angle = std::acos(std::min(cosine, 1.0)), sine = std::sin(angle);
  // Below this angle the sines do not differ from the angles.
  const bool straight = sine < 1e-9;
  const double a = straight ? 1 - share : std::sin((1 - share) * angle) / sine;
  const double b = straight ? share : std::sin(share * angle) / sine;
  std::array<double, 4> result{};
  double squares = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = a * from[i] + b * to[i];
    squares += result[i] * result[i];
  }
  for (double& value : result) value /= std::sqrt(squares);
  return result;
}

}  // namespace

Pose ObjectTrack::at(double time_s) const {
  const auto later = [](double time, const Pose& pose) { return time < pose.time_s; };
  const auto next = std::upper_bound(poses.begin(), poses.end(), time_s, later);
  if (next == poses.begin()) return poses.front();
  const Pose& from = *(next - 1);
  if (next == poses.end() || in_steps) return from;
  const double share = (time_s - from.time_s) / (next->time_s - from.time_s);
  Pose pose{.time_s = time_s, .rotation = turned(from.rotation, next->rotation, share)};
  for (std::size_t i = 0; i < 3; ++i) {
    pose.translation[i] =
        from.translation[i] + share * (next->translation[i] - from.translation[i]);
  }
  return pose;
}

}  // namespace mote::fourdgs
