// Complete trainings of a tiny dataset on the CPU.
#include <gtest/gtest.h>

#include "devices/devices.h"
#include "support/fake_training.h"
#include "support/tiny_training.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

using Training = OnTheTinyDataset;

std::unique_ptr<Backend> cpu(int threads) {
  return make_backend("cpu", {.threads = threads, .isa = {}, .index = {}});
}

TEST_F(Training, LearnsTheTinyDataset) {
  for (const StrategyEntry* strategy : strategies()) {
    TinyRun run(folder(), tiny_options(std::string(strategy->name)), cpu(2));
    const double before_db = run.psnr_db();
    const std::size_t splats_before = run.trainer.learner().count();
    run.steps(300);
    const double after_db = run.psnr_db();
    EXPECT_GT(after_db, before_db + 4) << strategy->name;
    EXPECT_GT(after_db, 24) << strategy->name;
    if (strategy->name == "relocation") {
      EXPECT_EQ(run.trainer.learner().count(), splats_before);
    } else {
      EXPECT_GT(run.trainer.learner().count(), splats_before) << strategy->name;
    }
    EXPECT_EQ(run.trainer.learner().broken_count(), 0u);
  }
}

TEST_F(Training, ContinuesAfterResumingAsIfUninterruptedOnAnyNumberOfThreads) {
  for (const StrategyEntry* strategy : strategies()) {
    TrainOptions options = tiny_options(std::string(strategy->name));
    options.exposure = options.pose_opt = true;
    options.background = "learned";
    options.resolution_schedule = 1;
    TinyRun whole(folder(), options, cpu(1)), before(folder(), options, cpu(2)),
        after(folder(), as_resumed(options), cpu(2));
    whole.steps(160);
    before.steps(77);
    MemoryBytes state;
    before.trainer.save(state);
    after.trainer.restore(state);
    EXPECT_EQ(state.left(), 0u);
    after.steps(83);
    EXPECT_TRUE(whole.splats() == after.splats()) << strategy->name;
    EXPECT_EQ(whole.trainer.exposure_of(1), after.trainer.exposure_of(1));
    EXPECT_EQ(whole.trainer.view_of(1).camera.translation,
              after.trainer.view_of(1).camera.translation);
    EXPECT_EQ(whole.trainer.background(), after.trainer.background());
  }
}

TEST_F(Training, EndsAtTheTarget) {
  for (const StrategyEntry* strategy : strategies()) {
    TrainOptions options = tiny_options(std::string(strategy->name));
    options.target_splats = 150;
    options.steps = 200;
    TinyRun run(folder(), options, cpu(2));
    run.steps(200);
    EXPECT_EQ(run.trainer.learner().count(), 150u) << strategy->name;
  }
}

}  // namespace
}  // namespace mote
