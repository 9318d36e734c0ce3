// The photograph over the view, and how both reach the screen.
#include "app/viewer/view/display.h"
#include "app/viewer/view/overlay.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/view_tools.h"
#include "devices/devices.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerComparison : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    make_tiny_dataset(path("data"));
    save_scene(tiny_cloud(), path("truth.ply"));
    run("open {}/data {}/truth.ply\nwait loaded\nhide data\n");
  }
  std::shared_ptr<const Image8> photograph() {
    for (int i = 0; i < 3000; ++i) {
      update();
      const auto found = compared_picture(session());
      const bool ready =
          found && session().still && (found->width == session().view.width || found->width == 64);
      if (ready && session().tasks.pending() == 0) return found;
    }
    return nullptr;
  }
};

TEST_F(ViewerComparison, LaysThePhotographExactlyOverTheRendering) {
  viewer_->resize(200, 48);
  run("photograph 5\nwait still\n");
  EXPECT_EQ(session().view.width, 200);
  EXPECT_EQ(compared_picture(session()), nullptr);
  run("compare difference\nwait still\n");
  EXPECT_EQ(session().view.width, 64) << "the photograph's shape";
  EXPECT_EQ(session().view.height, 48);
  const PicturePlace place = picture_place(session());
  EXPECT_EQ(place.x, 68);
  EXPECT_EQ(place.width, 64);
  const auto picture = photograph();
  ASSERT_TRUE(picture);
  const Image& shown = session().frame->picture();
  ASSERT_EQ(shown.width, picture->width);
  ASSERT_EQ(shown.height, picture->height);
  for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
    ASSERT_NEAR(255 * shown.pixels[i], picture->pixels[i], 1.01) << i;
  }
  EXPECT_EQ(display_options(session()).compare, present::Compare::difference);
}

TEST_F(ViewerComparison, KeepsThePhotographsShapeToThePixelAtAnySize) {
  run("photograph 5\ncompare split\nwait still\n");
  for (const auto& [width, height] : {std::pair(301, 77), {77, 301}, {640, 479}, {33, 25}}) {
    viewer_->resize(width, height);
    run("wait still\n");
    const ViewOptions& view = session().view;
    EXPECT_TRUE(view.width == width || view.height == height);
    // The size is in whole pixels, so the camera is that of the slightly stretched photograph.
    const Camera& photograph = session().cameras[0].views[4].camera;
    const Camera expected = resized(photograph, view.width, view.height);
    EXPECT_DOUBLE_EQ(session().camera().focal_px.x, expected.focal_px.x);
    EXPECT_DOUBLE_EQ(session().camera().focal_px.y, expected.focal_px.y);
    EXPECT_DOUBLE_EQ(session().camera().center_px.y, expected.center_px.y);
    EXPECT_NEAR(expected.focal_px.x / expected.focal_px.y, 1, 0.5 / std::min(width, height) * 2);
  }
}

TEST_F(ViewerComparison, StopsWhenTheViewMovesAwayAndResumesOnRequest) {
  viewer_->resize(200, 48);
  run("photograph 5\ncompare split 0.25\nwait still\n");
  ASSERT_TRUE(photograph());
  EXPECT_FLOAT_EQ(display_options(session()).split, 0.25f);
  run("camera orbit 10 0\nwait still\n");
  EXPECT_EQ(session().view.width, 200);
  EXPECT_EQ(compared_picture(session()), nullptr);
  EXPECT_EQ(display_options(session()).compare, present::Compare::none);
  run("compare flicker\nwait still\n");
  EXPECT_EQ(session().photograph->index, 4u);
  ASSERT_TRUE(photograph());
  EXPECT_TRUE(viewer_->busy()) << "it flickers";
  run("compare off\nwait still\n");
  EXPECT_EQ(compared_picture(session()), nullptr);
  act("compare split 1.5");
  EXPECT_EQ(errors("0 to 1"), 1);
}

TEST_F(ViewerComparison, ThePointerMovesTheLine) {
  viewer_->resize(400, 300);
  run("photograph 5\ncompare split\nwait still\n");
  ASSERT_TRUE(photograph());
  ViewTools tools;
  tools.hover(session(), ViewPointer{{200, 40}});
  EXPECT_EQ(tools.shape(session()), PointerShape::left_right);
  const auto strokes = overlay_strokes(session(), tools);
  ASSERT_EQ(strokes.size(), 4u) << "the line, its handle, and their shadows";
  EXPECT_FLOAT_EQ(strokes[0].from[0], 200);
  ASSERT_TRUE(tools.begin(session(), {{200, 40}}));
  for (const ActionCall& call : tools.drag(session(), {{100, 50}})) viewer_->act(call);
  EXPECT_NEAR(session().view.split, 0.25, 1e-4);
  tools.end(session(), {{100, 50}});
  EXPECT_FALSE(tools.begin(session(), {{200, 40}}));
}

TEST_F(ViewerComparison, ScoresAsAnEvaluationForAnyWindowAndDisplay) {
  save_scene(tiny_cloud({.seed = 7}), path("other.ply"));
  viewer_->resize(150, 31);
  run("close truth.ply\nopen {}/other.ply\nwait loaded\nhide data\nset exposure 2\n"
      "set backdrop checker\nphotograph view_00\ncompare split\nwait still\nscore\n");
  while (!session().photograph->score) update();
  ASSERT_TRUE(session().photograph->score);
  const LoadedDataset loaded = load_dataset(path("data"), {.test_choice = "name"}, {});
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(load_scene(path("other.ply")));
  const Evaluation expected =
      evaluate({.dataset = loaded.dataset, .photos = *loaded.photos},
               [&](std::uint32_t index, Frame& frame) {
                 backend->render(*device, loaded.dataset.photographs[index].camera, {}, frame);
               });
  ASSERT_EQ(expected.views.front().name, "view_00");
  EXPECT_LT(expected.psnr_db, 40) << "other splats than those of the photographs";
  EXPECT_NEAR(session().photograph->score->psnr_db, expected.views.front().psnr_db, 1e-4);
  EXPECT_NEAR(session().photograph->score->ssim, expected.views.front().ssim, 1e-6);
}

TEST_F(ViewerComparison, ForgetsTheScoreOfOtherSplats) {
  run("photograph 5\nwait still\nscore\n");
  while (!session().photograph->score) update();
  ASSERT_TRUE(session().photograph->score);
  run("camera orbit 1 0\nwait still\n");
  EXPECT_TRUE(session().photograph->score) << "of the photograph's camera all the same";
  run("select all\nwait still\n");
  EXPECT_TRUE(session().photograph->score) << "the tint of a selection is not scored";
  run("delete\nwait still\n");
  EXPECT_FALSE(session().photograph->score);
}

TEST_F(ViewerComparison, RequestsAlphaOnlyIfTheBackdropShowsThrough) {
  run("wait still\n");
  EXPECT_EQ(display_alpha(session()), nullptr);
  EXPECT_EQ(display_options(session()).backdrop, present::Backdrop::as_rendered);
  run("set backdrop checker\nset exposure 1.5\nset tone filmic\nset upscale nearest\nwait still\n");
  ASSERT_NE(display_alpha(session()), nullptr);
  const present::DisplayOptions options = display_options(session());
  EXPECT_EQ(options.backdrop, present::Backdrop::checker);
  EXPECT_FLOAT_EQ(options.exposure_ev, 1.5f);
  EXPECT_EQ(options.tone, present::ToneCurve::filmic);
  EXPECT_EQ(options.upscale, present::Upscale::nearest);
  run("mode depth\nwait still\n");
  EXPECT_EQ(display_options(session()).exposure_ev, 0) << "depth is no light";
  run("mode color\ndisplay reset\nwait still\n");
  EXPECT_EQ(display_options(session()).exposure_ev, 0);
  EXPECT_EQ(display_alpha(session()), nullptr);
}

TEST(PhotographAtSize, IsAveragedAndBlendedOverTheBackground) {
  PhotoPixels pixels;
  pixels.color.resize_discard(6, 4, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      std::uint8_t* pixel = pixels.color.row(y) + 4 * x;
      pixel[0] = static_cast<std::uint8_t>(40 * x);
      pixel[1] = static_cast<std::uint8_t>(60 * y);
      pixel[2] = 200;
      pixel[3] = x < 2 ? 0 : 255;
    }
  }
  const Image8 small = photograph_at_size(pixels, 3, 2, {1, 0, 0.5f});
  ASSERT_EQ(small.width, 3);
  ASSERT_EQ(small.channels, 3);
  EXPECT_EQ(small.row(0)[0], 255) << "the background alone";
  EXPECT_EQ(small.row(0)[2], 128);
  EXPECT_EQ(small.row(1)[3], 100) << "of 80 and 120";
  EXPECT_EQ(small.row(1)[4], 150) << "of 120 and 180";
  const Image8 odd = photograph_at_size(pixels, 4, 3, {0, 0, 0});
  EXPECT_EQ(odd.row(0)[4 * 3 - 1], 200);
  // Pixels 4.5 to 6 of columns 160 and 200; the first counts half.
  EXPECT_NEAR(odd.row(1)[3 * 3], (0.5 * 160 + 200) / 1.5, 1);
  EXPECT_EQ(photograph_at_size(pixels, 100, 100, {0, 0, 0}).width, 6) << "never larger";
}

}  // namespace
}  // namespace mote
