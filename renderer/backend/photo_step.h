#pragma once

#include <array>
#include <glm/vec3.hpp>
#include <limits>

#include "math/exposure.h"

namespace mote {

/// Results of a training step on one photograph, for any model. A caller may use the gradients to
/// optimise camera, exposure or background; they are gradients of the whole loss.
struct PhotoStepResult {
  double loss = 0, l1 = 0, ssim = 0;
  double mse = 0;  // between the exposed image and the photograph
  /// Whether a pixel counted. If none did, the losses say nothing.
  bool is_measured = true;
  /// Means over the rays of a field whose samples are chosen by proposals, which `loss` does not
  /// contain; NaN for other models.
  double interlevel = std::numeric_limits<double>::quiet_NaN();
  double distortion = std::numeric_limits<double>::quiet_NaN();
  std::array<float, 3> d_background{0, 0, 0};
  Exposure d_exposure{};
  // Gradients of a small camera motion, p_cam -> p_cam + rotation x p_cam + translation; 0 unless
  // they were requested.
  glm::dvec3 d_pose_rotation{0, 0, 0}, d_pose_translation{0, 0, 0};
  double d_time = 0;  // by the time of the view, 1/s; 0 unless it was requested
  double project_ms = 0, forward_ms = 0, loss_ms = 0, backward_ms = 0, update_ms = 0, total_ms = 0;
};

/// Sums over the pixels and channels of a step: weight * |x - y|, weight * SSIM (0 if the loss has
/// no SSIM) and weight * (x - y)^2.
struct PhotoSums {
  double absolute = 0, ssim = 0, squared = 0;
};

/// Sets loss, l1, ssim, mse and is_measured. `weight`: sum of the pixels' weights.
inline void set_losses(const PhotoSums& sums, double weight, float ssim_weight,
                       PhotoStepResult& result) {
  const double scale = weight > 0 ? 1 / (3 * weight) : 0, w = ssim_weight;
  result.l1 = sums.absolute * scale;
  result.ssim = sums.ssim * scale;
  result.mse = sums.squared * scale;
  result.is_measured = weight > 0;
  result.loss = (1 - w) * result.l1 + (w > 0 ? w * (1 - result.ssim) : 0);
}

}  // namespace mote
