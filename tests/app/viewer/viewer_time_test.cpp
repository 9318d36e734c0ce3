// Moving scenes in the viewer: actions on the time, edits of every frame, and videos.
#include <fstream>

#include "app/viewer/movement/moving.h"
#include "devices/devices.h"
#include "io/images/image_files.h"
#include "io/splats/scene_format.h"
#include "support/sequence_fixture.h"
#include "time_fixture.h"

namespace mote {
namespace {

class ViewerOfAMovingScene : public ViewerInTime {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    make_sequence(path("moving"), kFrames);
  }
  void open() {
    run("open {}/moving\nwait loaded\ntime rate 10\nwait still\n");
    ASSERT_EQ(session().documents.list().size(), 1u);
  }
  std::uint64_t shown() const { return session().documents.list().at(0).movement->shown.number; }
  std::ptrdiff_t warnings(const std::string& phrase) const {
    const auto& list = session().notices.list();
    return std::count_if(list.begin(), list.end(), [&](const Notice& notice) {
      return notice.kind == NoticeKind::warning && notice.text.find(phrase) != std::string::npos;
    });
  }

  static constexpr int kFrames = 8;
};

TEST_F(ViewerOfAMovingScene, OpensAFolderOfFramesAsOneScene) {
  open();
  const Document& document = session().documents.list()[0];
  EXPECT_EQ(document.name, "moving");
  EXPECT_NE(document.format.find("8 frames of"), std::string::npos) << document.format;
  EXPECT_EQ(document.edit.splats, 200u);
  EXPECT_NEAR(session().clock.range().end_s, 0.7, 1e-12);
  EXPECT_EQ(time_s(), 0);
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(same(shot(), expected(path("moving/frame_00.ply"))));
}

TEST_F(ViewerOfAMovingScene, ShowsTheFrameOfItsTime) {
  open();
  const Image8 first = shot();
  run("time 0.5\nwait still\n");
  EXPECT_EQ(shown(), 5u);
  const Image8 later = shot();
  EXPECT_FALSE(same(first, later));
  EXPECT_TRUE(same(later, expected(path("moving/frame_05.ply"))));
  run("time 0.59\nwait still\n");
  EXPECT_TRUE(same(shot(), later)) << "until the next frame's time";
}

TEST_F(ViewerOfAMovingScene, StepsFromFrameToFrame) {
  open();
  run("time step +3\n");
  EXPECT_NEAR(time_s(), 0.3, 1e-12);
  run("time next\ntime next\ntime previous\nwait still\n");
  EXPECT_EQ(shown(), 4u);
  run("time step 5\n");
  EXPECT_NEAR(time_s(), 0.1, 1e-12) << "around the end";
  run("time step -2\nwait still\n");
  EXPECT_EQ(shown(), 7u);
  run("time loop off\ntime step +4\n");
  EXPECT_NEAR(time_s(), 0.7, 1e-12);
  run("time step -40\n");
  EXPECT_EQ(time_s(), 0);
}

TEST_F(ViewerOfAMovingScene, LoopsUntilItIsPaused) {
  open();
  run("time play\n");
  EXPECT_TRUE(viewer_->busy());
  for (int i = 0; i < 2000; ++i) viewer_->update(0.01);
  EXPECT_TRUE(session().clock.playing());
  EXPECT_FALSE(session().still);
  run("time pause\nwait still\n");
  EXPECT_EQ(shown(), frame_at(*session().documents.list()[0].movement->scene, time_s()));
  EXPECT_FALSE(viewer_->busy());
  run("time toggle\n");
  EXPECT_TRUE(session().clock.playing());
  run("time toggle\n");
  EXPECT_FALSE(session().clock.playing());
}

TEST_F(ViewerOfAMovingScene, PlaysOnceWithoutTheLoopAtTheRequestedSpeed) {
  open();
  run("time loop off\ntime speed 0.5\ntime play\n");
  viewer_->update(0.01);
  const double start_s = time_s();
  viewer_->update(0.2);
  EXPECT_NEAR(time_s() - start_s, 0.1, 1e-9);
  for (int i = 0; i < 200; ++i) viewer_->update(0.01);
  EXPECT_FALSE(session().clock.playing());
  EXPECT_NEAR(time_s(), 0.7, 1e-12);
  run("wait still\n");
  EXPECT_EQ(shown(), 7u);
}

TEST_F(ViewerOfAMovingScene, RefusesTimesOutsideTheSequence) {
  expect_refusal("time 0.1", "no moving scene");
  expect_refusal("time play", "no moving scene");
  open();
  for (const char* line : {"time 0.8", "time -0.1", "time x", "time speed 0", "time speed 99",
                           "time rate 0", "time rate 1e9", "time step 0.5", "time loop maybe"}) {
    expect_refusal(line, "");
  }
  EXPECT_EQ(time_s(), 0);
}

TEST_F(ViewerOfAMovingScene, KeepsItsFrameWhenTheRateChanges) {
  open();
  run("time 0.4\ntime rate 5\nwait still\n");
  EXPECT_EQ(shown(), 4u);
  EXPECT_NEAR(time_s(), 0.8, 1e-12);
  run("close\nset sequence-fps 4\nopen {}/moving\nwait still\n");
  EXPECT_NEAR(session().clock.range().end_s, 7.0 / 4, 1e-12);
}

TEST_F(ViewerOfAMovingScene, CropsAndColoursEveryFrame) {
  open();
  const Image8 before = shot();
  run("crop -0.4 -0.4 -0.4 0.9 0.9 0.9\ncolor exposure=-1 saturation=0\nwait still\n");
  const std::string edits = "crop -0.4 -0.4 -0.4 0.9 0.9 0.9\ncolor exposure=-1 saturation=0\n";
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 2u);
  EXPECT_TRUE(same(shot(), expected(path("moving/frame_00.ply"), edits)));
  run("activate 1\ntime 0.3\nwait still\n");
  EXPECT_TRUE(same(shot(), expected(path("moving/frame_03.ply"), edits)));
  run("activate 1\nundo\nundo\ntime 0\nwait still\n");
  EXPECT_TRUE(same(shot(), before));
  run("redo\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.redo_name, "colours");
  EXPECT_FALSE(same(shot(), before));
}

TEST_F(ViewerOfAMovingScene, ADragOfTheColoursIsOneUndoStep) {
  open();
  run("color exposure=1\ncolor further exposure=2\ncolor further exposure=3\n");
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 1u);
  run("undo\n");
  EXPECT_EQ(session().documents.active()->edit.colors.exposure, 0);
}

TEST_F(ViewerOfAMovingScene, UndoesPlacementsInOrderWithOtherEdits) {
  open();
  const auto stands_at = [this] { return session().documents.active()->transform.translation.x; };
  run("color exposure=1\nplace move 1 0 0\nplace set 2 0 0 0 0 0 1\nplace further 3 0 0 0 0 0 1\n");
  EXPECT_EQ(stands_at(), 3);
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 3u);
  run("undo\n");
  EXPECT_EQ(stands_at(), 1);
  run("undo\n");
  EXPECT_EQ(stands_at(), 0);
  run("undo\n");
  EXPECT_EQ(stands_at(), 0);
  EXPECT_EQ(session().documents.active()->edit.colors.exposure, 0);
  run("redo\nredo\nredo\n");
  EXPECT_EQ(stands_at(), 3);
  EXPECT_EQ(session().documents.active()->edit.colors.exposure, 1);
}

TEST_F(ViewerOfAMovingScene, FitsTheCropBoxToTheShownFrame) {
  open();
  run("box fit\nwait loaded\n");
  ASSERT_TRUE(session().box.has_value());
  const double x = session().box->center.x;
  run("time 0.4\nwait still\nbox fit scene\nwait loaded\n");
  EXPECT_NEAR(session().box->center.x - x, 1, 0.01);
  run("box scale 0.5\nbox apply\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 1u);
  EXPECT_LT(session().scene->count, 100u);
}

TEST_F(ViewerOfAMovingScene, RefusesToEditTheSplatsOfOneFrame) {
  open();
  for (const char* line : {"select all", "delete", "select rectangle 0 0 1 1", "select duplicate",
                           "box fit selection"}) {
    expect_refusal(line, "moving scene");
  }
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 0u);
}

TEST_F(ViewerOfAMovingScene, ExportsTheShownFrame) {
  open();
  run("time 0.6\nwait still\nplace move 0 2 0\ncolor exposure=1\nexport {}/out.ply\nwait saved\n");
  const SplatCloud written = load_scene(path("out.ply"));
  SplatCloud frame = sequence_frame(6);
  EXPECT_EQ(written.count(), frame.count());
  EXPECT_NEAR(written.at(3, Field::mean_x), frame.at(3, Field::mean_x), 1e-5);
  EXPECT_NEAR(written.at(3, Field::mean_y), frame.at(3, Field::mean_y) + 2, 1e-5);
  EXPECT_NE(session().notices.list().back().text.find("frame 7 of 8"), std::string::npos);
  const auto unsaved = [this] { return has_unsaved_edits(*session().documents.active()); };
  EXPECT_FALSE(unsaved());
  run("undo\nwait still\n");
  EXPECT_TRUE(unsaved());
  run("redo\nwait still\n");
  EXPECT_FALSE(unsaved()) << "it is as it was written";
  act("time play");
  act("export " + as_word(path("other.ply")));
  EXPECT_EQ(errors("it is playing"), 1);
}

TEST_F(ViewerOfAMovingScene, SkipsAnUnreadableFrameAndReportsItOnce) {
  std::filesystem::resize_file(path("moving/frame_03.ply"), 900);
  save_scene(sequence_frame(4, 50, 0), path("moving/frame_04.ply"));
  open();
  run("time 0.3\nwait still\n");
  EXPECT_EQ(shown(), 2u);
  run("time 0.4\nwait still\n");
  EXPECT_EQ(shown(), 4u) << "another degree and another number of splats are fine";
  EXPECT_EQ(session().scene->count, 50u);
  run("time 0.3\nwait still\ntime 0\nwait still\n");
  EXPECT_EQ(warnings("frame_03.ply"), 1);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerOfAMovingScene, ContinuesIfItsFilesAreRemoved) {
  make_sequence(path("large"), 6, 8000);
  run("set sequence-memory 1\nopen {}/large\nwait still\n");
  std::filesystem::remove_all(path("large"));
  for (int i = 0; i < 6; ++i) run("time next\nwait still\n");
  EXPECT_EQ(warnings("frame_0"), 5) << "one of six fits into the memory";
  EXPECT_EQ(session().scene->count, 8000u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerOfAMovingScene, IsShownBesideAnotherOneAndBesideAStillScene) {
  open();
  make_sequence(path("longer"), 20);
  scene();
  run("open {}/longer {}/scene.ply\nwait loaded\nwait still\n");
  EXPECT_EQ(session().documents.list().size(), 3u);
  EXPECT_NEAR(session().clock.range().period_s, 0.8, 1e-9);
  run("activate 2\ntime rate 10\ntime 1.9\nwait still\n");
  EXPECT_EQ(shown(), 7u) << "the shorter one has come to its end";
  EXPECT_EQ(session().documents.list()[1].movement->shown.number, 19u);
  EXPECT_EQ(session().scene->count, 600u);
  run("close 2\nclose 1\nwait still\n");
  EXPECT_EQ(time_s(), 0);
  EXPECT_EQ(session().scene->count, 200u);
}

TEST_F(ViewerOfAMovingScene, MovesWithThePathAlsoInItsPictures) {
  open();
  run("path add 0\ncamera orbit 30 0\nwait still\npath add 0.6\npath seek 0.4\nwait still\n");
  EXPECT_EQ(shown(), 4u);
  run("path export {}/frames 40x30 10\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const std::vector<View> views =
      path_views(session().path.path(), {.width = 40, .height = 30, .frames_per_second = 10});
  ASSERT_EQ(views.size(), 7u);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  for (std::size_t k = 0; k < views.size(); ++k) {
    const auto device = backend->upload(load_scene(path(fmt::format("moving/frame_{:02}.ply", k))));
    Frame frame;
    backend->render(*device, views[k].camera, {}, frame);
    const Image8 picture = read_image8(path("frames/" + views[k].name + ".png"));
    for (int i = 0; i < 120; ++i) {
      ASSERT_NEAR(picture.row(15)[i], 255 * std::clamp(frame.rgb.row(15)[i], 0.f, 1.f), 1) << k;
    }
  }
  run("path play\nwait seconds 0.1\n");
  EXPECT_NEAR(time_s(), std::min(session().path.time_s(), 0.7), 1e-9);
  run("path stop\n");
}

TEST_F(ViewerOfAMovingScene, AKeyframeCanHoldTheScene) {
  open();
  run("path add 0\ncamera orbit 30 0\nwait still\npath add 0.6\ntime 0.3\n"
      "path scene-time 1\npath scene-time 2 0.3\npath seek 0.5\nwait still\n");
  EXPECT_EQ(shown(), 3u) << "the moment is frozen";
  run("path scene-time 2 0.6\npath seek 0.3\nwait still\n");
  EXPECT_NEAR(time_s(), 0.45, 1e-9);
  run("path undo\npath seek 0.2\nwait still\n");
  EXPECT_NEAR(time_s(), 0.3, 1e-9);
  run("path scene-time 1 none\npath scene-time 2 none\npath seek 0.2\nwait still\n");
  EXPECT_NEAR(time_s(), 0.2, 1e-9);
  expect_refusal("path scene-time 3", "1 to 2");
  expect_refusal("path scene-time 1 -2", "");
}

TEST_F(ViewerOfAMovingScene, WritesNoVideoWithAnUnreadableFrame) {
  std::filesystem::resize_file(path("moving/frame_03.ply"), 900);
  open();
  run("path add 0\ncamera orbit 30 0\nwait still\npath add 0.6\n"
      "path export {}/a.mp4 40x30 10\nwait saved\n");
  EXPECT_EQ(errors("frame_03.ply"), 1);
  EXPECT_FALSE(std::filesystem::exists(path("a.mp4")));
}

TEST_F(ViewerOfAMovingScene, RefusesAFolderWhoseFilesAreNoFrames) {
  save_scene(sequence_frame(0), path("moving/mean.ply"));
  run("open {}/moving\nwait loaded\n");
  EXPECT_EQ(errors("do not have names of frames"), 1);
  EXPECT_TRUE(session().documents.empty());
}

TEST_F(ViewerOfAMovingScene, OpensARunFolderAsARun) {
  std::filesystem::create_directories(path("run"));
  save_scene(sequence_frame(1), path("run/splat_100.ply"));
  save_scene(sequence_frame(2), path("run/splat_200.ply"));
  run("open {}/run\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(session().documents.list()[0].movement, nullptr);
  EXPECT_EQ(session().documents.list()[0].format, "training run, splat_200.ply");
}

TEST_F(ViewerOfAMovingScene, MeasuresTheShownFrame) {
  open();
  run("time 0.2\nwait still\nbenchmark run 32x24 frames=1 warmup=0 orbit=1\nwait measured\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().benchmark_reports.size(), 1u);
  EXPECT_EQ(session().benchmark_reports[0].count, 200u);
}

}  // namespace
}  // namespace mote
