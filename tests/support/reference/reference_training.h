#pragma once

// Two references of one training step in double precision. loss_of() uses the reference renderer
// and the definition of the loss, without the renderer's math headers. gradient_of() is the
// backward pass, composed of the kernels' templates with F = double. Finite differences of the
// first check the second; the second checks the kernels.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <vector>

#include "backend/splat_trainer.h"
#include "reference_loss.h"
#include "reference_renderer.h"

namespace mote {

struct ReferenceStep {
  ReferenceCloud cloud;
  Camera camera;
  bool antialiased = false;
  int sh_degree = kMaxShDegree;
  /// Photograph, mask, background, exposure and ssim_weight; `rendered` is ignored.
  ReferenceLossInput target;
  double opacity_regularizer = 0, scale_regularizer = 0;
  // p_cam -> exp(rotation) p_cam + translation
  glm::dvec3 pose_rotation{0}, pose_translation{0};
};

struct LossWithDecisions {
  double loss = 0;
  std::uint64_t decisions = 0;  // of the frame, and of the signs of rendered - photograph
};

LossWithDecisions loss_of(const ReferenceStep& step);

struct ReferenceGradient {
  double loss = 0;
  ReferenceCloud cloud;
  glm::dvec3 pose_rotation{0}, pose_translation{0};
  std::array<double, 3> background{};
  std::array<double, 12> exposure{};
};

/// Requires pose_rotation and pose_translation to be zero.
ReferenceGradient gradient_of(const ReferenceStep& step);

/// The step as a request to a trainer; the photograph must outlive it.
StepRequest request_of(const ReferenceStep& step, const PhotoPixels& photo);

PhotoPixels photo_of(const ReferenceLossInput& target);

}  // namespace mote
