// Section 3 of the format's text.
#include "io/fourdgs/moment.h"

#include <cmath>

namespace mote::fourdgs {
namespace {

/// Quaternions and vectors as x, y, z, w.
std::array<double, 4> product(const std::array<double, 4>& a, const std::array<float, 4>& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

/// v + 2 q x (q x v + w v).
std::array<double, 3> rotated(const std::array<double, 4>& q, const std::array<double, 3>& v) {
  const auto cross = [&](const std::array<double, 3>& b) {
    return std::array<double, 3>{q[1] * b[2] - q[2] * b[1], q[2] * b[0] - q[0] * b[2],
                                 q[0] * b[1] - q[1] * b[0]};
  };
  std::array<double, 3> inner = cross(v);
  for (std::size_t i = 0; i < 3; ++i) inner[i] += q[3] * v[i];
  std::array<double, 3> result = cross(inner);
  for (std::size_t i = 0; i < 3; ++i) result[i] = v[i] + 2 * result[i];
  return result;
}

const ObjectTrack* track_of(const File& file, std::uint32_t object) {
  for (const ObjectTrack& track : file.tracks()) {
    if (object != 0 && track.object == object) return &track;
  }
  return nullptr;
}

}  // namespace

std::optional<SeenSplat> seen_at(const File& file, const Splat& splat, double time_s) {
  const double since = time_s - splat.time, deviations = since / splat.sigma;
  const double share = std::isinf(splat.sigma) ? 1 : std::exp(-0.5 * deviations * deviations);
  const bool exists = time_s >= splat.begin && time_s < splat.end;
  if (!exists || share < file.header().cutoff) return std::nullopt;
  std::array<double, 3> position{};
  for (std::size_t i = 0; i < 3; ++i) position[i] = splat.position[i] + splat.velocity[i] * since;
  SeenSplat seen{.rotation = splat.rotation, .opacity = static_cast<float>(splat.color[3] * share)};
  if (const ObjectTrack* track = track_of(file, splat.object)) {
    const ObjectTrack::Pose pose = track->at(time_s);
    position = rotated(pose.rotation, position);
    for (std::size_t i = 0; i < 3; ++i) position[i] += pose.translation[i];
    const std::array<double, 4> rotation = product(pose.rotation, splat.rotation);
    for (std::size_t i = 0; i < 4; ++i) seen.rotation[i] = static_cast<float>(rotation[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) seen.position[i] = static_cast<float>(position[i]);
  return seen;
}

}  // namespace mote::fourdgs
