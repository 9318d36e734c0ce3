// Pictures with fast precision, on each device that the test program is linked with and that has
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "render_fixture.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

class FastPrecision : public RendersOnEachDevice {
 protected:
  void SetUp() override {
    RendersOnEachDevice::SetUp();
    if (!IsSkipped() && !backend().has_fast_precision()) {
      GTEST_SKIP() << "the device has no fast precision";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(On, FastPrecision, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

RenderSettings with(Precision precision) {
  RenderSettings settings;
  settings.background = {0.1f, 0.2f, 0.3f};
  settings.precision = precision;
  settings.outputs.alpha = true;
  return settings;
}

SplatCloud random_cloud_of(SplatKind kind) {
  const SplatCloud gaussians = random_cloud(600, 3, 7);
  SplatCloud cloud(gaussians.count(), gaussians.sh_degree(), kind);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : kind_info(kind).stored()) {
      const bool common = std::ranges::count(kind_info(SplatKind::gaussian).stored(), field) > 0;
      cloud.at(i, field) = common ? gaussians.at(i, field) : 0.5f;
    }
    for (int k = 0; k < sh_coefficient_count(cloud.sh_degree()); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = gaussians.sh(i, k, c);
    }
  }
  return cloud;
}

double worst_difference(const Image& a, const Image& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double difference =
        std::abs(static_cast<double>(a.pixels.span()[i]) - static_cast<double>(b.pixels.span()[i]));
    worst = std::max(worst, std::isnan(difference) ? HUGE_VAL : difference);
  }
  return worst;
}

double psnr_db(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double difference =
        static_cast<double>(a.pixels.span()[i]) - static_cast<double>(b.pixels.span()[i]);
    sum += difference * difference;
  }
  return 10 * std::log10(static_cast<double>(a.pixels.size()) / sum);
}

// Half precision has steps of 5e-4 between 1/2 and 1. An exact pixel stops before the splat that
// would leave it a transmittance of 1e-4; a fast one takes some splats more, which show at most 1
// %.
TEST_P(FastPrecision, PicturesOfEachKindAreCloseToExactOnes) {
  for (int k = 0; k < kSplatKinds; ++k) {
    const auto kind = static_cast<SplatKind>(k);
    const SplatCloud cloud = random_cloud_of(kind);
    const Camera camera = camera_at(2, 201, 123);
    const Frame exact = render(cloud, camera, with(Precision::exact));
    const Frame fast = render(cloud, camera, with(Precision::fast));
    EXPECT_GT(psnr_db(exact.rgb, fast.rgb), 55) << kind_info(kind).name;
    EXPECT_LT(worst_difference(exact.rgb, fast.rgb), 0.015) << kind_info(kind).name;
    EXPECT_LT(worst_difference(exact.alpha, fast.alpha), 0.01) << kind_info(kind).name;
    EXPECT_FALSE(equal(exact.rgb, fast.rgb)) << "it is another precision";
  }
}

TEST_P(FastPrecision, OpaqueLayersHideThoseBehind) {
  SplatCloud cloud = random_cloud(2000, 0, 3);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field scale : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, scale) = std::log(0.2f);
    }
    cloud.at(i, Field::logit_opacity) = 8;
  }
  const Camera camera = camera_at(2, 96, 96);
  const Frame exact = render(cloud, camera, with(Precision::exact));
  const Frame fast = render(cloud, camera, with(Precision::fast));
  EXPECT_LT(worst_difference(exact.rgb, fast.rgb), 0.015);
}

TEST_P(FastPrecision, AFrameWithDepthIsExact) {
  const SplatCloud cloud = random_cloud(300, 2, 5);
  const Camera camera = camera_at(2, 80, 60);
  RenderSettings exact = with(Precision::exact), fast = with(Precision::fast);
  exact.outputs.depth = fast.outputs.depth = true;
  EXPECT_TRUE(equal(render(cloud, camera, exact).rgb, render(cloud, camera, fast).rgb));
}

TEST_P(FastPrecision, ColoursBeyondTheRangeOfHalvesStayFinite) {
  SplatCloud cloud = random_cloud(50, 1, 5);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = 1e6f;
  }
  const Frame frame = render(cloud, camera_at(2, 60, 60), with(Precision::fast));
  for (const float value : frame.rgb.pixels.span()) ASSERT_TRUE(std::isfinite(value));
}

TEST_P(FastPrecision, ChangedHarmonicsAreSeen) {
  SplatCloud cloud = random_cloud(200, 1, 5);
  const Camera camera = camera_at(2, 60, 60);
  const auto scene = backend().upload(with_sh_degree(cloud, 1));
  Frame frame;
  backend().render(*scene, camera, with(Precision::fast), frame);
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < cloud.count(); ++i) {
    all.push_back(i);
    cloud.sh(i, 0, 1) += 0.5f;
  }
  backend().update(*scene, all, with_sh_degree(cloud, 1));
  backend().render(*scene, camera, with(Precision::fast), frame);
  EXPECT_TRUE(equal(frame.rgb, render(cloud, camera, with(Precision::fast)).rgb));
}

}  // namespace
}  // namespace mote
