// Changes of some splats of a scene, on each device that the test program is linked with.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pipeline/projection.h"
#include "render_fixture.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

constexpr int kUpdatedDegree = 1;

class SceneUpdate : public RendersOnEachDevice {
 protected:
  void SetUp() override {
    RendersOnEachDevice::SetUp();
    if (!IsSkipped()) scene_ = backend().upload(copy_of(cloud_));
  }
  /// Changes cloud_ with `change(cloud, splat)` for each splat, and the scene by the changed
  /// splats.
  template <class Change>
  void change(const std::vector<std::uint32_t>& splats, const Change& change) {
    for (const std::uint32_t splat : splats) change(cloud_, splat);
    backend().update(*scene_, splats, reordered(cloud_, splats));
  }
  void expect_same_as_uploaded_anew() const {
    Frame frame;
    const FrameStats stats = backend().render(*scene_, camera_, {}, frame);
    FrameStats expected_stats;
    const Frame expected = render(cloud_, camera_, {}, &expected_stats);
    EXPECT_TRUE(equal(frame.rgb, expected.rgb));
    EXPECT_EQ(stats.visible, expected_stats.visible);
  }

  const Camera camera_ = camera_at(3, 100, 80);
  SplatCloud cloud_ = random_cloud(2000, kUpdatedDegree, 1);
  std::unique_ptr<DeviceScene> scene_;
};

INSTANTIATE_TEST_SUITE_P(On, SceneUpdate, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(SceneUpdate, ChangesAnyValueOfSomeSplats) {
  change({1700, 3, 44, 45, 1999, 0, 801}, [](SplatCloud& cloud, std::uint32_t i) {
    cloud.at(i, Field::mean_x) += 0.3f;
    cloud.at(i, Field::log_scale_y) += 0.5f;
    cloud.at(i, Field::logit_opacity) = 2;
    for (int c = 0; c < 3; ++c) cloud.sh(i, 2, c) = 0.4f;
  });
  expect_same_as_uploaded_anew();
}

TEST_P(SceneUpdate, HidesSplatsAndShowsThemAgain) {
  const SplatCloud before = copy_of(cloud_);
  std::vector<std::uint32_t> splats;
  for (std::uint32_t i = 0; i < 2000; i += 7) splats.push_back(i);
  change(splats, [](SplatCloud& cloud, std::uint32_t i) {
    cloud.at(i, Field::logit_opacity) = -std::numeric_limits<float>::infinity();
  });
  expect_same_as_uploaded_anew();
  change(splats, [&](SplatCloud& cloud, std::uint32_t i) {
    cloud.at(i, Field::logit_opacity) = before.at(i, Field::logit_opacity);
  });
  expect_same_as_uploaded_anew();
}

TEST_P(SceneUpdate, MovesSplatsFromAnInvisibleClusterIntoTheView) {
  // All of the scene is behind the camera, then three splats come in front of it.
  for (std::size_t i = 0; i < cloud_.count(); ++i) cloud_.at(i, Field::mean_z) -= 100;
  scene_ = backend().upload(copy_of(cloud_));
  Frame frame;
  ASSERT_EQ(backend().render(*scene_, camera_, {}, frame).visible, 0u);
  change({5, 900, 1500}, [](SplatCloud& cloud, std::uint32_t i) {
    cloud.at(i, Field::mean_z) += 100;
    cloud.at(i, Field::logit_opacity) = 5;
  });
  EXPECT_EQ(backend().render(*scene_, camera_, {}, frame).visible, 3u);
  expect_same_as_uploaded_anew();
}

TEST_P(SceneUpdate, ShowsSplatsOfAClusterThatWasHidden) {
  for (std::size_t i = 0; i < cloud_.count(); ++i) {
    cloud_.at(i, Field::logit_opacity) = -std::numeric_limits<float>::infinity();
  }
  scene_ = backend().upload(copy_of(cloud_));
  change({10, 11, 12},
         [](SplatCloud& cloud, std::uint32_t i) { cloud.at(i, Field::logit_opacity) = 5; });
  expect_same_as_uploaded_anew();
}

TEST_P(SceneUpdate, WithoutSplatsChangesNothing) {
  change({}, [](SplatCloud&, std::uint32_t) {});
  expect_same_as_uploaded_anew();
}

/// Band 0 of a splat with this colour in all directions.
float band0_of(float color) {
  return (color - 0.5f) / 0.28209479f;
}

class MarkedSplats : public SceneUpdate {
 protected:
  /// Greys of all splats, without a dependence on the direction.
  void make_grey() {
    cloud_.truncate_sh(0);
    for (std::size_t i = 0; i < cloud_.count(); ++i) {
      for (int c = 0; c < 3; ++c) cloud_.sh(i, 0, c) = band0_of(0.25f);
    }
    scene_ = backend().upload(copy_of(cloud_));
  }
  Frame drawn(bool marks, SplatShape shape = SplatShape::blended) const {
    Frame frame;
    RenderSettings settings;
    settings.shape = shape;
    settings.marks = marks;
    backend().render(*scene_, camera_, settings, frame);
    return frame;
  }
  static double largest_difference(const Image& a, const Image& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) {
      largest = std::max(largest, std::abs(double{a.pixels[i]} - double{b.pixels[i]}));
    }
    return largest;
  }
};

INSTANTIATE_TEST_SUITE_P(On, MarkedSplats, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(MarkedSplats, AreTintedAndNoOthers) {
  make_grey();
  SplatMask marked(cloud_.count());
  SplatCloud tinted = copy_of(cloud_);
  const Vec3<float> tint = with_mark(Vec3<float>{0.25f, 0.25f, 0.25f}, 1.0f);
  for (std::size_t i = 0; i < cloud_.count(); i += 3) {
    marked.set(i, true);
    tinted.sh(i, 0, 0) = band0_of(tint.x);
    tinted.sh(i, 0, 1) = band0_of(tint.y);
    tinted.sh(i, 0, 2) = band0_of(tint.z);
  }
  const Frame before = drawn(true);
  backend().mark(*scene_, marked);
  EXPECT_TRUE(equal(drawn(false).rgb, before.rgb)) << "not asked for";
  EXPECT_LT(largest_difference(drawn(true).rgb, render(tinted, camera_, {}).rgb), 1e-5);
  EXPECT_GT(largest_difference(drawn(true).rgb, before.rgb), 0.05);
  RenderSettings solids;
  solids.shape = SplatShape::ellipsoid;
  EXPECT_LT(largest_difference(drawn(true, SplatShape::ellipsoid).rgb,
                               render(tinted, camera_, solids).rgb),
            1e-5);
  backend().mark(*scene_, SplatMask(cloud_.count()));
  EXPECT_TRUE(equal(drawn(true).rgb, before.rgb)) << "none is marked any more";
}

TEST_P(MarkedSplats, StayMarkedWhenTheirValuesChange) {
  make_grey();
  const SplatMask all(cloud_.count(), true);
  backend().mark(*scene_, all);
  change({1, 5, 700},
         [](SplatCloud& cloud, std::uint32_t i) { cloud.at(i, Field::mean_x) += 0.2f; });
  const Frame after = drawn(true);
  scene_ = backend().upload(copy_of(cloud_));
  backend().mark(*scene_, all);
  EXPECT_TRUE(equal(after.rgb, drawn(true).rgb));
}

}  // namespace
}  // namespace mote
