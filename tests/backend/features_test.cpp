// Splats with features on each device that the test program is linked with (test_devices.h): a
// picture is the network's colour of features that the double-precision reference blends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model/model_list.h"
#include "model/still_splats.h"
#include "pipeline/projection.h"
#include "splats/moment.h"
#include "support/feature_cloud.h"
#include "support/image_difference.h"
#include "support/reference/reference_renderer.h"
#include "support/reference/render_checks.h"
#include "support/test_devices.h"

namespace mote {
namespace {

class Features : public OnEachDevice {
 protected:
  Frame draw(const SplatCloud& cloud, const Camera& camera, double time_s,
             const RenderSettings& settings = {}) const {
    const auto scene = backend().upload(with_sh_degree(cloud, cloud.sh_degree()));
    EXPECT_EQ(scene->has_features(), cloud.decoder != nullptr);
    const SceneInstance instance{.scene = scene.get(), .time_s = time_s};
    Frame frame;
    backend().render_scenes({&instance, 1}, camera, settings, frame);
    return frame;
  }
};

INSTANTIATE_TEST_SUITE_P(On, Features, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

constexpr double kTime = 0.9;

/// Blended features, [9][h][w], over 0, by the reference. It draws colours above 0 only, so it
/// draws each feature plus a constant, whose share is that of alpha.
struct ReferenceFeatures {
  std::array<std::vector<double>, 9> values;
  std::vector<double> alpha;
  std::vector<std::uint8_t> at_threshold;
};

ReferenceFeatures reference_features(const SplatCloud& cloud, const Camera& camera) {
  constexpr double kBand0 = 0.28209479177387814, kAdded = 4;
  std::vector<std::uint32_t> source;
  SplatCloud plain = with_sh_degree(cloud, cloud.sh_degree());
  plain.decoder = nullptr;
  const SplatCloud moment = with_sh_degree(moment_of(plain, kTime, &source), 0);
  ReferenceFeatures result;
  for (int k = 0; k < kFeatureTriples; ++k) {
    ReferenceCloud splats(moment);
    for (std::size_t i = 0; i < moment.count(); ++i) {
      const std::size_t own = source[i];
      const double factor = k == 2 ? kTime - double{cloud.at(own, Field::time_mean)} : 1;
      for (int c = 0; c < 3; ++c) {
        const double feature = factor * double{cloud.sh(own, k, c)};
        splats.sh_at(i, 0, c) = (feature + kAdded - 0.5) / kBand0;
      }
    }
    const ReferenceFrame frame = render_reference(splats, camera, {});
    result.alpha = frame.alpha;
    result.at_threshold = frame.at_threshold;
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<double>& values = result.values[static_cast<std::size_t>(k) * 3 + c];
      for (std::size_t i = 0; i < frame.alpha.size(); ++i) {
        values.push_back(frame.rgb[3 * i + c] - kAdded * frame.alpha[i]);
      }
    }
  }
  return result;
}

/// The colour by the definition of the network.
glm::dvec3 reference_decoded(const FeatureDecoder& decoder, const std::array<double, 9>& features,
                             const Camera& camera, double x, double y) {
  const glm::dvec3 in_camera{(x - camera.center_px.x) / camera.focal_px.x,
                             (y - camera.center_px.y) / camera.focal_px.y, 1};
  const glm::dvec3 direction = glm::normalize(glm::transpose(camera.cam_from_world) * in_camera);
  const glm::dvec3 origin = camera.position_world();
  std::vector<double> inputs(features.begin() + 3, features.end());
  for (int axis = 0; axis < 3; ++axis) inputs.push_back(origin[axis]);
  for (int axis = 0; axis < 3; ++axis) inputs.push_back(direction[axis]);
  glm::dvec3 color{features[0], features[1], features[2]};
  for (std::size_t h = 0; h < 6; ++h) {
    double sum = 0;
    for (std::size_t i = 0; i < 12; ++i) sum += double{decoder.hidden[h][i]} * inputs[i];
    for (int c = 0; c < 3; ++c) color[c] += double{decoder.output[c][h]} * std::max(sum, 0.0);
  }
  for (int c = 0; c < 3; ++c) {
    color[c] = decoder.activation == ColorActivation::sigmoid ? 1 / (1 + std::exp(-color[c]))
                                                              : std::clamp(color[c], 0.0, 1.0);
  }
  return color;
}

TEST_P(Features, APictureIsDecodedFromTheFeaturesOfTheReference) {
  for (const ColorActivation activation : {ColorActivation::sigmoid, ColorActivation::clamp}) {
    const SplatCloud cloud = random_feature_cloud(250, 7, SplatMotion::poly, activation);
    const Camera camera = camera_at(2.2, 43, 33);
    const ReferenceFeatures expected = reference_features(cloud, camera);
    const Frame found = draw(cloud, camera, kTime);
    double largest = 0;
    std::size_t flips = 0, covered = 0;
    for (std::size_t i = 0; i < expected.alpha.size(); ++i) {
      std::array<double, 9> features{};
      for (std::size_t k = 0; k < 9; ++k) features[k] = expected.values[k][i];
      const glm::dvec3 color =
          reference_decoded(*cloud.decoder, features, camera, static_cast<double>(i % 43) + 0.5,
                            static_cast<double>(i / 43) + 0.5);
      covered += expected.alpha[i] > 0.2;
      for (std::size_t c = 0; c < 3; ++c) {
        const double difference =
            std::abs(double{found.rgb.pixels[3 * i + c]} - color[static_cast<int>(c)]);
        if (expected.at_threshold[i] == 0) {
          largest = std::max(largest, difference);
        } else {
          flips += difference > 5e-4;
        }
      }
    }
    EXPECT_GT(covered, 90u);
    EXPECT_LT(largest, 5e-4);
    EXPECT_LT(flips, 20u);
  }
}

TEST_P(Features, AMomentShowsTheSamePicture) {
  const SplatCloud cloud = random_feature_cloud(100, 3, SplatMotion::life);
  const Camera camera = camera_at(2.2, 30, 24);
  const Frame moving = draw(cloud, camera, kTime), still = draw(moment_of(cloud, kTime), camera, 0);
  EXPECT_LT(mean_difference(moving.rgb, still.rgb), 1e-5);
  EXPECT_GT(mean_difference(moving.rgb, draw(cloud, camera, kTime + 0.3).rgb), 1e-3);
}

TEST_P(Features, APictureWithoutSplatsIsDecodedToo) {
  const SplatCloud cloud = random_feature_cloud(20, 3);
  Camera camera = camera_at(2.2, 20, 16);
  camera.translation.z += 100;
  const Frame far = draw(cloud, camera, 5000);
  const glm::dvec3 color = reference_decoded(*cloud.decoder, {}, camera, 3.5, 2.5);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(far.rgb.pixels[3 * (2 * 20 + 3) + c], color[static_cast<int>(c)], 1e-4);
  }
}

TEST_P(Features, MarksTintTheDecodedColours) {
  const SplatCloud cloud = random_feature_cloud(100, 5);
  const Camera camera = camera_at(2.2, 30, 24);
  const auto scene = backend().upload(with_sh_degree(cloud, kFeatureDegree));
  backend().mark(*scene, SplatMask(cloud.count(), true));
  RenderSettings settings;
  settings.outputs.alpha = true;
  const SceneInstance instance{.scene = scene.get(), .time_s = kTime};
  Frame plain, marked;
  backend().render_scenes({&instance, 1}, camera, settings, plain);
  settings.marks = true;
  backend().render_scenes({&instance, 1}, camera, settings, marked);
  const float tint[3] = {kMarkRed, kMarkGreen, kMarkBlue};
  for (std::size_t i = 0; i < plain.rgb.pixels.size(); ++i) {
    const double share = double{kMarkShare} * double{plain.alpha.pixels[i / 3]};
    const double own = plain.rgb.pixels[i];
    ASSERT_NEAR(marked.rgb.pixels[i], own + share * (double{tint[i % 3]} - own), 1e-4);
  }
}

TEST_P(Features, OtherImagesAreThoseOfTheSplats) {
  const SplatCloud cloud = random_feature_cloud(100, 9);
  SplatCloud plain = with_sh_degree(cloud, kFeatureDegree);
  plain.decoder = nullptr;
  RenderSettings settings;
  settings.outputs.alpha = settings.outputs.depth = settings.outputs.overdraw = true;
  const Camera camera = camera_at(2.2, 30, 24);
  const Frame found = draw(cloud, camera, kTime, settings);
  const Frame expected = draw(plain, camera, kTime, settings);
  EXPECT_EQ(mean_difference(found.alpha, expected.alpha), 0);
  EXPECT_EQ(mean_difference(found.depth_median, expected.depth_median), 0);
  EXPECT_EQ(mean_difference(found.overdraw, expected.overdraw), 0);
  EXPECT_GT(mean_difference(found.rgb, expected.rgb), 1e-2);
}

TEST_P(Features, SolidsHaveTheColoursOfTheBaseFeatures) {
  const SplatCloud cloud = random_feature_cloud(60, 11);
  SplatCloud plain = with_sh_degree(cloud, kFeatureDegree);
  plain.decoder = nullptr;
  for (std::size_t i = 0; i < plain.count(); ++i) {
    for (int c = 0; c < 3; ++c) {
      plain.sh(i, 0, c) =
          static_cast<float>((base_feature_color(cloud, i)[c] - 0.5) / 0.28209479177387814);
      for (int k = 1; k < plain.sh_coefficients(); ++k) plain.sh(i, k, c) = 0;
    }
  }
  RenderSettings settings;
  settings.shape = SplatShape::ellipsoid;
  const Camera camera = camera_at(2.2, 30, 24);
  EXPECT_LT(mean_difference(draw(cloud, camera, kTime, settings).rgb,
                            draw(plain, camera, kTime, settings).rgb),
            1e-5);
}

TEST_P(Features, ASceneBesideOthersCoversByItsAlpha) {
  const SplatCloud cloud = random_feature_cloud(100, 13);
  const Camera camera = camera_at(2.2, 30, 24);
  const SceneExtent extent{};
  const auto still = [&](const SplatCloud& splats) {
    return std::make_shared<StillSplats>(backend(), with_sh_degree(splats, splats.sh_degree()),
                                         extent);
  };
  SplatCloud far = random_cloud(1, 0, 2);
  far.at(0, Field::mean_z) = -1e6f;
  ModelList both(backend(), {{.model = still(cloud)}, {.model = still(far)}});
  RenderSettings settings;
  settings.background = {0.2f, 0.4f, 0.6f};
  settings.outputs.alpha = true;
  Frame alone = draw(cloud, camera, kTime, settings), found;
  both.render({.name = {}, .camera = camera, .time_s = kTime}, settings, found);
  for (std::size_t i = 0; i < found.rgb.pixels.size(); ++i) {
    const double alpha = alone.alpha.pixels[i / 3];
    ASSERT_NEAR(
        found.rgb.pixels[i],
        alpha * double{alone.rgb.pixels[i]} + (1 - alpha) * double{settings.background[i % 3]},
        1e-4);
  }
}

}  // namespace
}  // namespace mote
