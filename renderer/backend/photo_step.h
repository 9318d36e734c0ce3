#pragma once

#include <array>
#include <glm/vec3.hpp>

#include "scene/exposure.h"

namespace mote {

/// Results of a training step on one photograph, for any model, with the gradients that a caller
/// may use to optimise camera, exposure or background. Gradients are of the whole loss.
struct PhotoStepResult {
  double loss = 0, l1 = 0, ssim = 0;
  double mse = 0;  // between the exposed image and the photograph
  std::array<float, 3> d_background{0, 0, 0};
  Exposure d_exposure{};
  // Gradients of a small camera motion: p_cam -> p_cam + rotation x p_cam + translation.
  glm::dvec3 d_pose_rotation{0, 0, 0}, d_pose_translation{0, 0, 0};
  double project_ms = 0, forward_ms = 0, loss_ms = 0, backward_ms = 0, update_ms = 0, total_ms = 0;
};

}  // namespace mote
