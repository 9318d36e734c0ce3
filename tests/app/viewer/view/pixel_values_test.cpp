// The values of the pixel under the pointer.
#include "app/viewer/view/pixel_values.h"

#include "app/viewer/view/display.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class PixelsUnderThePointer : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    make_tiny_dataset(path("data"));
    save_scene(tiny_cloud(), path("truth.ply"));
    run("set pixel-values true\nopen {}/data {}/truth.ply\nwait loaded\nhide data\n");
  }
  PixelValues at(double x, double y) const {
    const auto values = pixel_values(session(), {x, y});
    EXPECT_TRUE(values);
    return values.value_or(PixelValues{});
  }
};

TEST_F(PixelsUnderThePointer, HaveTheColorAlphaAndDepthOfThePicture) {
  run("camera frame\nwait still\n");
  const Frame& frame = session().frame->frame;
  ASSERT_FALSE(frame.alpha.pixels.empty());
  for (const auto& [x, y] : {std::pair(32, 24), {10, 40}}) {
    const PixelValues values = at(x + 0.3, y + 0.7);
    EXPECT_EQ(values.x, x);
    EXPECT_EQ(values.y, y);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(values.color[c], frame.rgb.row(y)[3 * x + static_cast<int>(c)]);
    }
    EXPECT_EQ(values.alpha, frame.alpha.row(y)[x]);
    const float depth = frame.depth_median.row(y)[x];
    EXPECT_EQ(values.depth.has_value(), depth > 0);
    if (values.depth) {
      EXPECT_EQ(*values.depth, depth);
    }
    EXPECT_FALSE(values.photograph);
  }
  EXPECT_TRUE(at(32, 24).depth) << "the scene is in the middle";
  EXPECT_FALSE(pixel_values(session(), {-1, 5}));
  EXPECT_FALSE(pixel_values(session(), {64, 5}));
}

TEST_F(PixelsUnderThePointer, KeepTheRenderedColorInPaintedModesAndHaveTheirCounts) {
  run("camera frame\nwait still\n");
  const PixelValues before = at(32, 24);
  run("mode overdraw\nwait still\n");
  EXPECT_EQ(at(32, 24).color, before.color);
  ASSERT_TRUE(at(32, 24).count);
  EXPECT_GT(*at(32, 24).count, 0);
}

TEST_F(PixelsUnderThePointer, HaveThePhotographAndTheErrorInAComparison) {
  run("photograph 5\ncompare difference\nwait still\n");
  for (int i = 0; i < 3000 && !compared_picture(session()); ++i) update();
  ASSERT_TRUE(compared_picture(session()));
  const PixelValues values = at(32, 24);
  ASSERT_TRUE(values.photograph && values.error);
  for (std::size_t c = 0; c < 3; ++c) {
    const float photo = static_cast<float>((*values.photograph)[c]) / 255;
    EXPECT_FLOAT_EQ((*values.error)[c], std::abs(values.color[c] - photo));
    EXPECT_LT((*values.error)[c], 0.01f) << "the photographs were rendered from this scene";
  }
  const auto lines = lines_of(values, "absolute");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[4].find("absolute"), std::string::npos);
}

TEST(ChannelErrors, FollowTheMetric) {
  EXPECT_FLOAT_EQ(channel_error(0.2f, 0.5f, "absolute"), 0.3f);
  EXPECT_FLOAT_EQ(channel_error(0.2f, 0.5f, "squared"), 0.09f);
  EXPECT_FLOAT_EQ(channel_error(0.2f, 0.49f, "relative"), 0.29f / 0.5f);
  EXPECT_FLOAT_EQ(channel_error(0.2f, 0.5f, "signed"), -0.3f);
  EXPECT_TRUE(std::isfinite(channel_error(0.2f, 0, "relative")));
}

TEST_F(PixelsUnderThePointer, TheMetricReachesTheDisplay) {
  run("photograph 5\ncompare difference\nset error-metric signed\nwait still\n");
  for (int i = 0; i < 3000 && !compared_picture(session()); ++i) update();
  EXPECT_EQ(display_options(session()).metric, present::ErrorMetric::signed_);
}

}  // namespace
}  // namespace mote
