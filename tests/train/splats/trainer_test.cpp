// Trainer with a fake device: its requests, its state, and its refusals.
#include "train/run/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/options.h"
#include "fake_run.h"

namespace mote {
namespace {

TEST(Trainer, UsesEveryTrainingPhotographOncePerEpochAndAnnouncesThem) {
  FakeRun run(short_run("mcmc"));
  const std::size_t photographs = run.dataset.train.size();
  ASSERT_EQ(photographs, 6u);
  run.steps(60);
  for (std::size_t epoch = 0; epoch < 10; ++epoch) {
    const auto begin = run.photos.asked.begin() + static_cast<std::ptrdiff_t>(epoch * photographs);
    EXPECT_EQ(std::set<std::uint32_t>(begin, begin + 6),
              std::set<std::uint32_t>(run.dataset.train.begin(), run.dataset.train.end()));
  }
  const std::vector<std::uint32_t> first(run.photos.asked.begin(), run.photos.asked.begin() + 32);
  const std::vector<std::uint32_t> told(run.photos.announced.begin(),
                                        run.photos.announced.begin() + 32);
  EXPECT_EQ(first, told);
  EXPECT_NE(std::vector(first.begin(), first.begin() + 6),
            std::vector(first.begin() + 6, first.begin() + 12));
}

TEST(Trainer, AnnouncesTheNextPhotographToTheDevice) {
  TrainOptions options = short_run("mcmc", 60);
  options.resolution_schedule = 1;
  FakeRun run(options);
  run.steps(60);
  const auto& requests = run.backend.record.requests;
  std::size_t right = 0;
  for (std::size_t i = 0; i + 1 < requests.size(); ++i) {
    ASSERT_NE(requests[i].next_photo, nullptr);
    const bool same_level = requests[i].camera.width == requests[i + 1].camera.width;
    EXPECT_EQ(requests[i].next_photo.get() == requests[i + 1].photo, same_level) << i;
    right += same_level;
  }
  EXPECT_EQ(right, requests.size() - 2);  // except when the level changes
}

TEST(Trainer, GivesEachStepTheTimeOfItsPhotograph) {
  FakeRun run(short_run("adc"));
  for (std::size_t i = 0; i < run.dataset.photographs.size(); ++i) {
    run.dataset.photographs[i].time_s = 0.5 * static_cast<double>(i);
  }
  run.steps(6);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.backend.record.requests[i].time_s, 0.5 * run.reports[i].photograph);
  }
}

TEST(Trainer, PassesTheSchedulesToTheDevice) {
  TrainOptions options = short_run("mcmc", 1000);
  options.resolution_schedule = 1;
  options.resolution_until = 0.5;
  FakeRun run(options);
  run.steps(1000);
  EXPECT_TRUE(run.trainer.done());
  const auto& requests = run.backend.record.requests;
  EXPECT_EQ(requests.front().camera.width, 64);
  EXPECT_EQ(requests.back().camera.width, 128);
  EXPECT_EQ(requests.front().sh_degree, 0);
  EXPECT_EQ(requests.back().sh_degree, 3);
  EXPECT_NEAR(requests.back().rates.mean / requests.front().rates.mean, 0.01, 1e-4);
  EXPECT_FLOAT_EQ(requests.front().noise, 5e5f * requests.front().rates.mean);
  EXPECT_EQ(requests.front().step, 1u);
  EXPECT_NE(requests[0].noise_seed, requests[1].noise_seed);
}

TEST(Trainer, AdcAddsNeitherNoiseNorRegularisers) {
  FakeRun run(short_run("adc"));
  run.steps(2);
  EXPECT_EQ(run.backend.record.requests[0].noise, 0);
  EXPECT_EQ(run.backend.record.requests[0].loss.opacity_regularizer, 0);
  EXPECT_EQ(run.backend.record.requests[0].loss.scale_regularizer, 0);
}

TEST(Trainer, ResumesFromASavedStateBitForBit) {
  for (const StrategyEntry* strategy : strategies()) {
    for (const int first : {1, 137, 300, 301}) {
      const TrainOptions options = everything(std::string(strategy->name));
      FakeRun whole(options), before(options), after(options);
      whole.steps(450);
      before.steps(first);
      MemoryBytes state;
      state.bytes = before.state();
      after.trainer.restore(state);
      EXPECT_EQ(state.left(), 0u);
      EXPECT_EQ(after.trainer.steps_done(), static_cast<std::uint64_t>(first));
      after.steps(450 - first);
      EXPECT_TRUE(after.state() == whole.state()) << strategy->name << " from " << first;
      EXPECT_EQ(after.trainer.background(), whole.trainer.background());
    }
  }
}

TEST(Trainer, AnotherSeedGivesAnotherRun) {
  const Dataset dataset = ring_dataset(9, 50);
  FakeBackend backend;
  FakePhotos photos(dataset);
  const TrainOptions options = short_run("mcmc");
  Trainer a(backend, dataset, photos, options, SplatPlan(options), 1);
  Trainer b(backend, dataset, photos, options, SplatPlan(options), 2);
  std::vector<std::uint32_t> of_a, of_b;
  for (int i = 0; i < 12; ++i) of_a.push_back(a.step().photograph);
  for (int i = 0; i < 12; ++i) of_b.push_back(b.step().photograph);
  EXPECT_NE(of_a, of_b);
}

void expect_refused(const std::vector<std::byte>& bytes, FakeRun& run, const std::string& says) {
  MemoryBytes state;
  state.bytes = bytes;
  try {
    run.trainer.restore(state);
    FAIL() << "expected a refusal: " << says;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(Trainer, RefusesTheStateOfAnotherRun) {
  FakeRun run(short_run("adc"));
  run.steps(3);
  const std::vector<std::byte> bytes = run.state();

  FakeRun other_strategy(short_run("mcmc"));
  expect_refused(bytes, other_strategy, "--strategy 'adc'");
  TrainOptions options = short_run("adc");
  options.sh_every = 7;
  FakeRun other_schedule(options);
  expect_refused(bytes, other_schedule, "--sh-every");
  FakeRun other_count(short_run("adc"), 12);
  expect_refused(bytes, other_count, "6 training photographs");

  Dataset dataset = ring_dataset(9, 50);
  FakeBackend backend;
  FakePhotos photos(dataset);
  MemoryBytes state;
  state.bytes = bytes;
  options = short_run("adc");
  Trainer other_seed(backend, dataset, photos, options, SplatPlan(options), 43);
  EXPECT_THROW(other_seed.restore(state), Error);
}

TEST(Trainer, RefusesTruncatedStates) {
  FakeRun run(everything("adc"));
  run.steps(3);
  const std::vector<std::byte> bytes = run.state();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 97) {
    FakeRun other(everything("adc"));
    MemoryBytes state;
    state.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(other.trainer.restore(state), Error) << size;
  }
}

TEST(Trainer, MayContinueWithOtherLearningRates) {
  FakeRun run(everything("adc"));
  run.steps(3);
  TrainOptions options = everything("adc");
  OptionTable rates;
  options.rates.describe(rates);
  for (const Option& option : rates.options()) *std::get<double*>(option.target) /= 2;
  FakeRun slower(options);
  MemoryBytes state;
  state.bytes = run.state();
  slower.trainer.restore(state);
  run.steps(1);
  slower.steps(1);
  EXPECT_FLOAT_EQ(2 * slower.backend.record.requests.back().rates.mean,
                  run.backend.record.requests.back().rates.mean);
}

TEST(Trainer, MayContinueForMoreSteps) {
  FakeRun run(short_run("adc", 100)), longer(short_run("adc", 200));
  run.steps(100);
  EXPECT_TRUE(run.trainer.done());
  MemoryBytes state;
  state.bytes = run.state();
  longer.trainer.restore(state);
  EXPECT_FALSE(longer.trainer.done());
  EXPECT_EQ(longer.trainer.steps_done(), 100u);
  EXPECT_EQ(longer.trainer.steps_total(), 200u);
}

TEST(Trainer, StopsAtANanLoss) {
  FakeRun run(short_run("mcmc"));
  run.backend.record.amend = [](const StepRequest& request, StepResult& result) {
    if (request.step == 3) result.loss = std::numeric_limits<double>::quiet_NaN();
  };
  run.steps(2);
  try {
    run.trainer.step();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.where().find("step 3"), std::string::npos);
    EXPECT_NE(error.where().find("view_"), std::string::npos);
    EXPECT_NE(error.remedy().find("--resume and lower rates"), std::string::npos);
  }
}

TEST(Trainer, RemovesBrokenSplatsAndCountsThemOnce) {
  for (const StrategyEntry* strategy : strategies()) {
    FakeRun run(short_run(std::string(strategy->name), 2000));
    run.backend.record.amend = [](const StepRequest& request, StepResult& result) {
      if (request.step != 5 && request.step != 6) return;
      result.broken = {7, 3};
      result.non_finite = 2;
    };
    run.steps(101);
    EXPECT_EQ(run.trainer.learner().broken_count(), 2u);
    EXPECT_EQ(run.reports.back().count, 48u) << strategy->name;
    EXPECT_EQ(run.backend.record.edits, std::vector<std::uint64_t>{100}) << strategy->name;
  }
}

TEST(Trainer, SortsSplatsAtIntervalsWhileTheirSetStays) {
  for (const StrategyEntry* strategy : strategies()) {
    TrainOptions options = short_run(std::string(strategy->name), 6500);
    options.densify.until = 0.5;
    options.densify.every = 500;
    FakeRun run(options);
    run.steps(6500);
    const FakeRecord& record = run.backend.record;
    if (strategy->name == "relocation") {  // no splat is faint
      EXPECT_TRUE(record.edits.empty());
      EXPECT_EQ(record.reorders, (std::vector<std::uint64_t>{2000, 4000, 6000}));
      continue;
    }
    ASSERT_FALSE(record.edits.empty());
    EXPECT_EQ(record.edits.back(), 3000u) << strategy->name;
    EXPECT_EQ(record.reorders, (std::vector<std::uint64_t>{4000, 6000})) << strategy->name;
  }
}

TEST(Trainer, LearnsExposuresWhoseMeanStaysNeutral) {
  TrainOptions options = short_run("mcmc");
  options.exposure = true;
  FakeRun run(options);
  // Half of the photographs are darker than they should be.
  run.backend.record.amend = [&](const StepRequest&, StepResult& result) {
    const bool dark = run.photos.asked.back() % 2 == 0;
    result.d_exposure = {};
    result.d_exposure[3] = dark ? 1.0f : -1.0f;
  };
  run.steps(60);
  double mean = 0;
  for (const std::uint32_t index : run.dataset.train) {
    const Exposure exposure = run.trainer.exposure_of(index);
    EXPECT_EQ(exposure[3] < 0, index % 2 == 0);
    mean += double{exposure[3]};
  }
  EXPECT_NEAR(mean, 0, 1e-6);
  EXPECT_EQ(run.trainer.exposure_of(run.dataset.test[0]), kNeutralExposure);
}

TEST(Trainer, MovesCamerasAgainstTheGradient) {
  TrainOptions options = short_run("mcmc");
  options.pose_opt = true;
  FakeRun run(options);
  // The loss is half the squared distance of the camera's centre from its true position.
  const glm::dvec3 wanted_shift(0.001, -0.002, 0.0015);
  run.backend.record.amend = [&](const StepRequest& request, StepResult& result) {
    const Camera& planned = run.dataset.photographs[run.photos.asked.back()].camera;
    EXPECT_TRUE(request.pose_gradient);
    result.d_pose_translation = request.camera.translation - (planned.translation + wanted_shift);
    result.d_pose_rotation = glm::cross(request.camera.translation, result.d_pose_translation);
  };
  run.steps(600);
  for (const std::uint32_t index : run.dataset.train) {
    const Camera& planned = run.dataset.photographs[index].camera;
    const Camera learned = run.trainer.view_of(index).camera;
    EXPECT_LT(glm::length(learned.translation - planned.translation - wanted_shift),
              0.5 * glm::length(wanted_shift));
    const glm::dmat3 should_be_one =
        learned.cam_from_world * glm::transpose(learned.cam_from_world);
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) EXPECT_NEAR(should_be_one[c][r], c == r ? 1 : 0, 1e-12);
    }
  }
  const std::uint32_t test = run.dataset.test[0];
  EXPECT_EQ(run.trainer.view_of(test).camera.translation,
            run.dataset.photographs[test].camera.translation);
}

TEST(Trainer, LearnsTheBackgroundWithinTheRangeOfColours) {
  TrainOptions options = short_run("adc");
  options.background = "learned";
  FakeRun run(options);
  run.steps(300);
  EXPECT_EQ(run.trainer.background(), (std::array<float, 3>{1, 0.5f, 0}));
}

TEST(Trainer, ParsesBackgrounds) {
  TrainOptions options = short_run("adc");
  options.background = "0.25,0.5,1";
  EXPECT_EQ(FakeRun(options).trainer.background(), (std::array<float, 3>{0.25f, 0.5f, 1}));
  options.background = "random";
  FakeRun run(options);
  run.steps(2);
  EXPECT_NE(run.backend.record.requests[0].background, run.backend.record.requests[1].background);
  for (const char* wrong : {"blak", "", "1,2", "0,0,2", "nan,0,0", "0,0,0,0"}) {
    options.background = wrong;
    EXPECT_THROW(FakeRun{options}, UsageError) << wrong;
  }
}

TEST(Trainer, RefusesInvalidOptions) {
  TrainOptions options = short_run("adc");
  options.strategy = "magic";
  EXPECT_THROW(FakeRun{options}, UsageError);
  options = short_run("adc");
  options.max_splats = 10;
  options.target_splats = 11;
  EXPECT_THROW(FakeRun{options}, UsageError);
  options = short_run("adc");
  options.time_budget = "soon";
  EXPECT_THROW(FakeRun{options}, UsageError);
  options = short_run("adc");
  options.init = "/nonexistent/scene.ply";
  EXPECT_THROW(FakeRun{options}, Error);
  EXPECT_THROW(FakeRun(short_run("adc"), 0), Error);
}

TEST(Trainer, StopsIfNoSplatIsLeft) {
  FakeRun run(short_run("adc", 2000));
  run.backend.record.amend = [](const StepRequest& request, StepResult& result) {
    if (request.step != 5) return;
    for (std::uint32_t i = 0; i < 50; ++i) result.broken.push_back(i);
  };
  run.steps(100);
  EXPECT_THROW(run.trainer.step(), Error);
}

TEST(Trainer, BrokenSplatsDoNotOutliveTheRun) {
  FakeRun run(short_run("adc", 30));
  run.backend.record.amend = [](const StepRequest& request, StepResult& result) {
    if (request.step == 30) result.broken = {7, 3};
  };
  run.steps(30);
  EXPECT_TRUE(run.trainer.done());
  EXPECT_EQ(run.trainer.learner().count(), 48u);
}

}  // namespace
}  // namespace mote
