#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "cameras/camera.h"
#include "core/byte_stream.h"
#include "train/run/small_adam.h"

namespace mote {

/// A small rigid correction per photograph's camera, learned by Adam: p_cam becomes rotation *
/// p_cam + shift. Each step composes a small motion in the camera's frame. Adam's moments are in
/// that frame and have six components: rotation, then shift. A weak pull towards the identity keeps
/// the cameras from drifting together with the scene.
class PoseCorrections {
 public:
  explicit PoseCorrections(std::size_t photographs);

  Camera corrected(std::size_t photograph, const Camera& camera) const;
  /// `d_rotation` and `d_translation` as in PhotoStepResult. `learning_rate` is in radians for the
  /// rotation and in scene extents for the shift. `share`: of a whole photograph in this step. The
  /// pull has this share. The rate has its root: the gradient of a share has more noise, and the
  /// noise of such steps then moves a pose no farther than that of one step on the whole.
  void update(std::size_t photograph, const glm::dvec3& d_rotation, const glm::dvec3& d_translation,
              double learning_rate, double extent, double share = 1);

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
