#pragma once

// Training steps for tests of SplatTrainer: a scene around the origin and one grey photograph.

#include <vector>

#include "backend/splat_trainer.h"

namespace mote {

/// 150 x 110 px, as grey_photo().
Camera training_camera(glm::dvec3 eye, glm::dvec3 target = {0, 0, 0});
PhotoPixels grey_photo();
/// Uses standard learning rates; the photograph must outlive the request.
StepRequest request_of(const Camera& camera, const PhotoPixels& photo, std::uint64_t step);
/// Runs steps first .. last, with noise, from cameras around the scene.
void train(SplatTrainer& trainer, const PhotoPixels& photo, std::uint64_t first,
           std::uint64_t last);
/// Whether both clouds are bit-identical.
bool equal(const SplatCloud& a, const SplatCloud& b);
/// All stored values of the splats, in an order that does not depend on that of the cloud.
std::vector<std::vector<float>> values_of(const SplatCloud& cloud);

}  // namespace mote
