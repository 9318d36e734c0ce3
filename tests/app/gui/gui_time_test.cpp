// A moving scene in the window.
#include "app/viewer/movement/moving.h"
#include "devices/devices.h"
#include "support/gui_fixture.h"
#include "support/sequence_fixture.h"

namespace mote {
namespace {

class AWindowOfAMovingScene : public ScriptedWindow {
 protected:
  void SetUp() override {
    ScriptedWindow::SetUp();
    if (!IsSkipped()) make_sequence(path("moving"), 12, 2000);
  }
  /// Rows at the bottom of the view.
  static std::size_t different(const Image8& a, const Image8& b, int from, int to) {
    std::size_t count = 0;
    for (int y = from; y < to; ++y) {
      for (int i = 0; i < 3 * a.width; ++i) count += a.row(y)[i] != b.row(y)[i] ? 1 : 0;
    }
    return count;
  }
};

TEST_F(AWindowOfAMovingScene, ShowsATimeBarThatAStillSceneLacks) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nwait still\nscreenshot window {}/still.png\n");
  const int still_height = session().view.height;
  run_in_window(
      "open {}/moving\nwait loaded\ncamera frame\nwait still\n"
      "screenshot window {shots}/time_bar.png\n");
  EXPECT_LT(session().view.height, still_height);
  run_in_window("close\nwait still\nscreenshot window {}/closed.png\n");
  EXPECT_EQ(session().view.height, still_height);
}

TEST_F(AWindowOfAMovingScene, TheSpaceBarPlaysAndTheFrameAtTheStopIsShown) {
  run_in_window(
      "window size 900 600\nset statistics false\nopen {}/moving\nwait loaded\ntime rate 10\n"
      "time loop off\nwait still\nscreenshot {}/first.png\nwait saved\n"
      "screenshot window {shots}/time_start.png\nkey Space\nwait seconds 0.4\n"
      "screenshot window {shots}/time_running.png\nkey Space\nwait still\n"
      "screenshot {}/later.png\nwait saved\nscreenshot window {shots}/time_paused.png\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_FALSE(session().clock.playing());
  EXPECT_GT(session().clock.time_s(), 0);
  const std::uint64_t shown = session().documents.active()->movement->shown.number;
  ASSERT_GT(shown, 0u);
  const Image8 first = read_image8(path("first.png")), later = read_image8(path("later.png"));
  EXPECT_GT(different(first, later, 0, first.height), 1000u);
  // The rendering of that file from the same camera.
  const auto backend = make_backend("cpu", {.threads = 2, .isa = {}});
  const auto device =
      backend->upload(load_scene(path(fmt::format("moving/frame_{:02}.ply", shown))));
  Frame frame;
  backend->render(*device, session().camera(), {}, frame);
  ASSERT_EQ(later.width, frame.rgb.width);
  ASSERT_EQ(later.height, frame.rgb.height);
  for (int y = 0; y < later.height; ++y) {
    for (int i = 0; i < 3 * later.width; ++i) {
      ASSERT_NEAR(later.row(y)[i], 255 * std::clamp(frame.rgb.row(y)[i], 0.f, 1.f), 1);
    }
  }
}

TEST_F(AWindowOfAMovingScene, TheSliderSetsTheTime) {
  // The middle of the bar, and the lower third from the left of the slider.
  run_in_window(
      "window size 900 600\nset statistics false\nopen {}/moving\nwait loaded\nwait still\n"
      "pointer 400 560\npointer press left\npointer 420 560\npointer release left\nwait still\n"
      "screenshot window {shots}/time_dragged.png\n");
  EXPECT_GT(session().clock.time_s(), 0);
  EXPECT_LT(session().clock.time_s(), session().clock.range().end_s);
  run_in_window("window size 900 600\nkey Comma\nkey Comma\nkey Period\nwait still\n");
  EXPECT_EQ(errors(""), 0);
}

TEST_F(AWindowOfAMovingScene, OpensADroppedFolderAndNamesDisabledEdits) {
  run_in_window(
      "window size 1000 640\ndrop {}/moving\nwait loaded\nwait still\npanel edit on\n"
      "box fit\nwait loaded\nbox scale 0.6\nbox apply\ntime 0.2\nwait still\nkey Ctrl+A\n"
      "wait seconds 0.1\nscreenshot window {shots}/time_edit.png\nwindow view\nwait still\n"
      "screenshot window {shots}/time_view_only.png\n");
  EXPECT_EQ(errors(""), 0);
  const auto& lines = session().log.lines();
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const LogLine& line) {
    return line.text.find("edits of single splats") != std::string::npos;
  }));
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 1u);
}

}  // namespace
}  // namespace mote
