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

/// Columns are read in double, so that coordinates far from the origin lose no precision.
glm::dvec3 world_mean(const SplatCloud& cloud, std::size_t i) {
  return {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)};
}

void set_mean(SplatCloud& cloud, std::size_t i, const glm::dvec3& mean) {
  cloud.at(i, Field::mean_x) = static_cast<float>(mean.x);
  cloud.at(i, Field::mean_y) = static_cast<float>(mean.y);
  cloud.at(i, Field::mean_z) = static_cast<float>(mean.z);
}

Field after(Field first, int steps) {
  return static_cast<Field>(static_cast<int>(first) + steps);
}

/// Changes the vector whose fields begin with `first`.
void apply(const glm::dmat3& linear, SplatCloud& cloud, std::size_t i, Field first) {
  float &x = cloud.at(i, first), &y = cloud.at(i, after(first, 1)),
        &z = cloud.at(i, after(first, 2));
  const glm::dvec3 changed = linear * glm::dvec3(x, y, z);
  x = static_cast<float>(changed.x);
  y = static_cast<float>(changed.y);
  z = static_cast<float>(changed.z);
}

/// Changes the direction and the derivatives of the position by direction: slope becomes
/// scale * rotation * slope * rotation^T.
void apply_to_directions(const Similarity& similarity, SplatCloud& cloud, std::size_t i) {
  apply(similarity.rotation, cloud, i, Field::direction_mean_x);
  glm::dmat3 slope_transposed;
  for (int k = 0; k < 9; ++k) {
    slope_transposed[k / 3][k % 3] = static_cast<double>(cloud.at(i, after(Field::slope_xx, k)));
  }
  const glm::dmat3 turned = similarity.scale * similarity.rotation * slope_transposed *
                            glm::transpose(similarity.rotation);
  for (int k = 0; k < 9; ++k) {
    cloud.at(i, after(Field::slope_xx, k)) = static_cast<float>(turned[k / 3][k % 3]);
  }
}

/// Changes the derivatives of the position by time and by direction.
void apply_to_motion(const Similarity& similarity, SplatCloud& cloud, std::size_t i) {
  for (const Field first : {Field::velocity_x, Field::quadratic_x, Field::cubic_x}) {
    if (!cloud.info().stores(first)) continue;
    apply(similarity.rotation * similarity.scale, cloud, i, first);
  }
  if (cloud.info().is_directional()) apply_to_directions(similarity, cloud, i);
}

/// Turns the quaternion whose fields begin with `first`: w, x, y, z.
void turn(SplatCloud& cloud, std::size_t i, const glm::dquat& turned_by, Field first) {
  float &w = cloud.at(i, first), &x = cloud.at(i, after(first, 1)),
        &y = cloud.at(i, after(first, 2)), &z = cloud.at(i, after(first, 3));
  const glm::dquat q = turned_by * glm::dquat(w, x, y, z);
  w = static_cast<float>(q.w);
  x = static_cast<float>(q.x);
  y = static_cast<float>(q.y);
  z = static_cast<float>(q.z);
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
    for (std::size_t i = b * kBlockSize; i < (b + 1) * kBlockSize; ++i) {
      set_mean(cloud, i, linear * world_mean(cloud, i) + similarity.translation);
      for (const Field field : cloud.info().stored()) {
        if (group_of(field) == RateGroup::log_scale) cloud.at(i, field) += log_scale;
      }
      apply_to_motion(similarity, cloud, i);
      if (turned) turn(cloud, i, turned_by, Field::rotation_w);
      if (turned && cloud.info().stores(Field::spin_w)) turn(cloud, i, turned_by, Field::spin_w);
    }
    if (!turned || cloud.decoder != nullptr) continue;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      sh_rotation.apply(cloud.sh_block(b) + channel * kBlockSize, 3 * kBlockSize, kBlockSize);
    }
  }
}

void transform_scene(SplatCloud& cloud, const Similarity& similarity) {
  if (cloud.deformation != nullptr && !is_identity(similarity)) {
    throw Error("a scene with a deformation field cannot be moved, turned or scaled", "the splats",
                "write the splats at one time or as frames, with mote convert --time or --frames");
  }
  if (cloud.decoder != nullptr && !is_identity(similarity)) {
    throw Error(
        "a scene with features cannot be moved, turned or scaled: the network that makes "
        "its colours knows rays in the frame of the scene",
        "the splats", "place it in the window, or move the cameras");
  }
  transform(cloud, similarity);
}

FloatLimits find_float_limits(const SplatCloud& cloud) {
  FloatLimits limits;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    bool finite = true;
    for (const Field field : cloud.info().stored()) {
      if (field == Field::logit_opacity) continue;
      const float value = cloud.at(i, field);
      finite = finite &&
               (std::isfinite(value) || (group_of(field) == RateGroup::log_scale && value < 0));
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
