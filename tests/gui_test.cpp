// The window as a user sees and uses it: hands of scripts, pictures of the whole.
#include <glm/geometric.hpp>

#include "app/viewer/action.h"
#include "gui_fixture.h"

namespace mote {
namespace {

using AWindow = ScriptedWindow;

/// How much the two differ at most, in levels, over the part of `shown` that the picture has.
int worst_difference(const Image8& shown, const Image& picture, int left, int top) {
  int worst = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int i = 0; i < 3 * picture.width; ++i) {
      const float value = std::clamp(picture.row(y)[i], 0.0f, 1.0f);
      const int expected = static_cast<int>(255 * value + 0.5f);
      worst = std::max(worst, std::abs(shown.row(y + top)[3 * left + i] - expected));
    }
  }
  return worst;
}

int different_pixels(const Image8& a, const Image8& b) {
  int count = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); i += 3) {
    count += std::abs(a.pixels[i] - b.pixels[i]) > 8;
  }
  return count;
}

TEST_F(AWindow, AsksForASceneWhileNothingIsOpen) {
  run_in_window("screenshot window {shots}/welcome.png\n");
  const Image8 image = shot("welcome.png");
  EXPECT_EQ(image.width, kWidth);
  EXPECT_EQ(image.height, kHeight);
  const auto& pixels = image.pixels;
  EXPECT_NE(*std::max_element(pixels.data(), pixels.data() + pixels.size()),
            *std::min_element(pixels.data(), pixels.data() + pixels.size()));
}

TEST_F(AWindow, ShowsWhatIsRenderedFromTheSameCameraWithinALevel) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwindow view\ncamera orbit 30 10\nwait still\n"
      "screenshot window {shots}/scene.png\n");
  const Camera camera = session().camera();
  ASSERT_EQ(camera.width, kWidth);
  ASSERT_EQ(camera.height, kHeight);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(load_scene(path("scene.ply")));
  Frame frame;
  backend->render(*device, camera, {}, frame);
  const Image8 shown = shot("scene.png");
  // Below the frusta's and the tools' reach nothing lies over the picture.
  EXPECT_LE(worst_difference(shown, frame.rgb, 0, 0), 1);
}

TEST_F(AWindow, LooksTheSameWithoutADisplay) {
  scene();
  run_in_window(
      "open {}/scene.ply\nset statistics false\nwait still\n"
      "screenshot window {shots}/on_display.png\n");
  start();
  run_in_window(
      "open {}/scene.ply\nset statistics false\nwait still\n"
      "screenshot window {shots}/offscreen.png\n",
      true);
  EXPECT_LT(different_pixels(shot("on_display.png"), shot("offscreen.png")), 20);
}

TEST_F(AWindow, OrbitsPansZoomsAndFliesByHand) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  const auto eye = [this] { return session().navigator.target().eye_world; };
  for (const std::string hand :
       {"pointer press left\npointer 420 240\npointer release left\n",
        "pointer press right\npointer 420 240\npointer release right\n",
        "pointer press middle\npointer 420 240\npointer release middle\n", "pointer scroll 2\n",
        "key hold W\nwait seconds 0.1\nkey release W\n"}) {
    const Pose before = session().navigator.target();
    run_in_window("pointer 340 200\n" + hand + "wait still\n");
    EXPECT_FALSE(alike(before, session().navigator.target())) << hand;
  }
  const glm::dvec3 at_rest = eye();
  run_in_window("wait seconds 0.1\n");
  EXPECT_LT(glm::length(eye() - at_rest), 1e-9) << "the key was let go";
}

TEST_F(AWindow, KeysDoTheirActionsAndTextGoesToItsField) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwait still\nkey M\nkey F1\nscreenshot window {shots}/help.png\n"
      "key F1\nkey Tab\n");
  EXPECT_EQ(session().view.mode, &render_modes()[1]);
  EXPECT_FALSE(session().window.help);
  EXPECT_TRUE(session().window.view_only);
}

TEST_F(AWindow, OpensAFileByItsDialog) {
  scene();
  run_in_window(
      "key Ctrl+O\nscreenshot window {shots}/files.png\ntext {}/scene.ply\nkey Enter\n"
      "wait loaded\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  run_in_window("key Ctrl+O\nkey Escape\nkey M\n");
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "keys go to the view again";
}

TEST_F(AWindow, FollowsItsSizeAndRestsWhileItIsPutAway) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwait still\nwindow size 800 500\nwait still\n"
      "screenshot window {shots}/larger.png\nwindow minimise\nwait seconds 0.05\n"
      "window restore\nwindow size 500 330\nwait still\n"
      "screenshot window {shots}/smaller.png\n");
  EXPECT_EQ(shot("larger.png").width, 800);
  EXPECT_EQ(shot("larger.png").height, 500);
  EXPECT_EQ(shot("smaller.png").width, 500);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(AWindow, SaysWhatIsWrongWithAFileThatIsDroppedAndGoesOn) {
  scene();
  std::ofstream(path("bad.ply")) << "ply\nformat nonsense";
  run_in_window(
      "drop {}/bad.ply\nwait loaded\nscreenshot window {shots}/bad_file.png\n"
      "drop {}/scene.ply\nwait loaded\nwait still\n");
  EXPECT_EQ(errors("bad.ply"), 1);
  EXPECT_EQ(session().documents.list().size(), 1u);
}

TEST_F(AWindow, OpensEveryPanelInBothThemes) {
  scene();
  std::string text = "open {}/scene.ply\nwait still\nwindow size 1100 720\n";
  for (const std::string theme : {"dark", "light"}) {
    text += "set theme " + theme + "\n";
    for (const PanelEntry& entry : panel_list()) {
      const std::string name(entry.name);
      text += "panel " + name + " on\nwait still\nscreenshot window {shots}/panel_" + name + "_" +
              theme + ".png\n";
    }
  }
  run_in_window(text);
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(shot("panel_log_light.png").width, 1100);
}

TEST_F(AWindow, EndsWhileAFileIsOpened) {
  scene("large.ply", 200000);
  run_in_window("open {}/large.ply\nquit\n");
  EXPECT_TRUE(session().quitting);
}

TEST_F(AWindow, SavesARunThatIsTrainedBeforeItCloses) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "open {}/data\nwait still\n"
      "train start steps=100000 sh-degree=0 max-splats=100 out={}/run eval=false\n"
      "wait trained 3\nscreenshot window {shots}/training.png\nkey Ctrl+Q\nwait seconds 60\n");
  EXPECT_TRUE(session().quitting);
  EXPECT_FALSE(session().trainer.active());
  const std::filesystem::path checkpoints = folder_ / "run" / "checkpoints";
  ASSERT_TRUE(std::filesystem::exists(checkpoints));
  EXPECT_FALSE(std::filesystem::is_empty(checkpoints));
}

TEST_F(AWindow, RefusesHandsWhereThereIsNone) {
  for (const char* line : {"pointer 1 1", "key A", "text words", "drop x", "window size 300 300",
                           "window minimise", "screenshot window x.png"}) {
    try {
      viewer_->perform(line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("no window"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace mote
