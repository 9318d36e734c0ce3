#include "io/splats/fourdgs_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/splats/cloud_building.h"
#include "math/activations.h"
#include "splats/motions/life.h"

namespace mote::fourdgs {
namespace {

constexpr float kMostLogit = 15;
constexpr float kShortestLog = -20;  // ln s, of no plateau

}  // namespace

SceneTimes times_of(const Header& header) {
  SceneTimes times{.duration_s = header.duration_s};
  const auto rate = header.attributes.find(kRateAttribute);
  if (rate == header.attributes.end()) return times;
  const std::string& text = rate->second;
  double frames_per_second = 0;
  std::from_chars(text.data(), text.data() + text.size(), frames_per_second);
  if (frames_per_second > 0 && frames_per_second < 1e6) {
    times.frames_per_second = frames_per_second;
  }
  return times;
}

std::size_t harmonic_place(int coefficient, int channel) {
  int band = 1;
  while (coefficient >= (band + 1) * (band + 1)) ++band;
  const int first = band * band, width = 2 * band + 1;
  return static_cast<std::size_t>(3 * (first - 1) + channel * width + coefficient - first);
}

void store(const LifeSplat& life, std::span<const float> harmonics, std::size_t i,
           SplatCloud& cloud) {
  const Splat& splat = life.splat;
  for (std::size_t k = 0; k < 3; ++k) {
    cloud.at(i, kMeanFields[k]) = splat.position[k];
    cloud.at(i, kScaleFields[k]) = std::log(splat.scale[k]);
    cloud.sh(i, 0, static_cast<int>(k)) = (splat.color[k] - 0.5f) / kShC0;
  }
  for (std::size_t k = 0; k < 4; ++k) cloud.at(i, kRotationFields[k]) = splat.rotation[k];
  cloud.at(i, Field::logit_opacity) = std::clamp(logit(splat.color[3]), -kMostLogit, kMostLogit);
  for (int c = 1; c < cloud.sh_coefficients(); ++c) {
    for (int channel = 0; channel < 3; ++channel) {
      cloud.sh(i, c, channel) = harmonics[harmonic_place(c, channel)];
    }
  }
  if (!cloud.info().moves()) return;
  for (std::size_t k = 0; k < 3; ++k) {
    cloud.at(i, kVelocityFields[k]) = life.is_static ? 0 : splat.velocity[k];
  }
  cloud.at(i, Field::time_mean) = splat.time;
  cloud.at(i, Field::log_time_sigma) = life.is_static ? 0 : std::log(splat.sigma);
  cloud.at(i, Field::log_time_plateau) =
      life.is_static ? kStaticLogPlateau
                     : std::max(kShortestLog, static_cast<float>(std::log(life.plateau)));
}

std::string cut_warning(std::size_t cut) {
  return fmt::format(
      "the lives of {} splats end or begin at once while they are seen; they are boxes of the "
      "same mean opacity here",
      cut);
}

}  // namespace mote::fourdgs
