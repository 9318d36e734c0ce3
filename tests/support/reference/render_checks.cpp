#include "render_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference_renderer.h"
#include "reference_solids.h"

namespace mote {

Camera camera_at(double distance, int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = {width * 0.9, width * 0.95};
  camera.center_px = {width * 0.52, height * 0.47};
  look_at(camera, {0.6 * distance, -0.4 * distance, -0.7 * distance}, {0, 0, 0}, {0, -1, 0});
  return camera;
}

Frame render(Backend& backend, const SplatCloud& cloud, const Camera& camera,
             const RenderSettings& settings, FrameStats* stats) {
  std::vector<std::uint32_t> all(cloud.count());
  std::iota(all.begin(), all.end(), 0u);
  const auto scene = backend.upload(reordered(cloud, all));
  Frame frame;
  const FrameStats found = backend.render(*scene, camera, settings, frame);
  if (stats != nullptr) *stats = found;
  return frame;
}

namespace {

struct Difference {
  double worst = 0;          // away from thresholds
  std::size_t doubtful = 0;  // pixels at thresholds
  std::size_t flips = 0;     // of these, off by more than the tolerance
};

Difference compare(const Image& image, const std::vector<double>& expected,
                   const std::vector<std::uint8_t>& at_threshold, double tolerance) {
  Difference d;
  const auto channels = static_cast<std::size_t>(image.channels);
  for (std::size_t pixel = 0; pixel < at_threshold.size(); ++pixel) {
    double worst = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t at = pixel * channels + c;
      worst = std::max(worst, std::abs(static_cast<double>(image.pixels[at]) - expected[at]));
    }
    d.doubtful += at_threshold[pixel];
    if (at_threshold[pixel] != 0) {
      d.flips += worst > tolerance;
    } else {
      d.worst =
          std::isnan(worst) ? std::numeric_limits<double>::infinity() : std::max(d.worst, worst);
    }
  }
  return d;
}

}  // namespace

void expect_matches(Backend& backend, const SplatCloud& cloud, const Camera& camera,
                    RenderSettings settings) {
  settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
  const Frame frame = render(backend, cloud, camera, settings);
  const ReferenceFrame expected = settings.shape == SplatShape::blended
                                      ? render_reference(cloud, camera, settings)
                                      : render_reference_solids(cloud, camera, settings);
  ASSERT_EQ(frame.rgb.width, expected.width);
  ASSERT_GT(expected.visible, 0u);
  const auto check = [&](const char* what, const Image& image, const std::vector<double>& values,
                         double tolerance) {
    const Difference d = compare(image, values, expected.at_threshold, tolerance);
    EXPECT_LT(d.worst, tolerance) << what;
    // A flip at the least alpha changes a pixel by at most 1/255.
    EXPECT_LT(d.flips, 1 + expected.at_threshold.size() / 100) << what << ", of " << d.doubtful;
  };
  check("rgb", frame.rgb, expected.rgb, 1e-4);
  check("alpha", frame.alpha, expected.alpha, 1e-4);
  check("expected depth", frame.depth_expected, expected.depth_expected, 1e-3);
  check("median depth", frame.depth_median, expected.depth_median, 1e-4);
  check("overdraw", frame.overdraw, expected.overdraw, 0.5);
}

}  // namespace mote
