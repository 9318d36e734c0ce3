#include "io/splats/ply_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "math/activations.h"
#include "splats/cubic_path.h"
#include "splats/motions/life.h"

namespace mote {
namespace {

constexpr const char *kVersionComment = "mote_motion ", *kDirectionComment = "mote_directional ";
constexpr double kLeastOpacity = -15;  // logit
constexpr float kShortestLog = -20;    // of a plateau or a sigma, ln s
constexpr double kSigmas = 3;          // of the life that holds the reference

/// Properties of motions of degree 3, all or none of which a file has.
struct CurveGroup {
  const char* prefix;
  Field first;
  int count;

  bool is_in(const PlyElement& vertex) const {
    return std::ranges::any_of(vertex.properties, [this](const PlyProperty& property) {
      return property.name.starts_with(prefix);
    });
  }
};
constexpr CurveGroup kCurveGroups[] = {{"acceleration_", Field::quadratic_x, 3},
                                       {"jerk_", Field::cubic_x, 3},
                                       {"spin_", Field::spin_w, 4}};

Field nth(Field first, int k) {
  return static_cast<Field>(static_cast<int>(first) + k);
}

/// The text after `key` in the last comment that starts with it; null if there is none.
const char* comment_value(const PlyHeader& header, std::string_view key) {
  const char* value = nullptr;
  for (const std::string& comment : header.comments) {
    if (comment.starts_with(key)) value = comment.c_str() + key.size();
  }
  return value;
}

double seconds_of(const PlyHeader& header, const char* key, const std::string& name,
                  double otherwise) {
  const char* text = comment_value(header, std::string(key) + " ");
  if (text == nullptr) return otherwise;
  const std::string value = text;
  double number = 0;
  const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
  constexpr double kLargest = 1e9;
  if (result.ec != std::errc() || !(std::abs(number) <= kLargest)) {
    throw Error(fmt::format("the comment {} has '{}', which is not a time in seconds", key,
                            value.substr(0, 40)),
                name, "export the scene again");
  }
  return number;
}

void check_version(const char* version, const char* splats, const char* key,
                   const std::string& name) {
  if (std::string_view(version) == "1") return;
  throw Error(fmt::format("has splats that {}, in version '{}' of {}; this program reads version 1",
                          splats, std::string_view(version).substr(0, 20), key),
              name, "use a newer version of Mote");
}

/// The moment whose state the usual properties hold: the reference, or the time of the life that is
/// nearest to it.
double state_time_s(const PlyMotion& motion, double time_mean, double sigma, double plateau) {
  const double half = plateau + kSigmas * sigma;
  if (!(half < 1e9)) return motion.reference_s;
  return std::clamp(motion.reference_s, time_mean - half, time_mean + half);
}

/// Whether a value of the motion of a splat, other than its life, is not 0.
bool changes_with_time(const SplatCloud& cloud, std::size_t i) {
  return std::ranges::any_of(cloud.info().stored(), [&](Field field) {
    return field >= Field::velocity_x && cloud.at(i, field) != 0;
  });
}

/// Replaces position and derivatives at a time by the coefficients at the middle of the life, `d`
/// seconds after it. The Taylor series of degree 3 is exact.
void put_back(SplatCloud& cloud, std::size_t i, double d) {
  const bool curved = cloud.info().stores(Field::quadratic_x);
  const SplatCloud& read = cloud;
  for (int axis = 0; axis < 3; ++axis) {
    const auto value = [&](Field first) {
      return static_cast<double>(read.at(i, nth(first, axis)));
    };
    const auto put = [&](Field first, double to) {
      cloud.at(i, nth(first, axis)) = static_cast<float>(to);
    };
    const double velocity = value(Field::velocity_x), acceleration = value(Field::quadratic_x),
                 jerk = value(Field::cubic_x);
    put(Field::mean_x,
        value(Field::mean_x) + d * (velocity + d / 2 * (acceleration + d / 3 * jerk)));
    if (!curved) continue;
    put(Field::velocity_x, velocity + d * (acceleration + d / 2 * jerk));
    put(Field::quadratic_x, (acceleration + d * jerk) / 2);
    put(Field::cubic_x, jerk / 6);
  }
  for (int k = 0; curved && k < 4; ++k) {
    cloud.at(i, nth(Field::rotation_w, k)) =
        static_cast<float>(static_cast<double>(read.at(i, nth(Field::rotation_w, k))) +
                           d * static_cast<double>(read.at(i, nth(Field::spin_w, k))));
  }
}

/// Sets position, rotation and derivatives `d` seconds after the middle of the life.
void take_state(const SplatCloud& cloud, std::size_t i, double d, PlyMoment& moment) {
  const FieldPlanes& planes = cloud.info().planes;
  const SplatGeometry splat = load_geometry(planes, cloud.geometry_block(0), i);
  const MotionValues motion = load_motion(planes, cloud.geometry_block(0), i);
  for (int axis = 0; axis < 3; ++axis) {
    const CubicPath path = path_of(splat, motion, axis);
    const auto put = [&](Field first, double to) {
      moment[nth(first, axis)] = static_cast<float>(to);
    };
    put(Field::mean_x, path.at(d));
    put(Field::velocity_x, path.velocity + d * (2 * path.quadratic + 3 * d * path.cubic));
    put(Field::quadratic_x, 2 * path.quadratic + 6 * d * path.cubic);
    put(Field::cubic_x, 6 * path.cubic);
  }
  if (!cloud.info().stores(Field::spin_w)) return;
  const std::array<double, 4> rotation = rotation_at(splat, motion, d);
  double squares = 0;
  for (const double value : rotation) squares += value * value;
  const double length = squares > 0 ? std::sqrt(squares) : 1;
  for (int k = 0; k < 4; ++k) {
    const Field spin = nth(Field::spin_w, k);
    moment[nth(Field::rotation_w, k)] =
        static_cast<float>(rotation[static_cast<std::size_t>(k)] / length);
    moment[spin] = static_cast<float>(static_cast<double>(motion[spin]) / length);
  }
}

}  // namespace

SplatMotion ply_motion_of(const PlyHeader& header, const PlyElement& vertex,
                          const std::string& name, PlyMotion& found) {
  const char* version = comment_value(header, kVersionComment);
  if (const char* directional = comment_value(header, kDirectionComment)) {
    check_version(directional, "depend on the direction of view", "mote_directional", name);
    if (version == nullptr) return SplatMotion::conditional;
    throw Error(
        "has splats that move and depend on the direction of view, which this program does "
        "not draw",
        name, "remove the comment mote_motion or mote_directional from the header");
  }
  if (version == nullptr) return SplatMotion::still;
  check_version(version, "move", "mote_motion", name);
  const bool is_poly = std::ranges::any_of(
      kCurveGroups, [&](const CurveGroup& group) { return group.is_in(vertex); });
  for (const CurveGroup& group : kCurveGroups) {
    for (int k = 0; is_poly && !group.is_in(vertex) && k < group.count; ++k) {
      found.absent.push_back(nth(group.first, k));
    }
  }
  found.reference_s = seconds_of(header, "mote_time_reference_s", name, 0);
  found.times.duration_s = seconds_of(header, "mote_duration_s", name, 0);
  found.times.frames_per_second = seconds_of(header, "mote_frames_per_second", name, 0);
  if (!(found.times.duration_s > 0)) {
    throw Error("has splats that move, but no comment mote_duration_s with a time above 0", name,
                "add the comment to the header: comment mote_duration_s 10");
  }
  return is_poly ? SplatMotion::poly : SplatMotion::life;
}

const char* ply_motion_property(Field field) {
  // In the order of Field.
  static constexpr std::array kNames = {
      "time",       "log_time_sigma", "time_plateau",   "velocity_0",     "velocity_1",
      "velocity_2", "acceleration_0", "acceleration_1", "acceleration_2", "jerk_0",
      "jerk_1",     "jerk_2",         "spin_0",         "spin_1",         "spin_2",
      "spin_3",     "direction_0",    "direction_1",    "direction_2",    "log_direction_sigma",
      "slope_0",    "slope_1",        "slope_2",        "slope_3",        "slope_4",
      "slope_5",    "slope_6",        "slope_7",        "slope_8"};
  static_assert(kNames.size() == kFields - kKindFields);
  const int place = static_cast<int>(field) - kKindFields;
  return place < 0 ? "opacity_peak" : kNames[static_cast<std::size_t>(place)];
}

void from_ply_motion(const PlyMotion& motion, SplatCloud& cloud) {
  cloud.times = motion.times;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : motion.absent) cloud.at(i, field) = 0;
    const double plateau = static_cast<double>(cloud.at(i, Field::log_time_plateau));
    float& log_sigma = cloud.at(i, Field::log_time_sigma);
    if (log_sigma > kStaticLogPlateau) log_sigma = kStaticLogPlateau;  // an endless life
    const double sigma = std::exp(static_cast<double>(log_sigma));
    const double time_mean = static_cast<double>(cloud.at(i, Field::time_mean));
    const bool moves = changes_with_time(cloud, i);
    put_back(cloud, i, time_mean - state_time_s(motion, time_mean, sigma, plateau));
    float& log_plateau = cloud.at(i, Field::log_time_plateau);
    if (plateau >= motion.times.duration_s && !moves) {
      log_plateau = kStaticLogPlateau;
    } else if (plateau >= 0) {
      log_plateau = std::clamp(static_cast<float>(std::log(plateau)), kShortestLog,
                               std::nextafter(kLeastStaticLogPlateau, 0.0f));
    } else {
      log_plateau = std::numeric_limits<float>::quiet_NaN();  // counted as not finite
    }
  }
}

std::string ply_motion_comments(const PlyMotion& motion) {
  return fmt::format(
      "comment {}1\ncomment mote_time_reference_s {:.9g}\ncomment mote_duration_s {:.9g}\n"
      "comment mote_frames_per_second {:.9g}\n",
      kVersionComment, motion.reference_s, motion.times.duration_s, motion.times.frames_per_second);
}

PlyMoment to_ply_motion(const PlyMotion& motion, const SplatCloud& cloud, std::size_t splat) {
  const auto value = [&](Field field) { return static_cast<double>(cloud.at(splat, field)); };
  const double sigma = std::exp(value(Field::log_time_sigma));
  const double plateau = std::exp(value(Field::log_time_plateau));
  const double time_mean = value(Field::time_mean);
  PlyMoment moment{};
  for (const Field field : cloud.info().stored()) moment[field] = cloud.at(splat, field);
  take_state(cloud, splat, state_time_s(motion, time_mean, sigma, plateau) - time_mean, moment);
  const double weight =
      life_weight(LifeTime<double>{time_mean, sigma, plateau}, motion.reference_s).weight;
  const double opacity = sigmoid(value(Field::logit_opacity)) * weight;
  const double shown = weight == 1 ? value(Field::logit_opacity) : logit(opacity);
  moment[Field::logit_opacity] = static_cast<float>(std::max(kLeastOpacity, shown));
  moment[Field::log_time_plateau] = static_cast<float>(plateau);
  return moment;
}

}  // namespace mote
