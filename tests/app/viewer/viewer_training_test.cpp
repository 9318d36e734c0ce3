// Training in the viewer by actions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/viewer/session/action.h"
#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/run_photographs.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerTraining : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    make_tiny_dataset(path("data"));
    run("open {}/data\nwait still\n");
  }
};

const std::string kStart =
    "train start steps=40 sh-degree=1 max-splats=100 out={}/run metrics-every=5 "
    "checkpoint-every=20\n";

TEST_F(ViewerTraining, LeavesTheSameFolderAsTheCommand) {
  run(kStart + "wait trained\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  for (const char* name : {"config.json", "train.log", "metrics.csv", "metrics.svg", "stats.json",
                           "cameras.json", "splat_40.ply", "checkpoints", "eval/step_40/gt"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / name)) << name;
  }
  EXPECT_EQ(session().training.status.step, 40u);
  ASSERT_EQ(session().documents.list().size(), 2u);
  const Document& document = session().documents.list()[1];
  EXPECT_FALSE(document.training);
  EXPECT_EQ(document.edit.splats, load_scene(path("run/splat_40.ply")).count());
  EXPECT_FALSE(session().documents.list()[0].shown) << "the points make way";
  EXPECT_FALSE(is_hidden(session(), session().cameras.front())) << "its cameras stay";
  run("hide 2\n");
  EXPECT_TRUE(is_hidden(session(), session().cameras.front()));
  run("show 2\nwait still\n");
  EXPECT_EQ(session().frame->stats.splats, document.edit.splats);
}

TEST_F(ViewerTraining, HidesTheDatasetsPointsBesideItsRunWhicheverIsOpenedFirst) {
  run(kStart + "wait trained\nclose 2\nclose 1\n");
  for (const std::string order : {"open {}/run\nwait loaded\nopen {}/data\nwait loaded\n",
                                  "open {}/data\nwait loaded\nopen {}/run\nwait loaded\n"}) {
    run(order + "wait still\n");
    ASSERT_EQ(session().documents.list().size(), 2u);
    for (const Document& document : session().documents.list()) {
      const bool is_run = !document.run.folder.empty();
      EXPECT_EQ(document.shown, is_run) << order;
      EXPECT_EQ(session().documents.active() == &document, is_run) << order;
      if (!is_run) continue;
      EXPECT_EQ(session().frame->stats.splats, document.edit.splats);
    }
    for (const CameraSet& set : session().cameras) EXPECT_FALSE(is_hidden(session(), set));
    run("close 2\nclose 1\n");
  }
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerTraining, RecordsCurvesAndTheWorstPhotographs) {
  run(kStart + "wait trained\n");
  const TrainHistory& history = session().training.history;
  EXPECT_EQ(history.curve().size(), 40u);
  EXPECT_LT(history.curve().back().loss, history.curve().front().loss);
  EXPECT_EQ(history.test_views().size(), 8u);
  ASSERT_EQ(history.evaluations().size(), 1u);
  EXPECT_EQ(history.photographs().size(), 12u);
  const auto evaluated = std::ranges::count_if(
      history.photographs(), [](const PhotographScore& score) { return !std::isnan(score.ssim); });
  EXPECT_EQ(evaluated, 2) << "the test views";
  EXPECT_TRUE(history.fitted_evaluations().empty()) << "nothing is fitted without being asked";
  std::vector<double> psnrs;
  for (const PhotographScore& score : history.photographs()) psnrs.push_back(score.psnr_db);
  const auto worst = ordered_by(psnrs, false);
  for (std::size_t i = 1; i < worst.size(); ++i) {
    EXPECT_LE(psnrs[worst[i - 1]], psnrs[worst[i]]) << i;
  }
}

TEST_F(ViewerTraining, RecordsScoresOfFittedRightHalves) {
  run("train start steps=40 sh-degree=1 max-splats=100 exposure=true pose-opt=true out={}/run\n"
      "wait trained\n");
  EXPECT_EQ(errors(""), 0);
  const TrainHistory& history = session().training.history;
  EXPECT_EQ(history.fitted(), "exposure and pose");
  ASSERT_EQ(history.fitted_evaluations().size(), 1u);
  const FittedPoint& mean = history.fitted_evaluations()[0];
  EXPECT_EQ(mean.step, 40);
  double plain = 0, fitted = 0;
  int count = 0;
  for (const PhotographScore& score : history.photographs()) {
    EXPECT_EQ(score.right_half.has_value(), !std::isnan(score.ssim)) << "of test views only";
    if (!score.right_half) continue;
    plain += score.right_half->plain_psnr_db;
    fitted += score.right_half->psnr_db;
    ++count;
  }
  ASSERT_EQ(count, 2);
  EXPECT_NEAR(mean.score.plain_psnr_db, plain / count, 1e-9);
  EXPECT_NEAR(mean.score.psnr_db, fitted / count, 1e-9);
}

TEST_F(ViewerTraining, ShowsTheSplatsDuringTraining) {
  run("train start steps=100000 sh-degree=0 max-splats=100 out={}/run eval=false\n"
      "wait trained 3\ntrain pause\nwait paused\nwait still\n");
  while (!session().frame->training) update();
  const std::uint64_t step = session().training.status.step;
  EXPECT_GE(step, 3u);
  run("train step 2\nwait seconds 0\nwait paused\n");
  EXPECT_EQ(session().training.status.step, step + 2);
  // The picture follows the pause.
  while (session().frame->training_step != step + 2) update();
  run("wait still\nphotograph 1\nwait still\ncamera focus 0.5 0.5\nscore\n");
  EXPECT_EQ(errors(""), 0) << "there is a depth to focus on";
  while (!session().photograph->score) update();
  run("train save\nwait seconds 0.05\n");
  while (!std::filesystem::exists(folder_ / ("run/splat_" + std::to_string(step + 2) + ".ply"))) {
    update();
  }
  EXPECT_EQ(session().training.status.step, step + 2) << "saving is no step";
  run("train stop\nwait trained\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_FALSE(session().frame->training);
  EXPECT_GT(session().frame->stats.splats, 0u);
}

TEST_F(ViewerTraining, ShowsARunOfAMovingSceneAtAnyTime) {
  make_moving_tiny_dataset(path("moving"));
  run("close 1\nopen {}/moving\nwait loaded\n"
      "train start data={}/moving steps=100000 init-count=60 out={}/run eval=false\n"
      "wait trained 3\ntrain pause\nwait paused\nwait still\n");
  EXPECT_NEAR(session().clock.range().end_s, 0.6, 1e-6) << "of the last photograph";
  const auto picture = [&] {
    EXPECT_TRUE(session().frame->training);
    const Image& shown = session().frame->picture();
    return std::vector<float>(shown.pixels.span().begin(), shown.pixels.span().end());
  };
  run("time 0\nwait still\n");
  const std::vector<float> first = picture();
  run("time 0.5\nwait still\n");
  EXPECT_NE(first, picture());
  run("mode velocity\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  run("train stop\nwait trained\nwait still\n");
  EXPECT_NEAR(session().clock.range().end_s, 0.6, 1e-6) << "of the scene that stays";
}

TEST_F(ViewerTraining, ResumesAStoppedRun) {
  run(kStart + "wait trained 5\ntrain stop\nwait trained\n");
  const std::uint64_t stopped = session().training.status.step;
  EXPECT_LT(stopped, 40u);
  run("train continue {}/run\nwait trained\n");
  EXPECT_EQ(session().training.status.step, 40u);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/splat_40.ply"));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerTraining, ShowsTheCurvesOfAnOpenedRunUntilItIsClosedOrAnotherBegins) {
  run(kStart + "wait trained\n");
  const TrainHistory done = session().training.history;
  start();
  EXPECT_TRUE(session().training.history.curve().empty());
  run("open {}/run\nwait loaded\n");
  const TrainHistory& opened = session().training.history;
  ASSERT_FALSE(opened.curve().empty());
  EXPECT_EQ(opened.curve().back().step, 40);
  EXPECT_EQ(opened.curve().back().count, done.curve().back().count);
  EXPECT_EQ(opened.test_views().size(), done.test_views().size());
  ASSERT_EQ(opened.evaluations().size(), 1u);
  EXPECT_NEAR(opened.evaluations()[0].psnr_db, done.evaluations()[0].psnr_db, 1e-3);
  EXPECT_EQ(session().training.counted, "splats");
  const std::uint64_t number = session().training.history_number;
  run("close\nwait still\n");
  EXPECT_TRUE(session().training.history.curve().empty());
  EXPECT_NE(session().training.history_number, number) << "panels see the change";
}

TEST_F(ViewerTraining, AContinuedRunBeginsWithItsEarlierCurves) {
  run("train start steps=2000 sh-degree=0 max-splats=100 eval=false metrics-every=5 out={}/run\n"
      "wait trained 30\ntrain stop\nwait trained\n");
  const std::uint64_t stopped = session().training.status.step;
  start();
  run(fmt::format("train continue {{}}/run\nwait trained {}\n", stopped + 20));
  const auto& curve = session().training.history.curve();
  ASSERT_FALSE(curve.empty());
  EXPECT_EQ(curve.front().step, 5);
  EXPECT_GT(curve.back().step, static_cast<double>(stopped));
  for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_GT(curve[i].step, curve[i - 1].step);
  run("train stop\nwait trained\n");
}

TEST_F(ViewerTraining, APauseSpendsNothingOfTheTimeBudget) {
  run("train start time-budget=2s sh-degree=0 max-splats=100 eval=false out={}/run\n"
      "wait trained 3\ntrain pause\nwait paused\n");
  const std::uint64_t paused_at = session().training.status.step;
  run("wait seconds 3\ntrain resume\nwait trained\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_GT(session().training.status.step, paused_at + 10) << "most of the budget was left";
}

TEST_F(ViewerTraining, TrainsACompleteRunFurther) {
  run("train start steps=10 sh-degree=0 max-splats=100 eval=false out={}/run\nwait trained\n"
      "train further {}/run\nwait trained\n");
  EXPECT_EQ(session().training.status.step, 20u);
  run("train further {}/run 5\nwait trained\n");
  EXPECT_EQ(session().training.status.step, 25u);
  run("train start time-budget=1s sh-degree=0 max-splats=100 eval=false out={}/timed\n"
      "wait trained\n");
  const std::uint64_t timed = session().training.status.step;
  run("train further {}/timed\nwait trained\n");
  EXPECT_GT(session().training.status.step, timed);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerTraining, ASecondRunHidesTheFirstAndBothAreNamedAfterTheDataset) {
  const std::string start = "train start steps=4 max-splats=100 eval=false\nwait trained\n";
  run(start + start + "wait still\n");
  const auto& list = session().documents.list();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_FALSE(list[1].shown);
  EXPECT_TRUE(list[2].shown);
  EXPECT_EQ(session().frame->stats.splats, list[2].edit.splats) << "only one model is drawn";
  EXPECT_EQ(list[1].name, "data, run 1");
  EXPECT_EQ(list[2].name, "data, run 2");
  run("close 3\nopen {}/data/output_2\nwait loaded\n");
  EXPECT_EQ(list.back().name, "data, run 2") << "opened again";
}

TEST_F(ViewerTraining, TheSceneUnderTrainingHasTheCountsOfNow) {
  run("train start steps=100000 sh-degree=0 max-splats=100 out={}/run eval=false\n"
      "wait trained 3\ntrain pause\nwait paused\nwait still\n");
  const Document& document = *session().documents.active();
  EXPECT_EQ(document.edit.splats, session().training.status.count);
  for (const char* name : {"delete", "select all", "close", "undo"}) {
    EXPECT_FALSE(named_action(name).possible(session())) << name;
  }
  const std::uint64_t step = session().training.status.step;
  run("train step 5\nwait paused\nexport {}/now.ply\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  run("train save\n");
  const std::string saved = path(fmt::format("run/splat_{}.ply", step + 5));
  while (!std::filesystem::exists(saved)) update();
  EXPECT_EQ(text_of(path("now.ply")).substr(200), text_of(saved).substr(200))
      << "the model of this step, not of an earlier one";
  run("train stop\nwait trained\n");
  EXPECT_EQ(session().documents.active()->format,
            fmt::format("training run, splat_{}.ply", step + 5));
}

TEST_F(ViewerTraining, LeavesACheckpointIfItEndsDuringTraining) {
  run("train start steps=100000 max-splats=100 out={}/run eval=false\nwait trained 2\n");
  viewer_.reset();
  EXPECT_FALSE(std::filesystem::is_empty(folder_ / "run/checkpoints"));
}

TEST_F(ViewerTraining, RefusesAFolderWithARunAndASecondRun) {
  run(kStart + "wait trained\n");
  run(kStart + "wait trained\n");
  EXPECT_EQ(errors("contains a run already"), 1);
  run("train start steps=10 max-splats=100 replace=true eval=false out={}/run\nwait trained\n");
  EXPECT_EQ(session().training.status.step, 10u);
  run("train start steps=100000 max-splats=100 replace=true eval=false out={}/run\n");
  act("train start steps=10 out=" + as_word(path("other")));
  EXPECT_EQ(errors("a run is active already"), 1);
  run("train stop\nwait trained\n");
}

TEST_F(ViewerTraining, FindsANewFolderForEachRun) {
  const std::string start = "train start steps=4 max-splats=100 eval=false\nwait trained\n";
  run(start + start);
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(std::filesystem::exists(path("data/output/splat_4.ply")));
  EXPECT_TRUE(std::filesystem::exists(path("data/output_2/splat_4.ply")));
  ASSERT_TRUE(session().training.end.has_value());
  EXPECT_EQ(session().training.end->out, path("data/output_2"));
  EXPECT_EQ(session().training.end->step, 4u);
  EXPECT_FALSE(session().training.end->stopped);
}

TEST_F(ViewerTraining, ReportsAnUnwritableFolder) {
  run("train start steps=4 max-splats=100 out=/proc/sys/run\nwait trained\n");
  EXPECT_EQ(errors("/proc/sys/run"), 1);
  EXPECT_EQ(session().documents.list().size(), 1u) << "no scene of it is left";
}

TEST_F(ViewerTraining, OpensARunWithItsNewestSceneAndCameras) {
  run(kStart + "wait trained\nclose 2\nopen {}/run\nwait loaded\n");
  EXPECT_EQ(session().documents.list().back().format, "training run, splat_40.ply");
  ASSERT_EQ(session().cameras.size(), 2u);
  EXPECT_EQ(session().cameras[1].views.size(), 12u);
}

TEST(PhotographsOfARun, AreSortedByTheirScores) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> keys{20, kUnknown, 10, 30, kUnknown, 10};
  EXPECT_EQ(ordered_by(keys, false), (std::vector<std::uint32_t>{2, 5, 0, 3, 1, 4}));
  EXPECT_EQ(ordered_by(keys, true), (std::vector<std::uint32_t>{3, 0, 2, 5, 1, 4}));
  EXPECT_TRUE(ordered_by({}, false).empty());
}

}  // namespace
}  // namespace mote
