// The window and its display: pixel density, size, and close requests.
#include "attended_host.h"
#include "cameras/rectify.h"
#include "desktop.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

class WindowOnADisplay : public ScriptedWindow {
 protected:
  void run_attended(const std::string& text,
                    std::function<void(const std::vector<InputEvent>&)> attend) {
    Script script(text, "script", existing_);
    run_in(std::make_unique<AttendedHost>(kWidth, kHeight, std::move(attend)), script);
  }
};

/// Share of the pixels that differ by more than `levels`.
double part_that_differs(const Image8& a, const Image8& b, int levels) {
  double count = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    count += std::abs(a.pixels[i] - b.pixels[i]) > levels;
  }
  return count / static_cast<double>(a.pixels.size());
}

/// Share of the pixels that differ from their neighbours in blocks of 2x2.
double fine_detail(const Image8& image) {
  double count = 0;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.row(y);
    for (int x = 0; x + 1 < image.width; x += 2) count += std::abs(row[3 * x] - row[3 * x + 3]) > 8;
  }
  return count / (0.5 * image.width * image.height);
}

TEST_F(WindowOnADisplay, TwiceTheDensityMakesEverythingTwiceAsLargeAndAsSharp) {
  scene();
  const std::string text =
      "set statistics false\nopen {}/scene.ply\npanel view on\ncamera frame\nwait still\n"
      "screenshot window {shots}/";
  run_in_window(text + "density_1.png\n");
  Desktop desktop;
  desktop.set_dots_per_inch(192);
  start();
  run_in_window(text + "density_2.png\n");
  const Image8 once = shot("density_1.png"), twice = shot("density_2.png");
  ASSERT_EQ(once.width, kWidth);
  ASSERT_EQ(twice.width, 2 * kWidth);
  ASSERT_EQ(twice.height, 2 * kHeight);
  EXPECT_LT(part_that_differs(halved(twice), once, 48), 0.02) << "all is where it was";
  EXPECT_GT(fine_detail(twice), 0.2 * fine_detail(once)) << "it is not merely enlarged";
}

TEST_F(WindowOnADisplay, ThePointerPositionIsRightAtAnyDensity) {
  Desktop desktop;
  for (const int dots : {96, 192}) {
    desktop.set_dots_per_inch(dots);
    start();
    int looks = 0;
    double x = 0, y = 0;
    const int scale = dots / 96;
    run_attended("wait seconds 0.4\n", [&](const std::vector<InputEvent>& events) {
      if (++looks == 10) desktop.point(301 * scale, 203 * scale);
      for (const InputEvent& event : events) {
        if (event.kind == InputEvent::Kind::pointer_move) x = event.x, y = event.y;
      }
    });
    EXPECT_EQ(x, 301 * scale);
    EXPECT_EQ(y, 203 * scale);
  }
}

TEST_F(WindowOnADisplay, FillsTheScreenAndComesBack) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwait still\nwindow full\nwait seconds 0.3\nwait still\n"
      "screenshot window {shots}/full_screen.png\nwindow full\nwait seconds 0.3\nwait still\n"
      "screenshot window {shots}/full_screen_left.png\n");
  EXPECT_EQ(shot("full_screen.png").width, 1600);
  EXPECT_EQ(shot("full_screen.png").height, 1200);
  EXPECT_EQ(shot("full_screen_left.png").width, kWidth);
  EXPECT_EQ(shot("full_screen_left.png").height, kHeight);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(WindowOnADisplay, ADoubleClickIsRecognisedEvenIfFramesAreSlow) {
  scene();
  run_in_window("open {}/scene.ply\nwindow view\nwait still\n");
  const Pose before = session().navigator.target();
  run_attended("wait still\npointer at view 0.55 0.5\npointer click left 2\nwait still\n",
               [](const std::vector<InputEvent>&) {
                 std::this_thread::sleep_for(std::chrono::milliseconds(200));
               });
  EXPECT_FALSE(alike(before, session().navigator.target())) << "it turns about what is there";
  EXPECT_EQ(errors(""), 0);
}

TEST_F(WindowOnADisplay, TheDesktopCanCloseIt) {
  scene();
  Desktop desktop;
  int looks = 0;
  run_attended("open " + path("scene.ply") + "\nwait seconds 600\n",
               [&](const std::vector<InputEvent>&) {
                 if (++looks == 20) desktop.close();
               });
  EXPECT_TRUE(session().quitting);
}

TEST_F(WindowOnADisplay, ASecondCloseRequestStillWaitsForTheCheckpoint) {
  make_tiny_dataset(path("data"));
  Desktop desktop;
  int closes = 0;
  bool at_work = false;
  run_attended("open " + path("data") +
                   "\nwait loaded\ntrain start steps=100000 eval=false init=random "
                   "init-count=150000 max-splats=150000 out=" +
                   path("run") + "\nwait trained 2\nwait seconds 600\n",
               [&](const std::vector<InputEvent>&) {
                 const Session& now = session();
                 if (closes == 0 && now.training.status.step >= 2) {
                   desktop.close();
                   ++closes;
                 } else if (closes == 1 && now.quitting) {
                   at_work = now.trainer.active();
                   desktop.close();
                   ++closes;
                 }
               });
  EXPECT_EQ(closes, 2);
  EXPECT_TRUE(at_work) << "the second time was too late to mean anything";
  EXPECT_FALSE(session().trainer.active());
  ASSERT_TRUE(session().training.end.has_value());
  EXPECT_EQ(session().training.end->fault, "");
  ASSERT_TRUE(std::filesystem::exists(path("run/checkpoints")));
  EXPECT_FALSE(std::filesystem::is_empty(path("run/checkpoints")));
}

}  // namespace
}  // namespace mote
