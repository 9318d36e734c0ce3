// Latency of the window's response to input, in presented frames.
#include "app/viewer/session/action.h"
#include "attended_host.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

class WindowLatency : public ScriptedWindow {
 protected:
  WindowLatency() { prepares_ = true; }

  /// Turns the view by this number of small pointer movements.
  static std::string drag(int moves) {
    std::string text = "pointer 300 200\npointer press left\n";
    for (int i = 1; i <= moves; ++i) text += fmt::format("pointer {} {}\n", 300 + 5 * i, 200 + i);
    return text + "pointer release left\n";
  }

  const std::deque<ShownFrame>& shown() const { return session().window.shown; }

  /// For each input: the number of frames from the one that received it to the first with its
  /// picture, and whether the renderer had finished the picture when the second of them began.
  struct Way {
    std::size_t frames = 0;
    bool kept_pace = false;
  };
  std::vector<Way> ways() const {
    std::vector<Way> all;
    for (std::size_t i = 0; i < shown().size(); ++i) {
      if (shown()[i].after == shown()[i].before) continue;
      std::size_t j = i;
      while (j < shown().size() && shown()[j].shown < shown()[i].after) ++j;
      if (j == shown().size()) continue;  // no action of the view
      const bool kept_pace = i + 2 < shown().size() && shown()[i + 2].rendered >= shown()[i].after;
      all.push_back({j - i, kept_pace});
    }
    return all;
  }

  void expect_answers_in_the_next_frame() const {
    for (std::size_t i = 0; i + 1 < shown().size(); ++i) {
      EXPECT_GE(shown()[i + 1].before, shown()[i].after) << "frame " << i;
    }
  }
};

TEST_F(WindowLatency, APictureAppearsTwoFramesAfterItsInputIfTheRendererKeepsPace) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n" + drag(40) + "wait still\n");
  ASSERT_EQ(errors(""), 0);
  const std::vector<Way> all = ways();
  ASSERT_GE(all.size(), 40u) << "each movement asks for a picture of its own";
  std::size_t in_time = 0;
  for (const Way& way : all) {
    if (!way.kept_pace) continue;
    ++in_time;
    EXPECT_LE(way.frames, 2u);
  }
  EXPECT_GT(in_time, 0u) << "a picture of 200 splats is rendered while the window waits for input";
  EXPECT_EQ(session().frame->camera.cam_from_world, session().camera().cam_from_world);
}

TEST_F(WindowLatency, APictureIsRequestedBeforeTheNextFrameAndShownOnceFinished) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n" + drag(10) + "wait still\n");
  ASSERT_GE(shown().size(), 10u);
  for (std::size_t i = 0; i + 1 < shown().size(); ++i) {
    EXPECT_GE(shown()[i + 1].asked, shown()[i].after) << "frame " << i;
    EXPECT_GE(shown()[i].shown, shown()[i].rendered) << "frame " << i;
  }
}

TEST_F(WindowLatency, PanelsRespondInTheNextFrame) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nkey F1\nkey F1\nkey K\nkey Tab\nkey Tab\n" +
                drag(5));
  EXPECT_EQ(session().path.size(), 1u) << "keys ask for actions";
  ASSERT_GE(shown().size(), 20u);
  expect_answers_in_the_next_frame();
}

TEST_F(WindowLatency, AKeyIsAnsweredInItsOwnFrame) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\npointer 5 200\n");
  viewer_->window().shown.clear();
  const std::uint64_t before = session().actions;
  run_in_window("key K\nkey F1\nkey F1\nkey Tab\nkey Tab\nkey hold W\nkey release W\n");
  ASSERT_FALSE(shown().empty());
  EXPECT_EQ(shown().back().after - before, 14u) << "each line, each key, and the flight's end";
  for (std::size_t i = 0; i < shown().size(); ++i) {
    EXPECT_EQ(shown()[i].before, shown()[i].after) << "frame " << i << " shows an older state";
    EXPECT_EQ(shown()[i].asked, shown()[i].after) << "frame " << i << " requests an older picture";
  }
}

TEST_F(WindowLatency, TheWindowThreadOpensNoFileAndCreatesNoPipeline) {
  make_tiny_dataset(path("data"));
  scene();
  std::string options;
  for (const char* option : {"exposure 1", "tone filmic", "tone neutral", "backdrop checker",
                             "backdrop color", "upscale smooth", "exposure 0", "tone none"}) {
    options += fmt::format("set {}\nwait still\n", option);
  }
  std::string modes;
  for (const RenderMode& mode : render_modes()) {
    if (!mode.is_of_fields() && !mode.is_of_motion())
      modes += fmt::format("mode {}\nwait still\n", mode.name);
  }
  run_in_window(
      "drop {}/data\nwait loaded\nwait still\npanel photographs on\nwait saved\n"
      "open {}/scene.ply\nwait loaded\nwait still\n" +
      modes + "mode color\nphotograph 1\nwait still\ncompare split\nwait saved\n" + options +
      "compare difference\nwait still\ncompare off\npath add 0\npath add 1\n"
      "path export {}/frames 40x30 2\nexport {}/other.ply\nscreenshot {}/a.png\n"
      "screenshot window {}/b.png\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  for (const char* name : {"frames/frame_00000.png", "other.ply", "a.png", "b.png"}) {
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
  EXPECT_EQ(session().window.costs.pipelines, 0);
  EXPECT_EQ(session().window.costs.files, 0);
}

TEST_F(WindowLatency, TheWindowRespondsWhileALargeSceneIsEdited) {
  constexpr std::size_t kSplats = 300'000;
  scene("scene.ply", kSplats);
  run_in_window("open {}/scene.ply\nwait loaded\nwait still\n");
  for (const std::string edit : {"select flood 0 0 0 0.5 2\n", "select grow 0.2\n"}) {
    SCOPED_TRACE(edit);
    run("select rectangle 0.4 0.4 0.6 0.6\nwait still\n");
    viewer_->window().shown.clear();
    std::uint64_t during = 0, before = 0;
    Script script(edit + drag(15) + "wait still\n", "script", existing_);
    run_in(std::make_unique<AttendedHost>(kWidth, kHeight,
                                          [&](const std::vector<InputEvent>&) {
                                            const std::uint64_t now = session().window.costs.frames;
                                            if (session().editing) during += now - before;
                                            before = now;
                                          }),
           script);
    EXPECT_TRUE(script.done());
    EXPECT_GE(during, 2u) << "frames until the worker was done";
    expect_answers_in_the_next_frame();
  }
  EXPECT_EQ(session().documents.active()->edit.splats, kSplats);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(WindowLatency, TheWindowRespondsWhileARunOccupiesTheDevice) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "open {}/data\nwait still\ntrain start steps=1000000 max-splats=100 sh-degree=0 out={}/run "
      "eval=false\nwait trained 2\ntrain share 0\nwait seconds 0.1\n");
  const std::uint64_t pictures = session().renderer.finished();
  const std::uint64_t steps = session().trainer.status().step;
  viewer_->window().shown.clear();
  run_in_window("panel train on\nkey F1\nkey F1\nkey Tab\nkey Tab\n" + drag(10) +
                fmt::format("wait trained {}\n", steps + 50));
  EXPECT_GE(session().trainer.status().step, steps + 50);
  EXPECT_LE(session().renderer.finished(), pictures + 1) << "the view stands still";
  EXPECT_GE(shown().size(), 30u) << "the window does not";
  expect_answers_in_the_next_frame();
  EXPECT_EQ(errors(""), 0);
  act("train stop");
  run("wait trained\n");
}

}  // namespace
}  // namespace mote
