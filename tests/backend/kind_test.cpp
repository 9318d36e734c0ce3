// Every kind of splat on each device that the test program is linked with (test_devices.h): its
// picture and the gradient of a training step against a blending in double by definition, splat by
// splat and pixel by pixel, and a short training.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "backend/splat_trainer.h"
#include "cameras/camera_floats.h"
#include "math/spherical_harmonics.h"
#include "pipeline/blend.h"
#include "splats/kinds/kinds.h"
#include "support/fake_training.h"
#include "support/test_devices.h"

namespace mote {
namespace {

constexpr int kDegree = 1, kShValues = sh_coefficient_count(kDegree) * 3;
constexpr std::size_t kSplats = 7;

Camera small_camera() {
  Camera camera;
  camera.width = 48;
  camera.height = 36;
  camera.focal_px = {40, 42};
  camera.center_px = {25, 17};
  look_at(camera, {4, 0.4, 1}, {0, 0, 0}, {0, 0, 1});
  return camera;
}

/// Stored values: fields of the kind, then harmonics.
using Values = std::vector<std::vector<double>>;

Values random_values(const KindInfo& kind) {
  std::mt19937 engine(17);
  std::uniform_real_distribution<double> unit(-1, 1);
  Values values;
  for (std::size_t i = 0; i < kSplats; ++i) {
    std::vector<double> splat;
    for (const Field field : kind.stored()) {
      const RateGroup group = group_of(field);
      const double value = unit(engine);
      const double scale = kind.kind == SplatKind::beta ? -0.2 : -1.2;
      splat.push_back(group == RateGroup::log_scale ? scale + 0.5 * value
                      : group == RateGroup::opacity ? 0.5 + value
                                                    : value);
    }
    for (int k = 0; k < kShValues; ++k) splat.push_back(0.4 * unit(engine) + (k < 3 ? 0.3 : 0));
    // As the device gets them.
    for (double& value : splat) value = static_cast<double>(static_cast<float>(value));
    values.push_back(std::move(splat));
  }
  return values;
}

SplatCloud cloud_of(const KindInfo& kind, const Values& values) {
  SplatCloud cloud(values.size(), kDegree, kind.kind);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t at = 0;
    for (const Field field : kind.stored()) {
      cloud.at(i, field) = static_cast<float>(values[i][at++]);
    }
    for (int k = 0; k < kShValues; ++k) {
      cloud.sh(i, k / 3, k % 3) = static_cast<float>(values[i][at++]);
    }
  }
  return cloud;
}

/// One projected splat.
template <class Kind>
struct Drawn {
  PixelPoint<double> mean_px;
  BlendedSplat<Kind, double> splat;
  Vec3<double> color;
};

template <class Kind, bool ANTIALIASED>
std::vector<Drawn<Kind>> projected(const Values& values) {
  const Camera camera = small_camera();
  const ViewCamera<double> view = view_camera<double>(camera_floats(camera));
  const ImageBounds<double> image{static_cast<double>(camera.width),
                                  static_cast<double>(camera.height)};
  std::vector<Drawn<Kind>> drawn;
  for (const std::vector<double>& value : values) {
    const auto splat = load_stored<Kind, double>(
        [&](int plane) { return value[static_cast<std::size_t>(plane)]; });
    const Vec3<double> p_cam = view.cam_from_world * splat.mean() + view.translation;
    const auto p = Kind::template project<ANTIALIASED>(view, image, p_cam, activate(splat), 1.0);
    const Vec3<double> color =
        sh_colors<kDegree>(normalize(splat.mean() - view.position_world), [&](int k, int c) {
          return value[static_cast<std::size_t>(Kind::kFieldCount + k * 3 + c)];
        });
    drawn.push_back(
        {p.bound.mean_px, {form_of(p.bound), p.bound.log2_opacity, p_cam.z, p.extra}, color});
  }
  std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn<Kind>& a, const Drawn<Kind>& b) {
    return a.splat.depth < b.splat.depth;
  });
  return drawn;
}

/// The picture, [h][w][3], over black.
template <class Kind, bool ANTIALIASED>
std::vector<double> picture(const Values& values) {
  const Camera camera = small_camera();
  const std::vector<Drawn<Kind>> drawn = projected<Kind, ANTIALIASED>(values);
  std::vector<double> rgb;
  for (int row = 0; row < camera.height; ++row) {
    for (int column = 0; column < camera.width; ++column) {
      double transmittance = 1;
      Vec3<double> color{0, 0, 0};
      for (const Drawn<Kind>& s : drawn) {
        const double x = column + 0.5 - s.mean_px.x, y = row + 0.5 - s.mean_px.y;
        const auto at =
            Kind::respond(s.splat, form_value_at(s.splat.form, s.splat.log2_opacity, x, y), x, y);
        const double log2_alpha = Kind::log2_alpha(at);
        if (log2_alpha < static_cast<double>(kLog2AlphaMin)) continue;
        const double alpha = std::min(static_cast<double>(kAlphaMax), std::exp2(log2_alpha));
        if (transmittance * (1 - alpha) < static_cast<double>(kTransmittanceMin)) break;
        color = color + s.color * (alpha * transmittance);
        transmittance *= 1 - alpha;
      }
      rgb.insert(rgb.end(), {color.x, color.y, color.z});
    }
  }
  return rgb;
}

std::vector<double> picture_of(SplatKind kind, bool antialiased, const Values& values) {
  return visit_kind(kind, [&]<class Kind>() {
    return antialiased ? picture<Kind, true>(values) : picture<Kind, false>(values);
  });
}

PhotoPixels photograph() {
  const Camera camera = small_camera();
  PhotoPixels photo;
  photo.color.resize_discard(camera.width, camera.height, 3);
  for (std::size_t i = 0; i < photo.color.pixels.size(); ++i) {
    photo.color.pixels[i] = static_cast<std::uint8_t>(40 + i * 29 % 170);
  }
  return photo;
}

/// Mean absolute difference to the photograph.
double loss_of(const std::vector<double>& rgb, const PhotoPixels& photo) {
  double sum = 0;
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    sum += std::abs(rgb[i] - photo.color.pixels[i] / 255.0);
  }
  return sum / static_cast<double>(rgb.size());
}

StepRequest request_for(const PhotoPixels& photo, std::uint64_t step) {
  StepRequest request;
  request.camera = small_camera();
  request.photo = &photo;
  request.loss.ssim_weight = 0;
  request.rates = {.mean = 2e-3f,
                   .log_scale = 1e-2f,
                   .rotation = 1e-2f,
                   .logit_opacity = 2e-2f,
                   .sh_0 = 1e-2f,
                   .sh_rest = 1e-3f,
                   .beta = 1e-2f};
  request.step = step;
  return request;
}

using Parameters = std::tuple<TestDevice, SplatKind, bool>;

class Kinds : public testing::TestWithParam<Parameters> {
 protected:
  void SetUp() override {
    const TestDevice& device = std::get<0>(GetParam());
    if (!device.missing.empty()) GTEST_SKIP() << device.missing;
    backend_ = device.make();
  }
  SplatKind kind() const { return std::get<1>(GetParam()); }
  bool antialiased() const { return std::get<2>(GetParam()); }
  const KindInfo& info() const { return kind_info(kind()); }
  std::unique_ptr<SplatTrainer> trainer(const Values& values, BackwardForm form) {
    return backend_->make_trainer(cloud_of(info(), values),
                                  {.antialiased = antialiased(), .backward = form});
  }

  std::unique_ptr<Backend> backend_;
};

std::vector<SplatKind> all_kinds() {
  std::vector<SplatKind> kinds;
  for (int k = 0; k < kSplatKinds; ++k) kinds.push_back(static_cast<SplatKind>(k));
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(On, Kinds,
                         testing::Combine(testing::ValuesIn(test_devices()),
                                          testing::ValuesIn(all_kinds()), testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" +
                                  kind_info(std::get<1>(info.param)).name +
                                  (std::get<2>(info.param) ? "_antialiased" : "");
                         });

TEST_P(Kinds, AreDrawnAsTheirDefinitionSays) {
  const Values values = random_values(info());
  const std::vector<double> expected = picture_of(kind(), antialiased(), values);
  RenderSettings settings;
  settings.antialiased = antialiased();
  Frame frame;
  const auto scene = backend_->upload(cloud_of(info(), values));
  backend_->render(*scene, small_camera(), settings, frame);
  int flipped = 0;
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(frame.rgb.pixels[i]) - expected[i]);
    // A pixel at a threshold may count a splat or not: up to 1/255 of its colour.
    if (difference > 2e-4) ++flipped;
    largest = std::max(largest, difference);
  }
  EXPECT_LT(flipped, static_cast<int>(expected.size()) / 200);
  EXPECT_LT(largest, 0.02);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0.2);
}

TEST_P(Kinds, HaveTheGradientOfTheirDefinition) {
  constexpr double kStep = 1e-5;
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  Values expected = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values[i].size(); ++k) {
      Values plus = values, minus = values;
      plus[i][k] += kStep;
      minus[i][k] -= kStep;
      expected[i][k] = (loss_of(picture_of(kind(), antialiased(), plus), photo) -
                        loss_of(picture_of(kind(), antialiased(), minus), photo)) /
                       (2 * kStep);
    }
  }
  for (const BackwardForm form : std::get<0>(GetParam()).backward_forms) {
    const auto trained = trainer(values, form);
    StepResult result;
    const SplatCloud found = trained->gradients(request_for(photo, 1), result);
    const SplatCloud order = trained->cloud();
    for (std::size_t k = 0; k < values[0].size(); ++k) {
      double error = 0, norm = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t place = 0;  // of the splat, by its position
        while (static_cast<double>(order.at(place, Field::mean_x)) != values[i][0]) ++place;
        const auto field_count = static_cast<std::size_t>(info().field_count);
        const double value =
            k < field_count
                ? static_cast<double>(found.at(place, info().fields[k]))
                : static_cast<double>(found.sh(place, static_cast<int>(k - field_count) / 3,
                                               static_cast<int>(k - field_count) % 3));
        error += (value - expected[i][k]) * (value - expected[i][k]);
        norm += expected[i][k] * expected[i][k];
      }
      EXPECT_LT(std::sqrt(error), 0.01 * std::sqrt(norm) + 1e-7) << "stored value " << k;
    }
  }
}

TEST_P(Kinds, LearnAPhotograph) {
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  const auto trained = trainer(values, BackwardForm::strips);
  const double before = trained->step(request_for(photo, 1)).loss;
  double after = before;
  for (std::uint64_t step = 2; step <= 60; ++step) {
    const StepResult result = trained->step(request_for(photo, step));
    EXPECT_EQ(result.non_finite, 0u);
    after = result.loss;
  }
  EXPECT_LT(after, 0.97 * before);
}

TEST_P(Kinds, AreRestoredBitForBit) {
  const PhotoPixels photo = photograph();
  const auto whole = trainer(random_values(info()), BackwardForm::strips);
  for (std::uint64_t step = 1; step <= 5; ++step) whole->step(request_for(photo, step));
  MemoryBytes bytes;
  whole->save(bytes);
  const auto resumed = trainer(random_values(info()), BackwardForm::strips);
  resumed->restore(bytes);
  for (std::uint64_t step = 6; step <= 8; ++step) {
    whole->step(request_for(photo, step));
    resumed->step(request_for(photo, step));
  }
  const SplatCloud a = whole->cloud(), b = resumed->cloud();
  for (std::size_t i = 0; i < kSplats; ++i) {
    for (const Field field : info().stored()) EXPECT_EQ(a.at(i, field), b.at(i, field));
  }
}

TEST_P(Kinds, AreSplitSharedAndMoved) {
  const Values values = random_values(info());
  const PhotoPixels photo = photograph();
  const auto trained = trainer(values, BackwardForm::strips);
  StepRequest request = request_for(photo, 1);
  request.noise = 0.1f;
  request.noise_seed = 3;
  trained->step(request);
  const McmcOutcome grown = trained->change(McmcRules{.count = 2 * kSplats}, {}, 5);
  EXPECT_EQ(grown.added, kSplats);
  trained->step(request_for(photo, 2));
  const AdcOutcome split =
      trained->change(AdcRules{.gradient = 1e-9, .clone_scale = 1e-9, .most = 100}, {}, 5);
  EXPECT_GT(split.split, 0u);
  EXPECT_EQ(trained->count(), 2 * kSplats + split.split - split.removed);
  const StepResult result = trained->step(request_for(photo, 3));
  EXPECT_TRUE(std::isfinite(result.loss));
  EXPECT_EQ(result.non_finite, 0u);
}

}  // namespace
}  // namespace mote
