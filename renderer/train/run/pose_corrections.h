#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "cameras/camera.h"
#include "core/byte_stream.h"
#include "train/run/small_adam.h"

namespace mote {

/// A small rigid motion for each photograph's camera, learned by Adam: p_cam becomes
/// rotation * p_cam + shift. Each step composes a small motion in the camera's frame; Adam's
/// moments live in that frame, six numbers: rotation, then shift. A weak pull towards no correction
/// keeps all cameras together from drifting away with the scene.
class PoseCorrections {
 public:
  explicit PoseCorrections(std::size_t photographs);

  Camera corrected(std::size_t photograph, const Camera& camera) const;
  /// `d_rotation` and `d_translation` as StepResult gives them; `learning_rate` in radians, and in
  /// extents for the shift.
  void update(std::size_t photograph, const glm::dvec3& d_rotation, const glm::dvec3& d_translation,
              double learning_rate, double extent);

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  struct Motion {
    glm::dmat3 rotation{1};
    glm::dvec3 shift{0};
  };
  std::vector<Motion> motions_;
  std::vector<SmallAdam> adam_;
};

}  // namespace mote
