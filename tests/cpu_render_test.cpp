// The CPU backend against the double-precision reference, at each instruction set that this machine
// has; and what must not change a pixel: threads, tile borders, the order of the splats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "backend/backend.h"
#include "random_cloud.h"
#include "reference_renderer.h"
#include "usable_isas.h"

namespace mote {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Camera camera_at(double distance, int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = {width * 0.9, width * 0.95};
  camera.center_px = {width * 0.52, height * 0.47};
  look_at(camera, {0.6 * distance, -0.4 * distance, -0.7 * distance}, {0, 0, 0}, {0, -1, 0});
  return camera;
}

Frame render(const SplatCloud& cloud, const Camera& camera, const RenderSettings& settings,
             const DeviceOptions& device = {}, FrameStats* stats = nullptr) {
  const auto backend = make_backend("cpu", device);
  const auto scene = backend->upload(reordered(cloud, [&] {
    std::vector<std::uint32_t> all(cloud.count());
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }()));
  Frame frame;
  const FrameStats found = backend->render(*scene, camera, settings, frame);
  if (stats != nullptr) *stats = found;
  return frame;
}

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
      d.worst = std::isnan(worst) ? kInfinity : std::max(d.worst, worst);
    }
  }
  return d;
}

void expect_matches(const SplatCloud& cloud, const Camera& camera, RenderSettings settings,
                    const DeviceOptions& device) {
  settings.outputs = {true, true};
  const Frame frame = render(cloud, camera, settings, device);
  const ReferenceFrame expected = render_reference(cloud, camera, settings);
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
}

class EachIsa : public testing::TestWithParam<std::string> {
 protected:
  DeviceOptions device() const { return {.threads = 2, .isa = GetParam(), .index = 0}; }
};

INSTANTIATE_TEST_SUITE_P(CpuRender, EachIsa, testing::ValuesIn(usable_isa_names()),
                         [](const auto& info) { return info.param; });

TEST_P(EachIsa, MatchesTheReferenceFromAfar) {
  expect_matches(random_cloud(800, 0, 1), camera_at(3, 213, 170), {}, device());
}

TEST_P(EachIsa, MatchesTheReferenceFromWithin) {
  expect_matches(random_cloud(800, 1, 2), camera_at(0.4, 200, 131), {}, device());
}

TEST_P(EachIsa, MatchesTheReferenceAtEveryShDegree) {
  for (int degree = 0; degree <= kMaxShDegree; ++degree) {
    SCOPED_TRACE(degree);
    RenderSettings settings;
    settings.background = {0.2f, 0.5f, 0.9f};
    expect_matches(random_cloud(300, degree, 3), camera_at(2.5, 96, 96), settings, device());
  }
}

TEST_P(EachIsa, LeavesOutBandsAboveTheDegreeAskedFor) {
  RenderSettings settings;
  settings.max_sh_degree = 1;
  expect_matches(random_cloud(300, 3, 4), camera_at(2.5, 96, 96), settings, device());
}

TEST_P(EachIsa, MatchesTheReferenceAntialiased) {
  RenderSettings settings;
  settings.antialiased = true;
  expect_matches(random_cloud(800, 0, 5), camera_at(6, 150, 150), settings, device());
}

TEST_P(EachIsa, MatchesTheReferenceForNeedlesAcrossTheImage) {
  SplatCloud cloud = random_cloud(60, 0, 6);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::log_scale_x) = 0.5f;
    cloud.at(i, Field::log_scale_y) = -7.0f;
    cloud.at(i, Field::log_scale_z) = -9.0f;
  }
  expect_matches(cloud, camera_at(2.5, 300, 260), {}, device());
}

TEST_P(EachIsa, DrawsEveryPixelOfSizesThatEndWithinATileOrABlock) {
  const SplatCloud cloud = random_cloud(200, 0, 7);
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 5}, {17, 64}, {65, 15}, {129, 66}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    Camera camera = camera_at(2.5, 128, 128);
    camera = resized(camera, width, height);
    expect_matches(cloud, camera, {}, device());
  }
}

void expect_same_pixels(const Frame& one, const Frame& other) {
  for (const auto image :
       {&Frame::rgb, &Frame::alpha, &Frame::depth_expected, &Frame::depth_median}) {
    const auto &a = (one.*image).pixels, &b = (other.*image).pixels;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
  }
}

TEST(CpuRender, ThreadsDoNotChangePixels) {
  const SplatCloud cloud = random_cloud(20000, 1, 8);
  const Camera camera = camera_at(1.2, 330, 270);
  RenderSettings settings;
  settings.outputs = {true, true};
  const Frame one = render(cloud, camera, settings, {.threads = 1, .isa = {}, .index = 0});
  for (const int threads : {2, 3, 8}) {
    const Frame many = render(cloud, camera, settings, {.threads = threads, .isa = {}, .index = 0});
    SCOPED_TRACE(threads);
    expect_same_pixels(one, many);
  }
}

TEST(CpuRender, ThreadsDoNotChangePixelsWhereOneBinHoldsTheScene) {
  const SplatCloud cloud = random_cloud(30000, 0, 15);
  const Camera camera = camera_at(40, 130, 130);
  RenderSettings settings;
  settings.outputs = {true, true};
  const Frame one = render(cloud, camera, settings, {.threads = 1, .isa = {}, .index = 0});
  const Frame many = render(cloud, camera, settings, {.threads = 4, .isa = {}, .index = 0});
  expect_same_pixels(one, many);
}

TEST(CpuRender, EqualDepthsAreDrawnInTheOrderOfTheFile) {
  // All on one plane across the view, opaque: which splat is in front depends on ties alone.
  SplatCloud cloud = random_cloud(3000, 0, 9);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::mean_z) = 2.0f;
    cloud.at(i, Field::logit_opacity) = 6.0f;
  }
  Camera camera;
  camera.width = camera.height = 128;
  camera.focal_px = {128, 128};
  camera.center_px = {64, 64};
  const Frame frame = render(cloud, camera, {});
  const ReferenceFrame expected = render_reference(cloud, camera, {});
  double worst = 0;
  std::size_t off = 0;
  for (std::size_t i = 0; i < expected.rgb.size(); ++i) {
    const double d = std::abs(static_cast<double>(frame.rgb.pixels[i]) - expected.rgb[i]);
    off += d > 1e-4;
    worst = std::max(worst, d);
  }
  EXPECT_LT(off, expected.rgb.size() / 100) << "worst " << worst;
}

TEST(CpuRender, NonFiniteSplatsAreDroppedAndCounted) {
  SplatCloud cloud = random_cloud(40, 0, 10);
  const Field bad[] = {Field::mean_x,     Field::mean_z,      Field::log_scale_y,
                       Field::rotation_w, Field::log_scale_z, Field::mean_y};
  const float values[] = {kNaN, kInfinity, kNaN, kInfinity, 200.0f, -kInfinity};
  for (std::size_t i = 0; i < std::size(bad); ++i) cloud.at(i, bad[i]) = values[i];
  for (int k = 0; k < 4; ++k) cloud.at(6, static_cast<Field>(6 + k)) = 0.0f;
  std::vector<std::uint32_t> rest(33);
  std::iota(rest.begin(), rest.end(), 7u);
  const Camera camera = camera_at(2.5, 80, 80);
  FrameStats stats;
  const Frame frame = render(cloud, camera, {}, {}, &stats);
  EXPECT_EQ(stats.dropped, 7u);
  const Frame without = render(reordered(cloud, rest), camera, {});
  for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
    ASSERT_NEAR(frame.rgb.pixels[i], without.rgb.pixels[i], 1e-6) << i;
  }
}

TEST(CpuRender, InfiniteOpacitiesMeanOpaqueOrAbsent) {
  SplatCloud cloud = random_cloud(2, 0, 11);
  for (std::size_t i = 0; i < 2; ++i) {
    for (int k = 0; k < 3; ++k) {
      cloud.at(i, static_cast<Field>(k)) = 0.0f;
      cloud.at(i, static_cast<Field>(3 + k)) = -1.0f;
    }
  }
  const Camera camera = camera_at(3, 65, 65);
  RenderSettings settings;
  settings.outputs.alpha = true;
  const auto center_alpha = [&](float logit) {
    cloud.at(0, Field::logit_opacity) = logit;
    cloud.at(1, Field::logit_opacity) = -kInfinity;
    return render(cloud, camera, settings).alpha.row(31)[33];
  };
  EXPECT_NEAR(center_alpha(kInfinity), 0.99f, 1e-3f);
  EXPECT_EQ(center_alpha(-kInfinity), 0.0f);
  EXPECT_EQ(center_alpha(kNaN), 0.0f);
}

TEST(CpuRender, NothingVisibleGivesTheBackground) {
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {true, true};
  SplatCloud behind = random_cloud(100, 0, 12);
  for (std::size_t i = 0; i < behind.count(); ++i) behind.at(i, Field::mean_z) = -50.0f;
  Camera camera;
  camera.width = 70;
  camera.height = 50;
  camera.focal_px = {60, 60};
  camera.center_px = {35, 25};
  for (const SplatCloud& cloud : {SplatCloud(0, 0), std::move(behind)}) {
    const Frame frame = render(cloud, camera, settings);
    for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
      ASSERT_EQ(frame.rgb.pixels[i], settings.background[i % 3]);
    }
    for (std::size_t i = 0; i < frame.alpha.pixels.size(); ++i) {
      ASSERT_EQ(frame.alpha.pixels[i], 0.0f);
      ASSERT_EQ(frame.depth_expected.pixels[i], 0.0f);
    }
  }
}

TEST(CpuRender, ImageSizesOutsideTheLimitsAreErrors) {
  const auto backend = make_backend("cpu", {});
  const auto scene = backend->upload(random_cloud(1, 0, 13));
  Frame frame;
  for (const auto& [width, height] : {std::pair{0, 10}, {10, -1}, {kMaxImageSide + 1, 10}}) {
    Camera camera = camera_at(3, 16, 16);
    camera.width = width;
    camera.height = height;
    EXPECT_ANY_THROW(backend->render(*scene, camera, {}, frame));
  }
}

TEST(CpuRender, DrawsTheWidestImage) {
  const SplatCloud cloud = random_cloud(50, 0, 14);
  expect_matches(cloud, camera_at(2.5, kMaxImageSide, 40), {}, {});
}

}  // namespace
}  // namespace mote
