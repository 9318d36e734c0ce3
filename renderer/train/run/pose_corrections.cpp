#include "train/run/pose_corrections.h"

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "core/byte_stream.h"

namespace mote {
namespace {

// Fraction of the correction that a step on a whole photograph removes. Over a run, this removes
// corrections that the photographs do not support.
constexpr double kPosePull = 1e-3;

/// The rotation about `axis_angle` (radians), by Rodrigues' formula.
glm::dmat3 rotation_about(const glm::dvec3& axis_angle) {
  const double angle = glm::length(axis_angle);
  if (angle < 1e-12) return glm::dmat3(1);
  const glm::dvec3 a = axis_angle / angle;
  const glm::dmat3 cross{{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}};  // columns
  return glm::dmat3(1) + std::sin(angle) * cross + (1 - std::cos(angle)) * (cross * cross);
}

/// The nearest rotation to a product with accumulated rounding errors (Gram-Schmidt).
glm::dmat3 orthonormal(const glm::dmat3& m) {
  const glm::dvec3 x = glm::normalize(m[0]);
  const glm::dvec3 y = glm::normalize(m[1] - x * glm::dot(x, m[1]));
  return {x, y, glm::cross(x, y)};
}

/// Axis times angle of a small rotation.
glm::dvec3 small_axis_angle(const glm::dmat3& m) {
  return 0.5 * glm::dvec3(m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]);
}

}  // namespace

PoseCorrections::PoseCorrections(std::size_t photographs)
    : motions_(photographs), adam_(photographs, SmallAdam(6)) {}

Camera PoseCorrections::corrected(std::size_t photograph, const Camera& camera) const {
  const Motion& motion = motions_[photograph];
  Camera moved = camera;
  moved.cam_from_world = motion.rotation * camera.cam_from_world;
  moved.translation = motion.rotation * camera.translation + motion.shift;
  return moved;
}

void PoseCorrections::update(std::size_t photograph, const glm::dvec3& d_rotation,
                             const glm::dvec3& d_translation, double learning_rate, double extent,
                             double share) {
  const double pull = kPosePull * share;
  Motion& motion = motions_[photograph];
  // The shift is learned in scene extents, so that Adam's steps suit scenes of any size.
  const std::array<double, 6> gradient{d_rotation.x,
                                       d_rotation.y,
                                       d_rotation.z,
                                       d_translation.x * extent,
                                       d_translation.y * extent,
                                       d_translation.z * extent};
  const std::vector<double> change =
      adam_[photograph].step(gradient, learning_rate * std::sqrt(share));
  const glm::dvec3 turn =
      glm::dvec3(change[0], change[1], change[2]) - pull * small_axis_angle(motion.rotation);
  const glm::dmat3 rotation = rotation_about(turn);
  motion.rotation = orthonormal(rotation * motion.rotation);
  motion.shift =
      rotation * (motion.shift * (1 - pull)) + glm::dvec3(change[3], change[4], change[5]) * extent;
}

void PoseCorrections::save(ByteSink& sink) const {
  sink.put_all(std::span<const Motion>(motions_));
  for (const SmallAdam& adam : adam_) adam.save(sink);
}

void PoseCorrections::restore(ByteSource& source) {
  std::vector<Motion> motions = get_all<Motion>(source);
  if (motions.size() != motions_.size()) {
    throw Error("has poses for another number of photographs", "the saved training state",
                "resume with the original dataset of the run");
  }
  motions_ = std::move(motions);
  for (SmallAdam& adam : adam_) adam.restore(source);
}

}  // namespace mote
