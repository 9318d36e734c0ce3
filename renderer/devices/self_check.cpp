#include "devices/self_check.h"

#include <fmt/format.h>

#include <cmath>

#include "core/random.h"
#include "cpu/cpu_backend.h"

namespace mote {
namespace {

constexpr int kWidth = 96, kHeight = 64;

/// Large and small, faint and dense splats, in front of the camera and behind it.
SplatCloud scene() {
  constexpr std::size_t kSplats = 300;
  constexpr int kShDegree = 2;
  Random random(1);
  const auto uniform = [&random](double low, double high) {
    return static_cast<float>(random.uniform(low, high));
  };
  SplatCloud cloud(kSplats, kShDegree);
  for (std::size_t i = 0; i < kSplats; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      cloud.at(i, static_cast<Field>(axis)) = uniform(-1, 1);
      cloud.at(i, static_cast<Field>(3 + axis)) = uniform(-5, -2);
    }
    for (int part = 0; part < 4; ++part) cloud.at(i, static_cast<Field>(6 + part)) = uniform(-1, 1);
    cloud.at(i, Field::logit_opacity) = uniform(-3, 4);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int channel = 0; channel < 3; ++channel) cloud.sh(i, k, channel) = uniform(-0.5, 0.5);
    }
  }
  return cloud;
}

Camera view() {
  Camera camera;
  camera.width = kWidth;
  camera.height = kHeight;
  camera.focal_px = {90, 90};
  camera.center_px = {kWidth / 2.0, kHeight / 2.0};
  camera.translation = {0, 0, 1.5};
  return camera;
}

Frame picture_by(Backend& backend) {
  RenderSettings settings;
  settings.background = {0.2f, 0.3f, 0.4f};
  Frame frame;
  const std::unique_ptr<DeviceScene> uploaded = backend.upload(scene());
  backend.render(*uploaded, view(), settings, frame);
  return frame;
}

}  // namespace

std::string self_check(Backend& backend) {
  // Backends agree within 1e-4 except where a splat's opacity is near a threshold.
  constexpr double kMeanMost = 1e-4, kMost = 0.05;
  const std::unique_ptr<Backend> cpu = make_cpu_backend({.threads = 1, .isa = {}});
  const Frame wanted = picture_by(*cpu), found = picture_by(backend);
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < wanted.rgb.pixels.size(); ++i) {
    const double difference = std::abs(static_cast<double>(wanted.rgb.pixels[i]) -
                                       static_cast<double>(found.rgb.pixels[i]));
    sum += difference;
    // The negated comparison makes NaN a difference.
    if (!(difference <= most)) most = difference;
  }
  const double mean = sum / static_cast<double>(wanted.rgb.pixels.size());
  if (mean <= kMeanMost && most <= kMost) return {};
  return fmt::format(
      "it renders a test scene differently from the CPU, by {:.2g} on average and {:.2g} at most",
      mean, most);
}

}  // namespace mote
