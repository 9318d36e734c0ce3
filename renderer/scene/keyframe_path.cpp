#include "scene/keyframe_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <numbers>
#include <span>

#include "core/error.h"

namespace mote {
namespace {

constexpr double kPi = std::numbers::pi;
/// Minimum step of u relative to the mean step; applies to keyframes that are nearly equal.
constexpr double kLeastStep = 1e-2;
constexpr int kWaysPerSegment = 64;
/// At constant speed, the length of a piece of the path is its translation or its weighted
/// rotation, whichever is larger. The weight scales the total rotation of the path to this fraction
/// of its total translation. A camera that turns in place therefore takes time.
constexpr double kTurningShare = 0.25;
constexpr double kMaxFrames = 1e6;

/// The rotation from a to b in the frame of a, as axis times angle (-pi to pi).
glm::dvec3 turn_between(const glm::dquat& a, const glm::dquat& b) {
  glm::dquat q = glm::conjugate(a) * b;
  if (q.w < 0) q = -q;
  const glm::dvec3 axis(q.x, q.y, q.z);
  const double sine = glm::length(axis);
  return sine < 1e-12 ? 2.0 * axis : axis * (2 * std::atan2(sine, q.w) / sine);
}

glm::dquat quaternion_of(const glm::dvec3& turn) {
  const double angle = glm::length(turn);
  return angle < 1e-12 ? glm::normalize(glm::dquat(1, 0.5 * turn))
                       : glm::angleAxis(angle, turn / angle);
}

/// The derivative at every knot: that of the quadratic through the knot and its neighbours, given
/// the mean slope and the length of each segment. The ends of an open curve continue without
/// curvature.
template <class T>
std::vector<T> tangents(std::span<const T> slopes, std::span<const double> lengths, bool closed) {
  const std::size_t n = slopes.size();
  std::vector<T> result(n + 1);
  const auto between = [&](std::size_t before, std::size_t after) {
    const double sum = lengths[before] + lengths[after];
    return (lengths[after] / sum) * slopes[before] + (lengths[before] / sum) * slopes[after];
  };
  for (std::size_t i = 1; i < n; ++i) result[i] = between(i - 1, i);
  if (closed) {
    result[0] = result[n] = between(n - 1, 0);
  } else if (n == 1) {
    result[0] = result[1] = slopes[0];
  } else {
    result[0] = 1.5 * slopes[0] - 0.5 * result[1];
    result[n] = 1.5 * slopes[n - 1] - 0.5 * result[n - 1];
  }
  return result;
}

/// Slopes of a monotone cubic through ascending values: harmonic means of the adjacent slopes.
std::vector<double> monotone_slopes(std::span<const double> slopes, std::span<const double> lengths,
                                    bool closed) {
  const std::size_t n = slopes.size();
  std::vector<double> result(n + 1);
  const auto between = [&](std::size_t before, std::size_t after) {
    const double w_before = 2 * lengths[after] + lengths[before];
    const double w_after = lengths[after] + 2 * lengths[before];
    return (w_before + w_after) / (w_before / slopes[before] + w_after / slopes[after]);
  };
  for (std::size_t i = 1; i < n; ++i) result[i] = between(i - 1, i);
  result[0] = closed ? between(n - 1, 0) : slopes[0];
  result[n] = closed ? result[0] : slopes[n - 1];
  return result;
}

/// The cubic with values a, b and derivatives da, db at the ends of an interval of this length,
/// evaluated at the fraction t.
template <class T>
T hermite(const T& a, const T& b, const T& da, const T& db, double length, double t) {
  const double s = 1 - t;
  return s * s * (1 + 2 * t) * a + t * t * (1 + 2 * s) * b + (length * s * s * t) * da -
         (length * s * t * t) * db;
}

glm::dquat bezier(const glm::dquat (&points)[4], double t) {
  glm::dquat level[4];
  std::copy(std::begin(points), std::end(points), level);
  for (int count = 3; count > 0; --count) {
    for (int i = 0; i < count; ++i) level[i] = glm::slerp(level[i], level[i + 1], t);
  }
  return glm::normalize(level[0]);
}

/// Centripetal steps of u over translation and rotation. Translation is relative to the mean
/// translation, rotation to half a turn.
std::vector<double> knot_steps(std::span<const double> moves, std::span<const double> turns) {
  double mean_move = 0, total = 0;
  for (const double move : moves) mean_move += move / static_cast<double>(moves.size());
  std::vector<double> steps(moves.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = std::sqrt((mean_move > 0 ? moves[i] / mean_move : 0.0) + turns[i] / kPi);
    total += steps[i];
  }
  const double least = total > 0 ? kLeastStep * total / static_cast<double>(steps.size()) : 1.0;
  for (double& step : steps) step = std::max(step, least);
  return steps;
}

/// The keyframes with unit quaternions. A loop repeats the first keyframe at the end.
std::vector<CameraKeyframe> prepared(const KeyframePath& path) {
  std::vector<CameraKeyframe> keys = path.keyframes;
  for (CameraKeyframe& key : keys) key.world_from_cam = glm::normalize(key.world_from_cam);
  if (path.loop && keys.size() > 1) {
    const double span = keys.back().time_s - keys.front().time_s;
    const double closing =
        path.closing_s > 0 ? path.closing_s : span / static_cast<double>(keys.size() - 1);
    keys.push_back(keys.front());
    keys.back().time_s = keys[keys.size() - 2].time_s + closing;
    keys.back().scene_time_s.reset();  // time does not run back on the way to the start
  }
  return keys;
}

}  // namespace

CameraKeyframe keyframe_of(const Camera& camera, double time_s) {
  return {time_s, camera.position_world(),
          glm::normalize(glm::quat_cast(glm::transpose(camera.cam_from_world))),
          2 * std::atan(0.5 * camera.height / camera.focal_px.y)};
}

Camera camera_of(const CameraKeyframe& state, int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  const double focal = 0.5 * height / std::tan(0.5 * state.field_of_view);
  camera.focal_px = {focal, focal};
  camera.center_px = {0.5 * width, 0.5 * height};
  camera.cam_from_world = glm::transpose(glm::mat3_cast(glm::normalize(state.world_from_cam)));
  camera.translation = -(camera.cam_from_world * state.position_world);
  return camera;
}

void check_path(const KeyframePath& path, const std::string& where) {
  if (path.keyframes.empty()) {
    throw Error("the path has no keyframes", where, "add at least two; one gives a still camera");
  }
  for (std::size_t i = 0; i < path.keyframes.size(); ++i) {
    const CameraKeyframe& key = path.keyframes[i];
    const std::string place = fmt::format("{}, keyframe {}", where, i);
    const double rotation = glm::dot(key.world_from_cam, key.world_from_cam);
    if (!std::isfinite(key.time_s) ||
        !std::isfinite(glm::dot(key.position_world, key.position_world)) ||
        !std::isfinite(rotation)) {
      throw Error("contains a value that is not finite", place,
                  "give finite numbers for time, position and rotation");
    }
    if (!(rotation > 1e-12)) {
      throw Error("the rotation is a quaternion of length 0", place,
                  "give w,x,y,z; 1,0,0,0 is no rotation");
    }
    if (!(key.field_of_view > 0 && key.field_of_view < kPi)) {
      throw Error("the field of view is not between 0 and 180 degrees", place,
                  "give the vertical angle, for example 45 degrees");
    }
    const double scene_s = key.scene_time_s.value_or(0);
    if (!(scene_s >= 0 && std::isfinite(scene_s))) {
      throw Error("the time of the scene is negative or not a number", place,
                  "give 0 or more seconds, or leave it out");
    }
    if (i > 0 && !(key.time_s > path.keyframes[i - 1].time_s)) {
      throw Error(fmt::format("the time {} s is not after that of the previous keyframe, {} s",
                              key.time_s, path.keyframes[i - 1].time_s),
                  place, "give each keyframe a later time");
    }
  }
  if (!(path.closing_s >= 0 && std::isfinite(path.closing_s))) {
    throw Error("the time to close the loop is negative or not a number", where,
                "give 0 or more seconds, or leave it out");
  }
}

CameraSpline::CameraSpline(const KeyframePath& path) {
  CHECK(!path.keyframes.empty());
  const std::vector<CameraKeyframe> keys = prepared(path);
  loop_ = path.loop && keys.size() > 1;
  first_ = keys.front();
  for (const CameraKeyframe& key : keys) times_.push_back(key.time_s - first_.time_s);
  if (keys.size() > 1) {
    make_segments(keys);
    make_times(path);
  }
  make_scene_times(keys);
}

void CameraSpline::make_segments(const std::vector<CameraKeyframe>& keys) {
  const std::size_t n = keys.size() - 1;
  std::vector<double> moves(n), turn_angles(n);
  std::vector<glm::dvec3> velocities(n), turns(n);
  std::vector<double> log_views(n);
  for (std::size_t i = 0; i < n; ++i) {
    velocities[i] = keys[i + 1].position_world - keys[i].position_world;
    turns[i] = turn_between(keys[i].world_from_cam, keys[i + 1].world_from_cam);
    log_views[i] = std::log(keys[i + 1].field_of_view / keys[i].field_of_view);
    moves[i] = glm::length(velocities[i]);
    turn_angles[i] = glm::length(turns[i]);
  }
  const std::vector<double> steps = knot_steps(moves, turn_angles);
  for (std::size_t i = 0; i < n; ++i) {
    velocities[i] /= steps[i];
    turns[i] /= steps[i];
    log_views[i] /= steps[i];
  }
  const auto velocity = tangents<glm::dvec3>(velocities, steps, loop_);
  const auto turn = tangents<glm::dvec3>(turns, steps, loop_);
  const auto log_view = tangents<double>(log_views, steps, loop_);
  double u = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const CameraKeyframe &a = keys[i], &b = keys[i + 1];
    segments_.push_back(
        {u,
         steps[i],
         {a.position_world, b.position_world},
         {velocity[i], velocity[i + 1]},
         {std::log(a.field_of_view), std::log(b.field_of_view)},
         {log_view[i], log_view[i + 1]},
         {a.world_from_cam, a.world_from_cam * quaternion_of(turn[i] * (steps[i] / 3)),
          b.world_from_cam * quaternion_of(turn[i + 1] * (-steps[i] / 3)), b.world_from_cam}});
    u += steps[i];
  }
}

void CameraSpline::make_times(const KeyframePath& path) {
  std::vector<double> slopes, lengths;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    lengths.push_back(times_[i + 1] - times_[i]);
    CHECK(lengths.back() > 0);
    slopes.push_back(segments_[i].du / lengths.back());
  }
  time_slopes_ = monotone_slopes(slopes, lengths, loop_);
  if (path.constant_speed) make_ways();
}

void CameraSpline::make_ways() {
  struct Piece {
    double u, move, turn;
  };
  std::vector<Piece> pieces;
  double all_moves = 0, all_turns = 0;
  CameraKeyframe before = state_at(0);
  for (const Segment& segment : segments_) {
    for (int k = 1; k <= kWaysPerSegment; ++k) {
      const double u = segment.u0 + segment.du * k / kWaysPerSegment;
      const CameraKeyframe now = state_at(u);
      pieces.push_back({u, glm::length(now.position_world - before.position_world),
                        glm::length(turn_between(before.world_from_cam, now.world_from_cam))});
      all_moves += pieces.back().move;
      all_turns += pieces.back().turn;
      before = now;
    }
  }
  if (!(all_moves + all_turns > 0)) return;  // a camera that does not move needs no table
  const double turn_weight =
      all_moves > 0 && all_turns > 0 ? kTurningShare * all_moves / all_turns : 1;
  ways_.push_back({0, 0});
  for (const Piece& piece : pieces) {
    const double way = std::max(piece.move, turn_weight * piece.turn);
    ways_.push_back({piece.u, ways_.back().length + way});
  }
}

/// The time at which the camera passes a keyframe, since the start.
double CameraSpline::seconds_at_key(std::size_t number) const {
  if (ways_.empty()) return times_[number];
  const Way& way = ways_[number * kWaysPerSegment];
  return duration_s() * way.length / ways_.back().length;
}

void CameraSpline::make_scene_times(const std::vector<CameraKeyframe>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].scene_time_s) scene_times_.push_back({seconds_at_key(i), *keys[i].scene_time_s});
  }
}

double CameraSpline::scene_time_at(double seconds) const {
  if (scene_times_.empty()) return first_.time_s + seconds;
  const double now = wrapped(seconds);
  const auto after =
      std::ranges::find_if(scene_times_, [&](const SceneTime& key) { return key.seconds > now; });
  if (after == scene_times_.begin()) return after->scene_s;
  const SceneTime& before = *(after - 1);
  if (after == scene_times_.end()) return before.scene_s;
  const double share = (now - before.seconds) / (after->seconds - before.seconds);
  return before.scene_s + share * (after->scene_s - before.scene_s);
}

double CameraSpline::u_at(double seconds) const {
  if (!ways_.empty()) {
    const double length = ways_.back().length * seconds / duration_s();
    const auto after = std::upper_bound(ways_.begin() + 1, ways_.end() - 1, length,
                                        [](double l, const Way& way) { return l < way.length; });
    const Way &a = *(after - 1), &b = *after;
    const double share = b.length > a.length ? (length - a.length) / (b.length - a.length) : 0;
    return a.u + std::clamp(share, 0.0, 1.0) * (b.u - a.u);
  }
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, seconds);
  const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
  const double length = times_[i + 1] - times_[i];
  return hermite(segments_[i].u0, segments_[i].u0 + segments_[i].du, time_slopes_[i],
                 time_slopes_[i + 1], length, (seconds - times_[i]) / length);
}

CameraKeyframe CameraSpline::state_at(double u) const {
  const auto after =
      std::upper_bound(segments_.begin() + 1, segments_.end(), u,
                       [](double value, const Segment& segment) { return value < segment.u0; });
  const Segment& s = *(after - 1);
  const double t = std::clamp((u - s.u0) / s.du, 0.0, 1.0);
  CameraKeyframe state;
  state.position_world =
      hermite(s.position[0], s.position[1], s.velocity[0], s.velocity[1], s.du, t);
  state.world_from_cam = bezier(s.rotation, t);
  // A cubic may overshoot; a field of view stays below pi.
  state.field_of_view = std::min(std::exp(hermite(s.log_view[0], s.log_view[1], s.log_view_slope[0],
                                                  s.log_view_slope[1], s.du, t)),
                                 0.99 * kPi);
  return state;
}

CameraKeyframe CameraSpline::at(double seconds) const {
  CameraKeyframe state = first_;
  if (!segments_.empty()) state = state_at(u_at(wrapped(seconds)));
  state.time_s = seconds;
  state.scene_time_s = scene_time_at(seconds);
  return state;
}

/// The same place on the path between its start and its end.
double CameraSpline::wrapped(double seconds) const {
  const double duration = duration_s();
  if (!loop_ || !(duration > 0)) return std::clamp(seconds, 0.0, duration);
  const double rest = std::fmod(seconds, duration);
  return rest < 0 ? rest + duration : rest;
}

namespace {

/// Time of each view in seconds from the start of the path.
std::vector<double> view_times(const CameraSpline& spline, const PathSampling& sampling) {
  CHECK(sampling.frames_per_second > 0);
  const double duration = sampling.duration_s > 0 && spline.duration_s() > 0 ? sampling.duration_s
                                                                             : spline.duration_s();
  const double intervals = duration * sampling.frames_per_second;
  // Rounding must not drop the last frame.
  const double count =
      spline.loop() ? std::max(1.0, std::round(intervals)) : std::floor(intervals + 1e-6) + 1;
  if (!(count <= kMaxFrames)) {
    throw Error(fmt::format("{:.6g} s at {:.6g} frames per second are more than {:.0f} frames",
                            duration, sampling.frames_per_second, kMaxFrames),
                "the camera path", "give a lower --fps or a shorter --duration");
  }
  const double to_path = duration > 0 ? spline.duration_s() / duration : 0;
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double seconds = spline.loop() ? i * duration / count : i / sampling.frames_per_second;
    times.push_back(seconds * to_path);
  }
  return times;
}

}  // namespace

std::vector<View> path_views(const KeyframePath& path, const PathSampling& sampling) {
  const CameraSpline spline(path);
  std::vector<View> views;
  for (const double seconds : view_times(spline, sampling)) {
    const CameraKeyframe state = spline.at(seconds);
    views.push_back({.name = fmt::format("frame_{:05}", views.size()),
                     .camera = camera_of(state, sampling.width, sampling.height),
                     .time_s = *state.scene_time_s});
  }
  return views;
}

}  // namespace mote
