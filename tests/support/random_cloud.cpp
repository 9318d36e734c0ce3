#include "random_cloud.h"

#include <random>

namespace mote {

SplatCloud random_cloud(std::size_t count, int sh_degree, std::uint32_t seed) {
  std::mt19937 engine(seed);
  // Not std::uniform_real_distribution, whose values differ between libraries.
  const auto uniform = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(engine() >> 8) * 0x1p-24f;
  };
  SplatCloud cloud(count, sh_degree);
  for (std::size_t i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) {
      cloud.at(i, static_cast<Field>(k)) = uniform(-1, 1);
      cloud.at(i, static_cast<Field>(3 + k)) = uniform(-6, -1.5f);
    }
    for (int k = 0; k < 4; ++k) cloud.at(i, static_cast<Field>(6 + k)) = uniform(-1, 1);
    cloud.at(i, Field::logit_opacity) = uniform(-4, 5);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        cloud.sh(i, k, c) = k == 0 ? uniform(-1.5f, 1.5f) : uniform(-0.3f, 0.3f);
      }
    }
  }
  return cloud;
}

SplatCloud random_directional_cloud(std::size_t count, int sh_degree, std::uint32_t seed) {
  const SplatCloud still = random_cloud(count, sh_degree, seed);
  std::mt19937 engine(seed + 1);
  const auto uniform = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(engine() >> 8) * 0x1p-24f;
  };
  SplatCloud cloud(count, {still.kind(), sh_degree, SplatMotion::conditional});
  for (std::size_t i = 0; i < count; ++i) {
    for (const Field field : still.info().stored()) cloud.at(i, field) = still.at(i, field);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = still.sh(i, k, c);
    }
    for (const Field field : cloud.info().stored()) {
      if (group_of(field) == RateGroup::direction_mean) cloud.at(i, field) = uniform(-0.7f, 0.7f);
      if (group_of(field) == RateGroup::slope) cloud.at(i, field) = uniform(-0.3f, 0.3f);
    }
    cloud.at(i, Field::log_direction_sigma) = uniform(-1.8f, 0.5f);
  }
  return cloud;
}

SplatCloud random_moving_cloud(std::size_t count, int sh_degree, std::uint32_t seed,
                               SplatMotion motion) {
  const SplatCloud still = random_cloud(count, sh_degree, seed);
  std::mt19937 engine(seed + 1);
  const auto uniform = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(engine() >> 8) * 0x1p-24f;
  };
  SplatCloud cloud(count, {still.kind(), sh_degree, motion});
  cloud.times = {.duration_s = 2, .frames_per_second = 30};
  for (std::size_t i = 0; i < count; ++i) {
    for (const Field field : still.info().stored()) cloud.at(i, field) = still.at(i, field);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = still.sh(i, k, c);
    }
    cloud.at(i, Field::time_mean) = uniform(-0.2f, 2.2f);
    cloud.at(i, Field::log_time_sigma) = uniform(-3.5f, -1.5f);
    cloud.at(i, Field::log_time_plateau) = uniform(-5, -2);
    for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
      cloud.at(i, field) = uniform(-0.5f, 0.5f);
    }
  }
  for (const Field field : cloud.info().stored()) {
    if (field < Field::quadratic_x) continue;
    const float most = field < Field::spin_w ? 0.3f : 1.0f;
    for (std::size_t i = 0; i < count; ++i) cloud.at(i, field) = uniform(-most, most);
  }
  return cloud;
}

}  // namespace mote
