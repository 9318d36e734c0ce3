// Trained scenes, far and near, against the double-precision reference. Needs the folder of test
// data in MOTE_DATA.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "backend/backend.h"
#include "devices/devices.h"
#include "io/datasets/camera_source.h"
#include "io/splats/scene_format.h"
#include "support/reference/reference_renderer.h"

namespace mote {
namespace {

struct Levels {
  double psnr = 0;        // of the 8-bit pictures, dB
  int worst = 0;          // levels, away from thresholds
  std::size_t flips = 0;  // pixels at thresholds that differ by more than a level
};

int level(double value) {
  return static_cast<int>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

Levels compare(const Frame& frame, const ReferenceFrame& expected) {
  Levels found;
  double squares = 0;
  for (std::size_t pixel = 0; pixel < expected.at_threshold.size(); ++pixel) {
    int worst = 0;
    for (std::size_t i = pixel * 3; i < pixel * 3 + 3; ++i) {
      const int d =
          std::abs(level(static_cast<double>(frame.rgb.pixels[i])) - level(expected.rgb[i]));
      squares += static_cast<double>(d) * d;
      worst = std::max(worst, d);
    }
    if (expected.at_threshold[pixel] == 0) found.worst = std::max(found.worst, worst);
    found.flips += expected.at_threshold[pixel] != 0 && worst > 1;
  }
  const double mean = squares / static_cast<double>(expected.rgb.size());
  found.psnr = mean > 0 ? 10 * std::log10(255.0 * 255.0 / mean) : 100;
  return found;
}

class RealScene : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("MOTE_DATA");
    if (data == nullptr) GTEST_SKIP() << "MOTE_DATA names no folder of trial data";
    folder_ = std::filesystem::path(data) / "splats";
  }

  void expect_matches(const char* cameras, int every) {
    const SplatCloud cloud = load_scene(folder_ / "biker.compressed.ply");
    const auto backend = make_backend("cpu", {});
    const auto scene = backend->upload(load_scene(folder_ / "biker.compressed.ply"));
    const auto views = load_views(folder_ / cameras).views;
    ASSERT_GE(views.size(), 6u);
    for (std::size_t v = 0; v < views.size(); v += static_cast<std::size_t>(every)) {
      SCOPED_TRACE(views[v].name);
      const Camera camera = resized(views[v].camera, 640, 360);
      RenderSettings settings;
      settings.background = {0.5f, 0.5f, 0.5f};
      Frame frame;
      backend->render(*scene, camera, settings, frame);
      const Levels found = compare(frame, render_reference(cloud, camera, settings));
      EXPECT_GE(found.psnr, 55);
      EXPECT_LE(found.worst, 4);
      EXPECT_LE(found.flips, 640u * 360u / 1000u);
      RecordProperty("psnr_db", std::to_string(found.psnr));
      RecordProperty("worst_level", found.worst);
      RecordProperty("flips", static_cast<int>(found.flips));
    }
  }

  std::filesystem::path folder_;
};

TEST_F(RealScene, FromAfarMatchesTheReference) {
  expect_matches("biker-cameras.json", 5);
}

TEST_F(RealScene, FromNearMatchesTheReference) {
  expect_matches("biker-closeup-cameras.json", 3);
}

}  // namespace
}  // namespace mote
