#pragma once

// Steps that tests of SplatTrainer take: a scene about the origin before one grey photograph.

#include "backend/splat_trainer.h"

namespace mote {

/// 150 x 110 px, as grey_photo().
Camera training_camera(glm::dvec3 eye, glm::dvec3 target = {0, 0, 0});
PhotoPixels grey_photo();
/// With usual rates; the photograph must outlive it.
StepRequest request_of(const Camera& camera, const PhotoPixels& photo, std::uint64_t step);
/// Steps first .. last, with noise, from cameras around the scene.
void train(SplatTrainer& trainer, const PhotoPixels& photo, std::uint64_t first,
           std::uint64_t last);
/// Bit for bit.
bool equal(const SplatCloud& a, const SplatCloud& b);

}  // namespace mote
