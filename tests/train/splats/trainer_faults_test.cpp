// Trainer after a failed step: the cases in which it can continue.
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "fake_run.h"

namespace mote {
namespace {

/// Photographs of which one cannot be read on its first request.
class FaultyPhotos : public FakePhotos {
 public:
  FaultyPhotos(const Dataset& dataset, std::size_t faulty) : FakePhotos(dataset), faulty_(faulty) {}
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override {
    auto photo = FakePhotos::get(index, level);
    if (asked.size() == faulty_) throw Error("cannot be read", "a photograph", "mend it");
    return photo;
  }

 private:
  std::size_t faulty_;
};

TEST(TrainerFaults, AStepThatFailsBeforeAnyChangeCanBeRepeated) {
  constexpr int kSteps = 450;
  for (const StrategyEntry* strategy : strategies()) {
    for (const int faulty : {1, 300, 301, 302}) {  // splats change after 300
      const TrainOptions options = everything(std::string(strategy->name));
      FakeRun whole(options), after(options);
      whole.steps(kSteps);
      FakeBackend backend;
      FaultyPhotos photos(whole.dataset, static_cast<std::size_t>(faulty));
      Trainer trainer(backend, whole.dataset, photos, options, SplatPlan(options), 42,
                      [] { return 0.0; });
      for (int i = 1; i < faulty; ++i) trainer.step();
      EXPECT_THROW(trainer.step(), Error);
      EXPECT_TRUE(trainer.is_whole());
      MemoryBytes state, again;
      trainer.save(state);
      after.trainer.restore(state);
      after.steps(kSteps - faulty + 1);
      EXPECT_TRUE(after.state() == whole.state()) << strategy->name << " " << faulty;
      while (trainer.steps_done() < kSteps) trainer.step();
      trainer.save(again);
      EXPECT_TRUE(again.bytes == whole.state()) << strategy->name << " " << faulty;
    }
  }
}

TEST(TrainerFaults, IsNotUsableAfterANanLoss) {
  FakeRun run(short_run("adc"));
  run.backend.record.amend = [](const StepRequest& request, StepResult& result) {
    if (request.step == 3) result.loss = std::numeric_limits<double>::quiet_NaN();
  };
  run.steps(2);
  EXPECT_TRUE(run.trainer.is_whole());
  EXPECT_THROW(run.trainer.step(), Error);
  EXPECT_FALSE(run.trainer.is_whole());
}

TEST(TrainerFaults, ContinuesWithAnotherSplatLimitWithoutRemovingSplats) {
  for (const StrategyEntry* strategy : strategies()) {
    TrainOptions options = short_run(std::string(strategy->name));
    FakeRun before(options);
    before.steps(350);
    const std::size_t count = before.trainer.learner().count();
    if (strategy->name == "relocation") continue;  // the number stays
    ASSERT_GT(count, 60u);
    MemoryBytes state;
    state.bytes = before.state();
    options.max_splats = 55;
    FakeRun after(options);
    after.trainer.restore(state);
    after.steps(200);
    EXPECT_EQ(after.trainer.learner().count(), count) << strategy->name;
  }
}

}  // namespace
}  // namespace mote
