// A run of a model that is not made of splats: the run needs no more of it than a Learner.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <glm/vec2.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/interrupt.h"
#include "support/dataset_fixture.h"
#include "support/fake_training.h"
#include "support/files/file_bytes.h"
#include "support/shade_training.h"
#include "support/thrown_by.h"
#include "train/run/training_run.h"
#include "train/splats/train_options.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class AnyModel : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    make_tiny_dataset(folder_ / "data");
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunEnd run(int steps, bool resume = false, const std::vector<double>& eval_steps = {}) {
    LoadedDataset data = load_dataset(folder_ / "data", {});
    RunFolder folder(out());
    folder.open(resume ? RunStart::resume : RunStart::fresh);
    LoopOptions loop;
    loop.steps = steps;
    RunOptions options;
    options.metrics_every = 5;
    options.eval_steps = eval_steps;
    return run_training({.backend = backend_,
                         .data = data,
                         .train = loop,
                         .plan = plan_,
                         .run = options,
                         .folder = folder,
                         .seed = 42,
                         .resume = resume,
                         .data_path = folder_ / "data",
                         .config = "{\"#version\": \"test\", \"data\": \"data\"}",
                         .version = "test",
                         .resume_command = "",
                         .progress = ProgressMode::none,
                         .stop = &stop_});
  }
  fs::path out() const { return folder_ / "out"; }

  fs::path folder_ = fs::path(testing::TempDir()) / ("any_model_" + std::to_string(::getpid()));
  std::atomic<bool> stop_{false};
  FakeBackend backend_;
  ShadeRecord record_;
  ShadePlan plan_{record_};
};

TEST_F(AnyModel, LeavesFilesFiguresAndTextsWithItsName) {
  record_.broken = 3;
  const RunEnd end = run(20);
  const auto stats = nlohmann::json::parse(end.stats);
  EXPECT_EQ(stats["shades"], 1);
  EXPECT_EQ(stats["broken_shades"], 3);
  EXPECT_NE(end.summary.find("3 shades had values"), std::string::npos) << end.summary;
  EXPECT_EQ(stats["strategy"], "fading");
  EXPECT_GT(stats["evaluation"]["psnr"], 5);
  EXPECT_TRUE(fs::exists(out() / "shade_20.txt"));
  EXPECT_NE(text_of(out() / "metrics.csv").find(",shades,"), std::string::npos);
  for (const char* file : {"train.log", "metrics.csv", "metrics.svg", "stats.json"}) {
    EXPECT_EQ(text_of(out() / file).find("splat"), std::string::npos) << file;
  }
  EXPECT_EQ(end.summary.find("splat"), std::string::npos) << end.summary;
}

TEST_F(AnyModel, ResumesACheckpointAtItsLevelOfDetail) {
  run(10);
  EXPECT_EQ(record_.requests.front().detail, 0);
  EXPECT_EQ(record_.requests.back().detail, 1);
  EXPECT_EQ(record_.finished_after, 10u);
  const float shade = std::stof(text_of(out() / "shade_10.txt"));
  run(40, true);
  ASSERT_EQ(record_.requests.size(), 40u);
  EXPECT_EQ(record_.requests[10].detail, 1) << "more steps do not lower it";
  EXPECT_LT(shade, std::stof(text_of(out() / "shade_40.txt")));
  for (std::uint64_t i = 1; i < 40; ++i) EXPECT_EQ(record_.changes.at(i - 1), i);
}

TEST_F(AnyModel, IsMadeForACheckpointOnlyIfThereIsOne) {
  run(5);
  run(10, true);
  fs::remove_all(RunFolder(out()).checkpoints());
  run(10, true);
  EXPECT_EQ(record_.resumes, (std::vector<bool>{false, true, false}));
}

TEST_F(AnyModel, DrawsTheTestViewsOfMetricsAtAQuarterOfTheirSidesIfItIsAField) {
  const auto sizes = [&](const ModelEntry& model) {
    record_ = {};
    record_.model = &model;
    fs::remove_all(out());
    run(10);  // two lines of metrics.csv, then the evaluation of two views
    return record_.rendered;
  };
  const glm::ivec2 whole(64, 48), quarter(16, 12);
  EXPECT_EQ(sizes(kShadeModel), (std::vector{whole, whole, whole, whole}));
  EXPECT_EQ(sizes(kShadeField), (std::vector{quarter, quarter, whole, whole}));
  const MetricsFile metrics(out() / "metrics.csv", "shades", 10);
  ASSERT_EQ(metrics.rows().size(), 2u);
  for (const MetricsRow& row : metrics.rows()) EXPECT_GT(row.psnr_test_db, 0);
}

TEST_F(AnyModel, StopsWithinAPictureOfAnEvaluation) {
  int pictures = 0;
  record_.drawing = [&](const RenderSettings& settings) {
    if (settings.superseded == nullptr) return;  // a test view of the metrics
    if (++pictures == 2) stop_ = true;
    stop_if_superseded(settings);
  };
  EXPECT_THROW(run(10), Interrupted);
  EXPECT_EQ(pictures, 2);
  const fs::path evaluation = RunFolder(out()).evaluation(10);
  const auto views_of = [&](const char* kind) {
    return std::distance(fs::directory_iterator(evaluation / kind), {});
  };
  for (const char* kind : {"gt", "render", "diff"}) EXPECT_EQ(views_of(kind), 1) << kind;
  EXPECT_FALSE(fs::exists(evaluation / "metrics.json"));
  EXPECT_EQ(nlohmann::json::parse(text_of(out() / "stats.json"))["status"], "interrupted");
  stop_ = false;
  run(10, true);
  EXPECT_EQ(pictures, 4);
  for (const char* kind : {"gt", "render", "diff"}) EXPECT_EQ(views_of(kind), 2) << kind;
  EXPECT_TRUE(fs::exists(evaluation / "metrics.json"));
}

TEST_F(AnyModel, MakesAnEvaluationOnTheWayAgainThatWasStopped) {
  record_.drawing = [&](const RenderSettings& settings) {
    stop_ = settings.superseded != nullptr;
    stop_if_superseded(settings);
  };
  EXPECT_THROW(run(10, false, {5}), Interrupted);
  EXPECT_EQ(record_.requests.size(), 5u);
  record_.drawing = {};
  stop_ = false;
  run(10, true, {5});
  EXPECT_EQ(record_.requests.size(), 10u);
  EXPECT_TRUE(fs::exists(RunFolder(out()).evaluation(5) / "metrics.json"));
}

TEST_F(AnyModel, StopsBetweenSteps) {
  record_.drawing = [&](const RenderSettings&) { stop_ = true; };  // a test view, after 5 steps
  EXPECT_THROW(run(10), Interrupted);
  EXPECT_EQ(record_.requests.size(), 5u);
  EXPECT_TRUE(fs::exists(out() / "shade_5.txt"));
}

TEST(HostModel, CannotBeEditedUnlessItConsistsOfSplats) {
  const Error error = thrown_by([] { ShadeCopy(0.5f).take_splats(); });
  EXPECT_EQ(error.where(), "shade");
}

TEST(Models, AreFoundByTheirKindAndByTheirName) {
  for (const ModelEntry* model : models()) {
    EXPECT_EQ(model_of(model->kind).kind, model->kind);
    EXPECT_EQ(find_model(model->name), model);
  }
}

TEST(Models, TakeTheirOwnOptionsFromThoseOfARun) {
  TrainOptions options;
  OptionTable table;
  int other = 0;
  table.add({.name = "other", .target = &other, .help = "an option of the run"});
  options.describe(table);
  options.strategy = "mcmc";
  options.max_splats = 77;
  const auto plan = kSplatModel.plan(table);
  EXPECT_EQ(&plan->model(), &kSplatModel);
  EXPECT_EQ(plan->method(), "mcmc");
  EXPECT_EQ(plan->last_count({}), 77u);
}

TEST(Learner, IsGivenTheNameAndTheTimeOfEachPhotograph) {
  Dataset dataset = ring_dataset(9, 50);
  for (std::size_t i = 0; i < dataset.photographs.size(); ++i) {
    dataset.photographs[i].time_s = 0.5 * static_cast<double>(i);
  }
  FakeBackend backend;
  FakePhotos photos(dataset);
  ShadeRecord record;
  Trainer trainer(backend, dataset, photos, {}, ShadePlan(record), 42);
  for (int i = 0; i < 6; ++i) {
    const Photograph& photograph = dataset.photographs[trainer.step().photograph];
    const View& view = record.requests.back().view;
    EXPECT_EQ(view.name, photograph.name);
    EXPECT_EQ(view.time_s, photograph.time_s);
  }
  ASSERT_EQ(record.next.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(record.next[i], record.requests[i + 1].view.name) << "the change is told of the step";
  }
}

TEST(Learner, IsGivenAllPhotographsOfAStepAndTheirExposures) {
  const Dataset dataset = ring_dataset(9, 50);
  FakeBackend backend;
  FakePhotos photos(dataset);
  ShadeRecord record;
  record.per_step = 1000;
  LoopOptions options;
  options.exposure = true;
  Trainer trainer(backend, dataset, photos, options, ShadePlan(record), 42);
  const std::size_t count = dataset.train.size();
  trainer.step();
  trainer.step();
  ASSERT_EQ(record.requests.size(), 2 * count);
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.insert(record.requests[i].view.name);
    EXPECT_NE(record.requests[i].photo, nullptr);
  }
  EXPECT_EQ(names.size(), count);
  // The gradient of the first photograph's exposure was 0, that of the others was positive. Their
  // mean stays neutral.
  const std::string first = record.requests[0].view.name;
  for (std::size_t i = count; i < 2 * count; ++i) {
    const LearnRequest& request = record.requests[i];
    EXPECT_EQ(request.exposure[3] > 0, request.view.name == first);
    EXPECT_NE(request.exposure, kNeutralExposure);
  }
}

TEST(Learner, TakesThePhotographsOfAStepInTurn) {
  const Dataset dataset = ring_dataset(9, 50);
  FakeBackend backend;
  FakePhotos photos(dataset);
  ShadeRecord record;
  record.per_step = 2;
  Trainer trainer(backend, dataset, photos, {}, ShadePlan(record), 42);
  const std::size_t count = dataset.train.size();
  while (record.requests.size() < count) trainer.step();
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.insert(record.requests[i].view.name);
  EXPECT_EQ(names.size(), count);
}

}  // namespace
}  // namespace mote
