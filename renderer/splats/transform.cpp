#include "splats/transform.h"
#include "scene/similarity.h"

#include <algorithm>
#include <cmath>
#include <glm/ext/quaternion_double.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>

#include "core/error.h"
#include "math/sh_rotation.h"

namespace mote {
namespace {

constexpr std::size_t at(Field field) {
  return static_cast<std::size_t>(field) * kBlockSize;
}

/// Columns are read in double, so that coordinates far from the origin lose no precision.
glm::dvec3 mean_of(const float* geometry, std::size_t i) {
  return {geometry[at(Field::mean_x) + i], geometry[at(Field::mean_y) + i],
          geometry[at(Field::mean_z) + i]};
}

void set_mean(float* geometry, std::size_t i, const glm::dvec3& mean) {
  geometry[at(Field::mean_x) + i] = static_cast<float>(mean.x);
  geometry[at(Field::mean_y) + i] = static_cast<float>(mean.y);
  geometry[at(Field::mean_z) + i] = static_cast<float>(mean.z);
}

void turn(float* geometry, std::size_t i, const glm::dquat& turned_by) {
  const glm::dquat q = turned_by * glm::dquat(geometry[at(Field::rotation_w) + i],
                                              geometry[at(Field::rotation_x) + i],
                                              geometry[at(Field::rotation_y) + i],
                                              geometry[at(Field::rotation_z) + i]);
  geometry[at(Field::rotation_w) + i] = static_cast<float>(q.w);
  geometry[at(Field::rotation_x) + i] = static_cast<float>(q.x);
  geometry[at(Field::rotation_y) + i] = static_cast<float>(q.y);
  geometry[at(Field::rotation_z) + i] = static_cast<float>(q.z);
}

}  // namespace

void transform(SplatCloud& cloud, const Similarity& similarity) {
  CHECK(similarity.scale > 0);
  const glm::dmat3 linear = similarity.rotation * similarity.scale;
  const bool turned = similarity.rotation != glm::dmat3(1);
  if (!turned && similarity.scale == 1 && similarity.translation == glm::dvec3(0)) return;
  const glm::dquat turned_by = glm::quat_cast(similarity.rotation);
  const ShRotation sh_rotation(similarity.rotation, cloud.sh_degree());
  const auto log_scale = static_cast<float>(std::log(similarity.scale));
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    float* geometry = cloud.geometry_block(b);
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      set_mean(geometry, i, linear * mean_of(geometry, i) + similarity.translation);
      for (const Field f : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
        geometry[at(f) + i] += log_scale;
      }
      if (turned) turn(geometry, i, turned_by);
    }
    if (!turned) continue;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      sh_rotation.apply(cloud.sh_block(b) + channel * kBlockSize, 3 * kBlockSize, kBlockSize);
    }
  }
}

FloatLimits find_float_limits(const SplatCloud& cloud) {
  FloatLimits limits;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    bool finite = true;
    for (int f = 0; f < static_cast<int>(Field::logit_opacity); ++f) {
      const float value = cloud.at(i, static_cast<Field>(f));
      const bool is_scale =
          f >= static_cast<int>(Field::log_scale_x) && f <= static_cast<int>(Field::log_scale_z);
      finite = finite && (std::isfinite(value) || (is_scale && value < 0));
    }
    if (!finite) {
      ++limits.infinite;
      continue;
    }
    const float farthest =
        std::max({std::abs(cloud.at(i, Field::mean_x)), std::abs(cloud.at(i, Field::mean_y)),
                  std::abs(cloud.at(i, Field::mean_z))});
    const float rounding =
        (std::nextafter(farthest, std::numeric_limits<float>::infinity()) - farthest) / 2;
    const float longest =
        std::max({cloud.at(i, Field::log_scale_x), cloud.at(i, Field::log_scale_y),
                  cloud.at(i, Field::log_scale_z)});
    limits.coarse += rounding > std::exp(longest);
  }
  return limits;
}

}  // namespace mote
