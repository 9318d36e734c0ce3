#include "splat_trainer_steps.h"

#include <algorithm>
#include <cmath>

namespace mote {

Camera training_camera(glm::dvec3 eye, glm::dvec3 target) {
  Camera camera;
  camera.width = 150;
  camera.height = 110;
  camera.focal_px = {120, 120};
  camera.center_px = {75, 55};
  look_at(camera, eye, target, {0, 0, 1});
  return camera;
}

PhotoPixels grey_photo() {
  PhotoPixels photo;
  photo.color.resize_discard(150, 110, 3);
  for (std::size_t i = 0; i < photo.color.pixels.size(); ++i) {
    photo.color.pixels[i] = static_cast<std::uint8_t>(100 + i * 7 % 60);
  }
  return photo;
}

StepRequest request_of(const Camera& camera, const PhotoPixels& photo, std::uint64_t step) {
  StepRequest request;
  request.camera = camera;
  request.photo = &photo;
  request.rates = {1e-3f, 5e-3f, 1e-3f, 2.5e-2f, 2.5e-3f, 1.25e-4f};
  request.step = step;
  return request;
}

void train(SplatTrainer& trainer, const PhotoPixels& photo, std::uint64_t first,
           std::uint64_t last) {
  for (std::uint64_t i = first; i <= last; ++i) {
    const double angle = static_cast<double>(i);
    StepRequest request =
        request_of(training_camera({4 * std::cos(angle), 4 * std::sin(angle), 1}), photo, i);
    request.noise = 1.0f;
    request.noise_seed = i;
    trainer.step(request);
  }
}

bool equal(const SplatCloud& a, const SplatCloud& b) {
  if (a.count() != b.count() || a.sh_degree() != b.sh_degree()) return false;
  for (std::size_t i = 0; i < a.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      if (a.at(i, static_cast<Field>(f)) != b.at(i, static_cast<Field>(f))) return false;
    }
    for (int k = 0; k < a.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        if (a.sh(i, k, c) != b.sh(i, k, c)) return false;
      }
    }
  }
  return true;
}

std::vector<std::vector<float>> values_of(const SplatCloud& cloud) {
  std::vector<std::vector<float>> splats(cloud.count());
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) splats[i].push_back(cloud.at(i, field));
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) splats[i].push_back(cloud.sh(i, k, c));
    }
  }
  std::ranges::sort(splats);
  return splats;
}

}  // namespace mote
