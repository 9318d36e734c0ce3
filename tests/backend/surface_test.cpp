// The depths and normals of kinds that are surfaces, on each device that the test program is linked
// with: their sums over the splats of a pixel, and the gradient of a training step with the surface
// losses, against their definition in double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "cameras/view_camera.h"
#include "core/error.h"
#include "pipeline/surface_loss.h"
#include "support/defined_splats.h"
#include "support/test_devices.h"

namespace mote {
namespace {

/// The sums of every pixel.
struct SurfaceImage {
  std::vector<std::array<double, kSurfaceSums>> sums;
  std::vector<double> coverage;
};

Pinhole<double> small_pinhole() {
  return view_camera<double>(camera_floats(small_camera())).pinhole;
}

template <class Kind>
SurfaceImage surface_image(const Values& values) {
  SurfaceImage image{std::vector<std::array<double, kSurfaceSums>>(pixel_count()),
                     std::vector<double>(pixel_count())};
  const Pinhole<double> camera = small_pinhole();
  blend_pixels<Kind, false>(
      values, [&](std::size_t pixel, const DefinedSplat<Kind>& s, const auto& at, double weight) {
        const double z = Kind::depth(s.splat, at);
        const double place = 100.0 / (100.0 - 0.2) * (1 - 0.2 / z);
        const Vec3<double> normal = Kind::normal(s.splat, camera, s.mean_px);
        const double terms[kSurfaceSums] = {z, place, place * place, normal.x, normal.y, normal.z};
        for (std::size_t k = 0; k < kSurfaceSums; ++k) image.sums[pixel][k] += weight * terms[k];
        image.coverage[pixel] += weight;
      });
  return image;
}

SurfaceImage surface_of(SplatKind kind, const Values& values) {
  return visit_kind(kind, [&]<class Kind>() -> SurfaceImage {
    if constexpr (Kind::kIsSurface) return surface_image<Kind>(values);
    return {};
  });
}

/// The sum of both losses over the pixels, by their definition. `held`: coverage that has no
/// gradient.
double surface_loss(const SurfaceImage& image, const std::vector<double>& held, double distortion,
                    double consistency) {
  const Camera camera = small_camera();
  const auto point = [&](int x, int y) {
    const auto i = static_cast<std::size_t>(y * camera.width + x);
    const double z = image.coverage[i] > 0 ? image.sums[i][kDepthSum] / image.coverage[i] : 0.0;
    return glm::dvec3((x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                      (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1) *
           z;
  };
  double sum = 0;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const auto i = static_cast<std::size_t>(y * camera.width + x);
      const auto& s = image.sums[i];
      sum += distortion * (image.coverage[i] * s[kSquaredPlaceSum] - s[kPlaceSum] * s[kPlaceSum]);
      if (x == 0 || y == 0 || x == camera.width - 1 || y == camera.height - 1) continue;
      const glm::dvec3 across =
          glm::cross(point(x, y + 1) - point(x, y - 1), point(x + 1, y) - point(x - 1, y));
      if (glm::dot(across, across) < 1e-30) continue;
      const glm::dvec3 normals{s[kNormalXSum], s[kNormalYSum], s[kNormalZSum]};
      sum -= consistency * held[i] * glm::dot(normals, glm::normalize(across));
    }
  }
  return sum / static_cast<double>(pixel_count());
}

std::vector<SplatKind> surface_kinds() {
  std::vector<SplatKind> kinds;
  for (int k = 0; k < kSplatKinds; ++k) {
    if (kind_info(static_cast<SplatKind>(k)).is_surface) kinds.push_back(static_cast<SplatKind>(k));
  }
  return kinds;
}

class Surfaces : public testing::TestWithParam<std::tuple<TestDevice, SplatKind>> {
 protected:
  void SetUp() override {
    const TestDevice& device = std::get<0>(GetParam());
    if (!device.missing.empty()) GTEST_SKIP() << device.missing;
    backend_ = device.make();
  }
  SplatKind kind() const { return std::get<1>(GetParam()); }
  const KindInfo& info() const { return kind_info(kind()); }
  SplatCloud gradients(const Values& values, const LossSettings& loss, BackwardForm form,
                       SplatCloud& order) {
    const PhotoPixels photo = photograph();
    const auto trainer = backend_->make_trainer(cloud_of(info(), values), {.backward = form});
    StepRequest request = request_for(photo, 1);
    request.loss = loss;
    StepResult result;
    SplatCloud found = trainer->gradients(request, result);
    order = trainer->cloud();
    return found;
  }

  std::unique_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(On, Surfaces,
                         testing::Combine(testing::ValuesIn(test_devices()),
                                          testing::ValuesIn(surface_kinds())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" +
                                  kind_info(std::get<1>(info.param)).name;
                         });

TEST_P(Surfaces, NormalsAreSummedAsTheirDefinitionSays) {
  const Values values = random_values(info());
  const SurfaceImage expected = surface_of(kind(), values);
  RenderSettings settings;
  settings.outputs.normal = settings.outputs.depth = settings.outputs.overdraw = true;
  Frame frame;
  const auto scene = backend_->upload(cloud_of(info(), values));
  backend_->render(*scene, small_camera(), settings, frame);
  int flipped = 0;
  double largest = 0;
  for (std::size_t i = 0; i < pixel_count(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double sum = expected.sums[i][kNormalXSum + axis];
      if (std::abs(static_cast<double>(frame.normal.pixels[3 * i + axis]) - sum) > 2e-4) ++flipped;
      largest = std::max(largest, std::abs(sum));
    }
    const double depth = expected.sums[i][kDepthSum] / std::max(expected.coverage[i], 1e-9);
    if (std::abs(static_cast<double>(frame.depth_expected.pixels[i]) - depth) > 1e-3) ++flipped;
  }
  EXPECT_LT(flipped, static_cast<int>(pixel_count()) / 50);
  EXPECT_GT(largest, 0.5);
}

TEST_P(Surfaces, ScaledScenesHaveTheSameNormals) {
  const auto scene = backend_->upload(cloud_of(info(), random_values(info())));
  const SceneInstance small{.scene = scene.get(), .world_from_scene = {.scale = 0.25}};
  RenderSettings settings;
  settings.outputs.normal = settings.outputs.alpha = true;
  Frame frame;
  backend_->render_scenes({&small, 1}, small_camera(), settings, frame);
  double longest = 0;
  for (std::size_t i = 0; i < pixel_count(); ++i) {
    const float* n = frame.normal.pixels.data() + 3 * i;
    const double length = std::sqrt(static_cast<double>(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    EXPECT_LE(length, static_cast<double>(frame.alpha.pixels[i]) + 1e-5);
    longest = std::max(longest, length);
  }
  EXPECT_GT(longest, 0.5);
}

TEST_P(Surfaces, StepsHaveTheGradientOfTheSurfaceLosses) {
  constexpr double kStep = 1e-6;
  const Values values = random_values(info());
  const LossSettings both{.ssim_weight = 0, .distortion_weight = 30, .normal_weight = 0.7f};
  const LossSettings none{.ssim_weight = 0};
  const std::vector<double> held = surface_of(kind(), values).coverage;
  const auto loss = [&](const Values& at) {
    return surface_loss(surface_of(kind(), at), held, 30, static_cast<double>(both.normal_weight));
  };
  for (const BackwardForm form : std::get<0>(GetParam()).backward_forms) {
    SplatCloud order(0, 0, kind());
    const SplatCloud with = gradients(values, both, form, order);
    const SplatCloud without = gradients(values, none, form, order);
    for (std::size_t k = 0; k < static_cast<std::size_t>(info().field_count); ++k) {
      double error = 0, norm = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t place = 0;  // of the splat, by its position
        while (static_cast<double>(order.at(place, Field::mean_x)) != values[i][0]) ++place;
        Values plus = values, minus = values;
        plus[i][k] += kStep;
        minus[i][k] -= kStep;
        const double expected = (loss(plus) - loss(minus)) / (2 * kStep);
        const double found = static_cast<double>(with.at(place, info().fields[k])) -
                             static_cast<double>(without.at(place, info().fields[k]));
        error += (found - expected) * (found - expected);
        norm += expected * expected;
      }
      EXPECT_GT(norm, 0) << "stored value " << k;
      EXPECT_LT(std::sqrt(error), 0.02 * std::sqrt(norm) + 1e-7) << "stored value " << k;
    }
  }
}

TEST_P(Surfaces, LossesMakeDepthsAgree) {
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  const auto trainer = backend_->make_trainer(cloud_of(info(), values), {});
  const auto loss_now = [&] {
    const SplatCloud cloud = trainer->cloud();
    Values now(cloud.count());
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (const Field field : info().stored()) {
        now[i].push_back(static_cast<double>(cloud.at(i, field)));
      }
      now[i].resize(static_cast<std::size_t>(info().field_count) + kDefinedShValues);
    }
    const SurfaceImage image = surface_of(kind(), now);
    return surface_loss(image, image.coverage, 30, 1);
  };
  const double before = loss_now();
  for (std::uint64_t step = 1; step <= 40; ++step) {
    StepRequest request = request_for(photo, step);
    request.loss.distortion_weight = 30;
    request.loss.normal_weight = 1;
    EXPECT_EQ(trainer->step(request).non_finite, 0u);
  }
  EXPECT_LT(loss_now(), before);
}

TEST_P(Surfaces, NormalsOfOtherKindsAndOfSolidsAreRefused) {
  RenderSettings settings;
  settings.outputs.normal = true;
  Frame frame;
  const KindInfo& other = kind_info(SplatKind::gaussian);
  const auto gaussians = backend_->upload(cloud_of(other, random_values(other)));
  EXPECT_THROW(backend_->render(*gaussians, small_camera(), settings, frame), Error);
  settings.shape = SplatShape::ellipsoid;
  const auto scene = backend_->upload(cloud_of(info(), random_values(info())));
  EXPECT_THROW(backend_->render(*scene, small_camera(), settings, frame), Error);
}

}  // namespace
}  // namespace mote
