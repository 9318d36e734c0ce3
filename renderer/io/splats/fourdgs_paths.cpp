#include "io/splats/fourdgs_paths.h"

#include <algorithm>
#include <cmath>

namespace mote::fourdgs {
namespace {

constexpr int kMostHalvings = 14;
constexpr std::size_t kMostPartsOfLife = 4096;  // of a life
/// Windows that show less of a bell than its last deviations are left out: a reader that rounds
/// its numbers may find that nothing is seen in them.
constexpr double kSeenDeviations = 3.26;  // of 3.33 at 1/255

using Quaternion4 = std::array<double, 4>;

LifeRange overlap(const LifeRange& a, const LifeRange& b) {
  return {std::max(a.from_s, b.from_s), std::min(a.to_s, b.to_s)};
}

double middle_of(const LifeRange& range) {
  return (range.from_s + range.to_s) / 2;
}

/// The path from the middle of a range on.
std::array<CubicPath, 3> path_from(const CurvedLife& curved, double time_s) {
  const double d = time_s - curved.life.splat.time;
  std::array<CubicPath, 3> from{};
  for (std::size_t i = 0; i < 3; ++i) {
    const CubicPath& path = curved.path[i];
    from[i] = {.position = path.at(d),
               .velocity = path.velocity + d * (2 * path.quadratic + 3 * d * path.cubic),
               .quadratic = path.quadratic + 3 * d * path.cubic,
               .cubic = path.cubic};
  }
  return from;
}

/// Of length 1; without a rotation where the quaternion has no length.
Quaternion4 rotation_of(const CurvedLife& curved, double time_s) {
  const double d = time_s - curved.life.splat.time;
  Quaternion4 q{};
  double squares = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    q[i] = curved.rotation[i] + d * curved.spin[i];
    squares += q[i] * q[i];
  }
  if (!(squares > 0)) return {0, 0, 0, 1};
  for (double& value : q) value /= std::sqrt(squares);
  return q;
}

/// Divides the pieces of a life.
class Divider {
 public:
  Divider(const CurvedLife& curved, double duration_s, const PathErrors& most)
      : curved_(curved), duration_(duration_s), most_(most) {}

  LifeParts divided() {
    for (const Splat& piece : pieces_of(curved_.life, duration_)) {
      piece_ = piece;
      divide(0, duration_, 0);
      ++number_;
    }
    return std::move(found_);
  }

 private:
  void divide(double from, double to, int halvings) {
    const LifeRange window{std::max(from, double{piece_.begin}), std::min(to, double{piece_.end})};
    const LifeRange seen = overlap(curved_.seen, window);
    const LifeRange surely = overlap(seen, surely_seen());
    if (!(surely.from_s < surely.to_s) || !found_.is_near) return;
    const PathErrors errors = straight_errors(curved_, seen);
    // Phrased such that values that are not finite need no more parts.
    if (errors.position > most_.position || errors.angle_rad > most_.angle_rad) {
      if (halvings == kMostHalvings || found_.parts.size() >= kMostPartsOfLife) {
        found_.is_near = false;
        return;
      }
      const double middle = (from + to) / 2;
      divide(from, middle, halvings + 1);
      divide(middle, to, halvings + 1);
      return;
    }
    // The last window of a piece goes on to its end, after the scene's last moment.
    const LifePart part{
        .piece = number_,
        .begin = std::max(piece_.begin, static_cast<float>(from)),
        .end = to < duration_ ? std::min(piece_.end, static_cast<float>(to)) : piece_.end};
    if (part.begin < part.end) found_.parts.push_back(part);
  }

  LifeRange surely_seen() const {
    if (std::isinf(piece_.sigma)) return {0, duration_};
    const double half = kSeenDeviations * double{piece_.sigma};
    return {piece_.time - half, piece_.time + half};
  }

  const CurvedLife& curved_;
  double duration_;
  PathErrors most_;
  Splat piece_{};
  std::size_t number_ = 0;
  LifeParts found_;
};

}  // namespace

PathErrors straight_errors(const CurvedLife& curved, const LifeRange& range) {
  const double half = (range.to_s - range.from_s) / 2;
  double quadratic = 0, cubic = 0;
  for (const CubicPath& path : path_from(curved, middle_of(range))) {
    quadratic += path.quadratic * path.quadratic;
    cubic += path.cubic * path.cubic;
  }
  // The errors of the nearest lines to u^2 and u^3 for |u| <= half.
  const double position =
      std::sqrt(quadratic) * half * half / 2 + std::sqrt(cubic) * half * half * half / 4;
  const Quaternion4 first = rotation_of(curved, range.from_s),
                    last = rotation_of(curved, range.to_s);
  double squares = 0;
  for (std::size_t i = 0; i < 4; ++i) squares += (last[i] - first[i]) * (last[i] - first[i]);
  // Half of the rotation from the first to the last, which is the angle of their quaternions.
  return {position, 2 * std::asin(std::min(1.0, std::sqrt(squares) / 2))};
}

Splat straightened(const CurvedLife& curved, const LifeRange& range, Splat splat) {
  const double middle = middle_of(range), half = (range.to_s - range.from_s) / 2;
  const double before = double{splat.time} - middle;
  const std::array<CubicPath, 3> path = path_from(curved, middle);
  for (std::size_t i = 0; i < 3; ++i) {
    const double velocity = path[i].velocity + 0.75 * half * half * path[i].cubic;
    const double position = path[i].position + 0.5 * half * half * path[i].quadratic;
    splat.velocity[i] = static_cast<float>(velocity);
    splat.position[i] = static_cast<float>(position + before * velocity);
  }
  const Quaternion4 first = rotation_of(curved, range.from_s),
                    last = rotation_of(curved, range.to_s);
  Quaternion4 sum{};
  double squares = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    sum[i] = first[i] + last[i];
    squares += sum[i] * sum[i];
  }
  if (!(squares > 0)) sum = first;
  const double length = squares > 0 ? std::sqrt(squares) : 1;
  for (std::size_t i = 0; i < 4; ++i) splat.rotation[i] = static_cast<float>(sum[i] / length);
  return splat;
}

LifeParts parts_of(const CurvedLife& curved, double duration_s, const PathErrors& most) {
  const PathErrors whole = straight_errors(curved, curved.seen);
  if (curved.life.is_static ||
      !(whole.position > most.position || whole.angle_rad > most.angle_rad)) {
    return {.is_whole = true};
  }
  return Divider(curved, duration_s, most).divided();
}

Splat splat_of(const CurvedLife& curved, double duration_s, const LifePart& part) {
  Splat splat = pieces_of(curved.life, duration_s).at(part.piece);
  splat.begin = part.begin;
  splat.end = part.end;
  if (std::isinf(splat.sigma)) splat.time = (part.begin + part.end) / 2;
  const LifeRange seen = overlap(curved.seen, {double{part.begin}, double{part.end}});
  return straightened(curved, seen, splat);
}

}  // namespace mote::fourdgs
