// Fogs of constant density with splats in them, against the known colour of the middle pixel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/train_snapshot.h"
#include "devices/devices.h"
#include "fields/applications/compositing.h"
#include "fields/applications/volume_shading.h"
#include "math/display_curve.h"
#include "model/model_list.h"
#include "model/still_splats.h"
#include "splats/extent.h"
#include "support/constant_field.h"
#include "train/fields/field_model.h"

namespace mote {
namespace {

constexpr int kMiddle = 16;
constexpr double kDistance = 6;  // of the camera from the origin

View a_view() {
  Camera camera;
  camera.width = camera.height = 2 * kMiddle + 1;
  camera.focal_px = {40, 40};
  camera.center_px = {kMiddle + 0.5, kMiddle + 0.5};
  camera.translation = {0, 0, kDistance};
  return {.camera = camera};
}

/// One wide splat on the camera's axis.
struct Sheet {
  double z, opacity;
  std::array<double, 3> color;
  SplatKind kind = SplatKind::gaussian;
};

SplatCloud cloud_of(const Sheet& sheet) {
  constexpr double kBand0 = 0.28209479177387814;
  SplatCloud cloud(1, 0, sheet.kind);
  fill_zero(cloud);
  cloud.at(0, Field::mean_z) = static_cast<float>(sheet.z);
  cloud.at(0, Field::rotation_w) = 1;
  cloud.at(0, Field::logit_opacity) =
      static_cast<float>(std::log(sheet.opacity / (1 - sheet.opacity)));
  for (int c = 0; c < 3; ++c) {
    cloud.sh(0, 0, c) =
        static_cast<float>((sheet.color[static_cast<std::size_t>(c)] - 0.5) / kBand0);
  }
  return cloud;
}

/// A fog in a cube around the origin.
struct Fog {
  double half_side, extinction;  // world units
  std::array<double, 3> color;
};

struct Pixel {
  std::array<double, 3> rgb{};
  double left = 1, depth = 0;
};

/// Light along the camera's axis: fog, then a sheet, then fog, and so on.
Pixel known_pixel(const Fog& fog, std::vector<Sheet> sheets,
                  const std::array<float, 3>& background) {
  std::ranges::sort(sheets, {}, &Sheet::z);
  Pixel pixel;
  const auto pass = [&](double share, const std::array<double, 3>& color) {
    for (std::size_t c = 0; c < 3; ++c) pixel.rgb[c] += pixel.left * share * color[c];
    pixel.left *= 1 - share;
  };
  double z = -fog.half_side;
  const auto pass_fog = [&](double end) {
    const double to = std::clamp(end, z, fog.half_side);
    pass(1 - std::exp(-fog.extinction * (to - z)), fog.color);
    z = to;
  };
  for (const Sheet& sheet : sheets) {
    pass_fog(sheet.z);
    pass(sheet.opacity, sheet.color);
  }
  pass_fog(fog.half_side);
  for (std::size_t c = 0; c < 3; ++c) pixel.rgb[c] += pixel.left * double{background[c]};
  return pixel;
}

const std::vector<Sheet> kSheets{{-0.4, 0.5, {0.9, 0.1, 0.3}},
                                 {0.5, 0.75, {0.2, 0.8, 0.6}, SplatKind::surfel}};

class FogsWithSplats : public testing::Test {
 protected:
  void add_field(const NeuralField& field, const Similarity& place = {}) {
    const SceneExtent extent = field_extent(field);
    parts_.push_back({.model = std::make_shared<StillField>(*backend_, field, extent),
                      .world_from_model = place,
                      .count = 1});
  }
  void add_splats(const Sheet& sheet) {
    SplatCloud cloud = cloud_of(sheet);
    const SceneExtent extent = scene_extent(cloud);
    parts_.push_back(
        {.model = std::make_shared<StillSplats>(*backend_, std::move(cloud), extent), .count = 1});
  }
  FrameStats draw() {
    ModelList list(*backend_, std::exchange(parts_, {}));
    settings_.background = {0.25f, 0.5f, 1};
    settings_.outputs.alpha = settings_.outputs.depth = true;
    return list.render(a_view(), settings_, frame_);
  }
  void expect(const Pixel& known) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(frame_.rgb.row(kMiddle)[3 * kMiddle + c], known.rgb[static_cast<std::size_t>(c)],
                  kTolerance)
          << c;
    }
    // A ray with less light counts as opaque.
    EXPECT_NEAR(frame_.alpha.row(kMiddle)[kMiddle], 1 - known.left, kDrawingStop);
  }

  static constexpr double kTolerance = 4e-3;
  const std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}});
  std::vector<ModelList::Part> parts_;
  RenderSettings settings_;
  Frame frame_;
};

/// A NeRF with an extinction of 1/2 per length of the world.
NeuralField nerf_fog() {
  const float log_density[] = {0};
  return constant_field(FieldApplication::nerf, log_density);
}
const Fog kNerfFog{1, 0.5, {0.5, 0.5, 0.5}};

TEST_F(FogsWithSplats, SplatsDimTheFogBehindThemAndAreDimmedByThatInFront) {
  for (const double z : {-2.0, -0.6, 0.0, 0.7, 2.0}) {
    for (const double opacity : {0.3, 0.98}) {
      SCOPED_TRACE(testing::Message() << z << ' ' << opacity);
      const Sheet sheet{z, opacity, {0.9, 0.1, 0.3}};
      add_field(nerf_fog());
      add_splats(sheet);
      draw();
      expect(known_pixel(kNerfFog, {sheet}, {0.25f, 0.5f, 1}));
    }
  }
}

TEST_F(FogsWithSplats, SheetsOfTwoKindsMakeThreeParts) {
  for (const bool field_first : {false, true}) {
    if (field_first) add_field(nerf_fog());
    for (const Sheet& sheet : kSheets) add_splats(sheet);
    if (!field_first) add_field(nerf_fog());
    draw();
    expect(known_pixel(kNerfFog, kSheets, {0.25f, 0.5f, 1}));
  }
}

TEST_F(FogsWithSplats, APlacedFogIsDividedAtTheSamePlace) {
  add_field(nerf_fog(), {.scale = 2.5});
  for (const Sheet& sheet : kSheets) add_splats(sheet);
  draw();
  expect(known_pixel({2.5, 0.2, kNerfFog.color}, kSheets, {0.25f, 0.5f, 1}));
}

TEST_F(FogsWithSplats, AVolumeIsDividedToo) {
  const float values[] = {0.5f, 0.25f, 0.125f, 1.0f / 64};
  add_field(constant_field(FieldApplication::volume, values));
  for (const Sheet& sheet : kSheets) add_splats(sheet);
  draw();
  const auto shown = [](float linear) { return double{display_from_linear(linear)}; };
  expect(known_pixel({1, kVolumeExtinction / 128.0, {shown(0.5f), shown(0.25f), shown(0.125f)}},
                     kSheets, {0.25f, 0.5f, 1}));
}

TEST_F(FogsWithSplats, TheMedianDepthIsWhereHalfOfTheLightIsLeft) {
  add_field(nerf_fog());
  add_splats(kSheets[0]);
  draw();
  // e^-0.3 = 0.74 reaches the sheet, and half of that passes it.
  EXPECT_NEAR(frame_.depth_median.row(kMiddle)[kMiddle], kDistance - 0.4, 1e-3);
  EXPECT_GT(frame_.depth_expected.row(kMiddle)[kMiddle], kDistance - 1);
  EXPECT_LT(frame_.depth_expected.row(kMiddle)[kMiddle], kDistance);
}

TEST_F(FogsWithSplats, FogBehindAnOpaqueSheetIsNotEvaluated) {
  add_field(nerf_fog());
  const std::uint64_t alone = draw().evaluations;
  add_field(nerf_fog());
  for (int i = 0; i < 4; ++i) add_splats({-0.9, 0.98, {0.9, 0.1, 0.3}});
  EXPECT_LT(draw().evaluations, alone / 2);
}

}  // namespace
}  // namespace mote
