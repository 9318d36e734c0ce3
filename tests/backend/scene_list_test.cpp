// Several scenes drawn as one, on each device that the test program is linked with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "render_fixture.h"
#include "splats/transform.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

constexpr int kDegree = 2;

/// All splats of `a`, then those of `b`. Both have the degree kDegree.
SplatCloud appended(const SplatCloud& a, const SplatCloud& b) {
  SplatCloud all(a.count() + b.count(), kDegree);
  for (std::size_t i = 0; i < all.count(); ++i) {
    const bool first = i < a.count();
    const SplatCloud& from = first ? a : b;
    const std::size_t at = first ? i : i - a.count();
    for (int f = 0; f < kGaussianFields; ++f) {
      all.at(i, static_cast<Field>(f)) = from.at(at, static_cast<Field>(f));
    }
    for (int k = 0; k < all.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) all.sh(i, k, c) = from.sh(at, k, c);
    }
  }
  return all;
}

class SceneList : public RendersOnEachDevice {
 protected:
  Frame drawn(std::span<const SceneInstance> scenes, const RenderSettings& settings,
              FrameStats* stats = nullptr) const {
    Frame frame;
    const FrameStats found = backend().render_scenes(scenes, camera_, settings, frame);
    if (stats != nullptr) *stats = found;
    return frame;
  }

  const Camera camera_ = camera_at(3, 120, 90);
  const SplatCloud a_ = random_cloud(300, kDegree, 1), b_ = random_cloud(333, kDegree, 2);
};

INSTANTIATE_TEST_SUITE_P(On, SceneList, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(SceneList, IsDrawnBitForBitAsOneSceneOfAllSplats) {
  const auto a = backend().upload(copy_of(a_)), b = backend().upload(copy_of(b_));
  const SceneInstance scenes[] = {{.scene = a.get()}, {.scene = b.get()}};
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid, SplatShape::point}) {
    const RenderSettings settings{.background = {0.3f, 0.1f, 0.6f},
                                  .shape = shape,
                                  .outputs = {.alpha = true, .depth = true, .overdraw = true}};
    FrameStats stats, expected_stats;
    const Frame frame = drawn(scenes, settings, &stats);
    const Frame expected = render(appended(a_, b_), camera_, settings, &expected_stats);
    EXPECT_TRUE(equal(frame.rgb, expected.rgb));
    EXPECT_TRUE(equal(frame.alpha, expected.alpha));
    EXPECT_TRUE(equal(frame.depth_median, expected.depth_median));
    EXPECT_TRUE(equal(frame.overdraw, expected.overdraw));
    EXPECT_EQ(stats.splats, 633u);
    EXPECT_EQ(stats.visible, expected_stats.visible);
    EXPECT_EQ(stats.pairs, expected_stats.pairs);
  }
}

TEST_P(SceneList, DrawsEqualDepthsInItsOrder) {
  SplatCloud a = copy_of(a_), b = copy_of(b_);
  for (SplatCloud* cloud : {&a, &b}) {
    for (std::size_t i = 0; i < cloud->count(); ++i) {
      cloud->at(i, Field::mean_z) = 2;
      cloud->at(i, Field::logit_opacity) = 6;
    }
  }
  Camera camera = camera_;
  camera.cam_from_world = glm::dmat3(1);
  camera.translation = {0, 0, 0};
  const auto on_a = backend().upload(copy_of(a)), on_b = backend().upload(copy_of(b));
  const SceneInstance scenes[] = {{.scene = on_a.get()}, {.scene = on_b.get()}};
  Frame frame;
  backend().render_scenes(scenes, camera, {}, frame);
  EXPECT_TRUE(equal(frame.rgb, render(appended(a, b), camera, {}).rgb));
  EXPECT_FALSE(equal(frame.rgb, render(appended(b, a), camera, {}).rgb));
}

TEST_P(SceneList, DrawsAPlacedSceneAsItsTransformedSplats) {
  const Similarity place{.scale = 1.7,
                         .rotation = rotation_about_axes({0.4, -0.9, 1.3}),
                         .translation = {0.5, -0.3, 0.2}};
  const auto a = backend().upload(copy_of(a_)), b = backend().upload(copy_of(b_));
  const SceneInstance scenes[] = {{.scene = a.get()},
                                  {.scene = b.get(), .world_from_scene = place}};
  SplatCloud moved = copy_of(b_);
  transform(moved, place);
  const SplatCloud all = appended(a_, moved);
  for (const SplatShape shape : {SplatShape::blended, SplatShape::ellipsoid, SplatShape::point}) {
    for (const bool antialiased : {false, true}) {
      const RenderSettings settings{.antialiased = antialiased,
                                    .splat_scale = 1.3f,
                                    .shape = shape,
                                    .outputs = {.depth = true}};
      FrameStats stats, expected_stats;
      const Frame frame = drawn(scenes, settings, &stats);
      const Frame expected = render(all, camera_, settings, &expected_stats);
      EXPECT_NEAR(static_cast<double>(stats.visible), static_cast<double>(expected_stats.visible),
                  2);
      // Rounding differs, so a few pixels lie on the other side of a threshold.
      std::size_t off = 0;
      const auto compare = [&](const Image& image, const Image& other) {
        for (std::size_t i = 0; i < image.pixels.size(); ++i) {
          off += std::abs(image.pixels[i] - other.pixels[i]) > 1e-3f;
        }
      };
      compare(frame.rgb, expected.rgb);
      compare(frame.depth_median, expected.depth_median);
      EXPECT_LT(off, frame.rgb.pixels.size() / 200) << static_cast<int>(shape) << antialiased;
    }
  }
}

TEST_P(SceneList, ClipsAPlacedSceneAtTheNearPlaneOfTheWorld) {
  // One splat 5 mm in front of the camera, and one of a scene a thousand times as large.
  SplatCloud cloud = random_cloud(1, kDegree, 3);
  for (int k = 0; k < 3; ++k) cloud.at(0, static_cast<Field>(k)) = 0;
  Camera camera = camera_;
  camera.cam_from_world = glm::dmat3(1);
  camera.translation = {0, 0, 0.005};
  const auto scene = backend().upload(std::move(cloud));
  const auto visible = [&](const Similarity& place) {
    const SceneInstance instance{.scene = scene.get(), .world_from_scene = place};
    Frame frame;
    return backend().render_scenes({&instance, 1}, camera, {}, frame).visible;
  };
  EXPECT_EQ(visible({}), 0u);
  EXPECT_EQ(visible({.scale = 0.001, .translation = {0, 0, 0.1}}), 1u);
  EXPECT_EQ(visible({.scale = 1000, .translation = {0, 0, 0.001}}), 0u);
}

TEST_P(SceneList, LeavesASceneOutAndDrawsItAgain) {
  const auto a = backend().upload(copy_of(a_)), b = backend().upload(copy_of(b_));
  const SceneInstance both[] = {{.scene = a.get()}, {.scene = b.get()}};
  const Image whole = drawn(both, {}).rgb;
  FrameStats stats;
  EXPECT_TRUE(equal(drawn({both, 1}, {}, &stats).rgb, render(a_, camera_, {}).rgb));
  EXPECT_EQ(stats.splats, 300u);
  EXPECT_TRUE(equal(drawn(both, {}).rgb, whole));
}

TEST_P(SceneList, MayContainAnEmptyScene) {
  const auto a = backend().upload(copy_of(a_)), none = backend().upload(SplatCloud(0, 0));
  const SceneInstance scenes[] = {{.scene = none.get()}, {.scene = a.get()}};
  EXPECT_TRUE(equal(drawn(scenes, {}).rgb, render(a_, camera_, {}).rgb));
}

}  // namespace
}  // namespace mote
