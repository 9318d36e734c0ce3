#include "io/splats/ply_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "math/activations.h"
#include "splats/motions/life.h"

namespace mote {
namespace {

constexpr const char* kVersionComment = "mote_motion ";
constexpr double kLeastOpacity = -15;  // logit
constexpr float kShortestLog = -20;    // of a plateau or a sigma, ln s
constexpr double kSigmas = 3;          // of the life that holds the reference
constexpr std::array<Field, 3> kMeans{Field::mean_x, Field::mean_y, Field::mean_z};
constexpr std::array<Field, 3> kVelocities{Field::velocity_x, Field::velocity_y, Field::velocity_z};

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

/// The moment whose state the usual properties hold: the reference, or the time of the life that is
/// nearest to it.
double state_time_s(const PlyMotion& motion, double time_mean, double sigma, double plateau) {
  const double half = plateau + kSigmas * sigma;
  if (!(half < 1e9)) return motion.reference_s;
  return std::clamp(motion.reference_s, time_mean - half, time_mean + half);
}

}  // namespace

SplatMotion ply_motion_of(const PlyHeader& header, const PlyElement& vertex,
                          const std::string& name, PlyMotion& found) {
  const char* version = comment_value(header, kVersionComment);
  if (version == nullptr) return SplatMotion::still;
  if (std::string_view(version) != "1") {
    throw Error(fmt::format("has splats that move, in version '{}' of mote_motion; this program "
                            "reads version 1",
                            std::string_view(version).substr(0, 20)),
                name, "use a newer version of Mote");
  }
  for (const PlyProperty& property : vertex.properties) {
    for (const char* prefix : {"acceleration_", "jerk_", "spin_"}) {
      if (!property.name.starts_with(prefix)) continue;
      throw Error(fmt::format("its splats have the property {}, a motion that this program does "
                              "not read",
                              property.name),
                  name, "export it with constant velocities");
    }
  }
  found.reference_s = seconds_of(header, "mote_time_reference_s", name, 0);
  found.times.duration_s = seconds_of(header, "mote_duration_s", name, 0);
  found.times.frames_per_second = seconds_of(header, "mote_frames_per_second", name, 0);
  if (!(found.times.duration_s > 0)) {
    throw Error("has splats that move, but no comment mote_duration_s with a time above 0", name,
                "add the comment to the header: comment mote_duration_s 10");
  }
  return SplatMotion::life;
}

const char* ply_motion_property(Field field) {
  switch (field) {
    case Field::time_mean:
      return "time";
    case Field::log_time_sigma:
      return "log_time_sigma";
    case Field::log_time_plateau:
      return "time_plateau";
    case Field::velocity_x:
      return "velocity_0";
    case Field::velocity_y:
      return "velocity_1";
    case Field::velocity_z:
      return "velocity_2";
    default:
      return "opacity_peak";
  }
}

void from_ply_motion(const PlyMotion& motion, SplatCloud& cloud) {
  cloud.times = motion.times;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double plateau = static_cast<double>(cloud.at(i, Field::log_time_plateau));
    float& log_sigma = cloud.at(i, Field::log_time_sigma);
    if (log_sigma > kStaticLogPlateau) log_sigma = kStaticLogPlateau;  // an endless life
    const double sigma = std::exp(static_cast<double>(log_sigma));
    const double time_mean = static_cast<double>(cloud.at(i, Field::time_mean));
    const double since_s = time_mean - state_time_s(motion, time_mean, sigma, plateau);
    bool moves = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float velocity = cloud.at(i, kVelocities[axis]);
      moves = moves || velocity != 0;
      float& mean = cloud.at(i, kMeans[axis]);
      mean =
          static_cast<float>(static_cast<double>(mean) + static_cast<double>(velocity) * since_s);
    }
    float& log_plateau = cloud.at(i, Field::log_time_plateau);
    if (plateau >= motion.times.duration_s && !moves) {
      log_plateau = kStaticLogPlateau;
    } else if (plateau >= 0) {
      log_plateau = std::clamp(static_cast<float>(std::log(plateau)), kShortestLog,
                               std::nextafter(kStaticLogPlateau, 0.0f));
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
  const double since_s = state_time_s(motion, time_mean, sigma, plateau) - time_mean;
  PlyMoment moment{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    moment.mean[axis] =
        static_cast<float>(value(kMeans[axis]) + value(kVelocities[axis]) * since_s);
  }
  const double weight =
      life_weight(LifeTime<double>{time_mean, sigma, plateau}, motion.reference_s).weight;
  const double opacity = sigmoid(value(Field::logit_opacity)) * weight;
  const double shown = weight == 1 ? value(Field::logit_opacity) : logit(opacity);
  moment.opacity = static_cast<float>(std::max(kLeastOpacity, shown));
  moment.plateau_s = static_cast<float>(plateau);
  return moment;
}

}  // namespace mote
