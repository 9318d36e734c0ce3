// Models that are shown together: splats of one kind are blended as one scene, other models are
// composed by depth.
#include "model/model_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/train_snapshot.h"
#include "devices/devices.h"
#include "model/compose.h"
#include "model/still_splats.h"
#include "scene/camera_path.h"
#include "splats/extent.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

const Similarity kPlace{.scale = 2.5,
                        .rotation = rotation_about_axes({0.3, -0.2, 1.1}),
                        .translation = {0.4, -0.1, 0.7}};

constexpr Field kSharedFields[] = {Field::mean_x,       Field::mean_y,      Field::mean_z,
                                   Field::log_scale_x,  Field::log_scale_y, Field::rotation_w,
                                   Field::rotation_x,   Field::rotation_y,  Field::rotation_z,
                                   Field::logit_opacity};

/// The same values as splats of another kind, without view-dependent colour.
SplatCloud of_kind(const SplatCloud& cloud, SplatKind kind) {
  SplatCloud result(cloud.count(), cloud.sh_degree(), kind);
  fill_zero(result);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : kSharedFields) result.at(i, field) = cloud.at(i, field);
    for (int c = 0; c < 3; ++c) result.sh(i, 0, c) = cloud.sh(i, 0, c);
  }
  return result;
}

/// Splats that only their own render() draws, like a model of another kind than splats.
class DrawnAlone : public StillSplats {
 public:
  using StillSplats::StillSplats;
  std::vector<SceneInstance> scenes_at(double, const MotionPaint&) override { return {}; }
  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    EXPECT_EQ(settings.outputs.delivery, nullptr);
    const SceneInstance all = StillSplats::scenes_at(view.time_s, settings.paint).front();
    return backend->render(*all.scene, view.camera, settings, frame);
  }
  Backend* backend = nullptr;
};

class AModelList : public testing::Test {
 protected:
  template <class Model = StillSplats>
  std::shared_ptr<Model> model(const SplatCloud& cloud) const {
    return std::make_shared<Model>(*backend_, copy_of(cloud), scene_extent(cloud));
  }
  std::shared_ptr<DrawnAlone> drawn_alone(const SplatCloud& cloud) const {
    auto made = model<DrawnAlone>(cloud);
    made->backend = backend_.get();
    return made;
  }
  Frame drawn(Drawable& model, const RenderSettings& settings) const {
    Frame frame;
    model.render(view_, settings, frame);
    return frame;
  }
  static RenderSettings all_images() {
    RenderSettings settings;
    settings.background = {0.2f, 0.5f, 0.9f};
    settings.outputs = {.alpha = true, .depth = true, .overdraw = true, .tile_cost = true};
    return settings;
  }

  const std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}});
  const SplatCloud first_ = random_cloud(80, 1, 1), second_ = random_cloud(60, 1, 2);
  const View view_ =
      orbit_views(scene_extent(first_), {.count = 1, .width = 70, .height = 45}).front();
};

void expect_same(const Image& found, const Image& expected, float tolerance) {
  ASSERT_EQ(found.pixels.size(), expected.pixels.size());
  ASSERT_FALSE(expected.pixels.empty());
  for (std::size_t i = 0; i < found.pixels.size(); ++i) {
    ASSERT_NEAR(found.pixels[i], expected.pixels[i], tolerance) << "value " << i;
  }
}

TEST_F(AModelList, BlendsSplatsOfOneKindAsOneScene) {
  const auto one = backend_->upload(copy_of(first_)), other = backend_->upload(copy_of(second_));
  const std::vector<SceneInstance> scenes{{.scene = one.get()},
                                          {.scene = other.get(), .world_from_scene = kPlace}};
  Frame expected;
  const FrameStats stats = backend_->render_scenes(scenes, view_.camera, all_images(), expected);

  ModelList list(*backend_, {{.model = model(first_), .count = 80},
                             {.model = model(second_), .world_from_model = kPlace, .count = 59}});
  Frame found;
  const FrameStats list_stats = list.render(view_, all_images(), found);
  EXPECT_EQ(list_stats.pairs, stats.pairs);
  EXPECT_EQ(list_stats.splats, 139u);
  expect_same(found.rgb, expected.rgb, 0);
  expect_same(found.depth_median, expected.depth_median, 0);
  EXPECT_EQ(list.scenes_at(0, {}).size(), 2u);
  EXPECT_EQ(
      list.extent().radius,
      joint_extent(scene_extent(first_), placed_extent(scene_extent(second_), kPlace)).radius);
}

TEST_F(AModelList, DrawsAPartInItsOwnShape) {
  RenderSettings as_points = all_images();
  as_points.shape = SplatShape::point;
  const auto points = model(second_);
  ModelList only(*backend_, {{.model = points, .shape = SplatShape::point}});
  ModelList blended(*backend_, {{.model = points}});
  const Frame expected = drawn(blended, as_points), found = drawn(only, all_images());
  expect_same(found.rgb, expected.rgb, 0);
  expect_same(found.depth_median, expected.depth_median, 0);
  EXPECT_TRUE(only.scenes_at(0, {}).empty()) << "others would blend them";

  RenderSettings as_ellipsoids = all_images();
  as_ellipsoids.shape = SplatShape::ellipsoid;
  expect_same(drawn(only, as_ellipsoids).rgb, drawn(blended, as_ellipsoids).rgb, 0);

  // Points beside splats of the same kind are composed with them.
  ModelList both(*backend_,
                 {{.model = model(first_)}, {.model = points, .shape = SplatShape::point}});
  RenderSettings of_layers = all_images();
  of_layers.background = {};
  ModelList splats(*backend_, {{.model = model(first_)}});
  std::vector<Frame> layers;
  layers.push_back(drawn(splats, of_layers));
  layers.push_back(drawn(only, of_layers));
  Frame composed;
  prepare_frame(view_.camera, all_images(), composed);
  compose_by_depth(layers, all_images().background, composed);
  expect_same(drawn(both, all_images()).rgb, composed.rgb, 0);
}

TEST_F(AModelList, ComposesSplatsOfTwoKinds) {
  const SplatCloud surfels = of_kind(second_, SplatKind::surfel);
  ModelList list(*backend_,
                 {{.model = model(first_), .count = 80}, {.model = model(surfels), .count = 60}});
  const Frame found = drawn(list, all_images());
  RenderSettings alone = all_images();
  alone.background = {};
  const auto one = model(first_), other = model(surfels);
  const Frame a = drawn(*one, alone), b = drawn(*other, alone);
  const std::array<float, 3> background = all_images().background;
  std::size_t both = 0;
  for (std::size_t i = 0; i < found.alpha.pixels.size(); ++i) {
    const bool a_first =
        a.alpha.pixels[i] > 0 &&
        (b.alpha.pixels[i] == 0 || a.depth_expected.pixels[i] < b.depth_expected.pixels[i]);
    const Frame& front = a_first ? a : b;
    const Frame& back = a_first ? b : a;
    both += a.alpha.pixels[i] > 0.1f && b.alpha.pixels[i] > 0.1f;
    const float through = 1 - front.alpha.pixels[i];
    const float left = through * (1 - back.alpha.pixels[i]);
    EXPECT_NEAR(found.alpha.pixels[i], 1 - left, 1e-6);
    for (std::size_t c = 0; c < 3; ++c) {
      const float expected =
          front.rgb.pixels[3 * i + c] + through * back.rgb.pixels[3 * i + c] + left * background[c];
      EXPECT_NEAR(found.rgb.pixels[3 * i + c], expected, 1e-5);
    }
    EXPECT_EQ(found.overdraw.pixels[i], a.overdraw.pixels[i] + b.overdraw.pixels[i]);
    EXPECT_EQ(found.tile_cost.pixels[i], a.tile_cost.pixels[i] + b.tile_cost.pixels[i]);
  }
  EXPECT_GT(both, 100u) << "the models overlap in the picture";
  EXPECT_TRUE(list.scenes_at(0, {}).empty()) << "cannot be blended with others";
}

TEST_F(AModelList, PlacesAModelThatDrawsItself) {
  ModelList blended(*backend_, {{.model = model(first_), .world_from_model = kPlace, .count = 80}});
  ModelList alone(*backend_,
                  {{.model = drawn_alone(first_), .world_from_model = kPlace, .count = 80}});
  const Frame expected = drawn(blended, all_images()), found = drawn(alone, all_images());
  expect_same(found.rgb, expected.rgb, 2e-3f);
  expect_same(found.depth_expected, expected.depth_expected, 2e-2f);
  expect_same(found.depth_median, expected.depth_median, 0.2f);
}

TEST_F(AModelList, DrawsModelsInFrontOfEachOtherInAnyOrderOfTheList) {
  const Similarity behind{.translation =
                              4.0 * glm::dvec3(glm::transpose(view_.camera.cam_from_world)[2])};
  for (const bool swapped : {false, true}) {
    std::vector<ModelList::Part> parts{
        {.model = model(first_), .count = 80},
        {.model = drawn_alone(second_), .world_from_model = behind, .count = 60}};
    if (swapped) std::swap(parts[0], parts[1]);
    ModelList composed(*backend_, parts);
    ModelList blended(*backend_,
                      {{.model = model(first_), .count = 80},
                       {.model = model(second_), .world_from_model = behind, .count = 60}});
    const Frame found = drawn(composed, all_images()), expected = drawn(blended, all_images());
    // One picture ends at a transmittance of 1/10000, the other blends each model to there.
    expect_same(found.rgb, expected.rgb, 2e-3f);
    expect_same(found.alpha, expected.alpha, 2e-3f);
  }
}

Frame frame_of(std::vector<float> alpha, std::vector<float> expected, std::vector<float> median) {
  Frame frame;
  const auto fill = [](Image& image, const std::vector<float>& values, int channels) {
    image.resize_discard(static_cast<int>(values.size()), 1, channels);
    for (std::size_t i = 0; i < values.size() * static_cast<std::size_t>(channels); ++i) {
      image.pixels[i] = values[i / static_cast<std::size_t>(channels)];
    }
  };
  fill(frame.rgb, alpha, 3);  // white over black
  fill(frame.alpha, alpha, 1);
  fill(frame.depth_expected, expected, 1);
  fill(frame.depth_median, median, 1);
  return frame;
}

TEST(ComposeByDepth, TakesTheMedianDepthFromTheModelThatHidesHalf) {
  const std::vector<Frame> layers = [] {
    std::vector<Frame> made;
    made.push_back(frame_of({0.4f, 0.8f, 0.0f, 0.3f}, {5, 5, 0, 5}, {0, 4.5f, 0, 0}));
    made.push_back(frame_of({0.6f, 0.6f, 0.0f, 0.1f}, {2, 9, 0, 2}, {1.5f, 8, 0, 0}));
    made.push_back(frame_of({0.0f, 0.0f, 0.0f, 0.5f}, {0, 0, 0, 7}, {0, 0, 0, 6}));
    return made;
  }();
  Frame frame = frame_of({9, 9, 9, 9}, {9, 9, 9, 9}, {9, 9, 9, 9});
  compose_by_depth(layers, {0, 0, 0}, frame);
  const std::vector<float> median(frame.depth_median.pixels.span().begin(),
                                  frame.depth_median.pixels.span().end());
  // In the last pixel 0.9 * 0.7 = 0.63 passes two models, and half of it the third.
  EXPECT_EQ(median, (std::vector<float>{1.5f, 4.5f, 0, 6}));
  EXPECT_FLOAT_EQ(frame.alpha.pixels[0], 1 - 0.4f * 0.6f);
  EXPECT_FLOAT_EQ(frame.depth_expected.pixels[0], (0.6f * 2 + 0.4f * 0.4f * 5) / (1 - 0.4f * 0.6f));
  EXPECT_EQ(frame.alpha.pixels[2], 0);
  EXPECT_EQ(frame.depth_expected.pixels[2], 0);
}

}  // namespace
}  // namespace mote
