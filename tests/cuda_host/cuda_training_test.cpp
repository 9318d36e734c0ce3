// Whole trainings by the CUDA backend on the host, compared with those of the CPU.
#include <gtest/gtest.h>

#include <string>

#include "cuda/gpu_backend.h"
#include "devices/devices.h"
#include "splats/deformation.h"
#include "support/fake_training.h"
#include "support/moving_training.h"
#include "support/splat_trainer_steps.h"
#include "support/tiny_training.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

class CudaTraining : public OnTheTinyDataset {
 protected:
  static TrainOptions options(const StrategyEntry& strategy) {
    TrainOptions options = tiny_options(std::string(strategy.name));
    options.steps = 200;
    return options;
  }
  static TinyRun cpu_run(const TrainOptions& options) {
    return {folder(), options, make_backend("cpu", {.threads = 2, .isa = {}, .index = {}})};
  }
  static TinyRun cuda_run(const TrainOptions& options) {
    return {folder(), options, cuda::make_gpu_backend("CUDA, run on the host", 2)};
  }
};

TEST_F(CudaTraining, MatchesTheFirstStepsOfTheCpu) {
  for (const StrategyEntry* strategy : strategies()) {
    TinyRun cpu = cpu_run(options(*strategy)), cuda = cuda_run(options(*strategy));
    for (int i = 0; i < 25; ++i) {  // the set of splats changes after 20
      const TrainReport expected = cpu.trainer.step(), found = cuda.trainer.step();
      ASSERT_NEAR(found.result.loss, expected.result.loss, 1e-3 * expected.result.loss)
          << strategy->name << " " << found.step;
      ASSERT_EQ(found.count, expected.count) << strategy->name << " " << found.step;
    }
  }
}

TEST_F(CudaTraining, ReachesTheQualityOfTheCpu) {
  for (const StrategyEntry* strategy : strategies()) {
    TinyRun cpu = cpu_run(options(*strategy)), cuda = cuda_run(options(*strategy));
    const double before_db = cpu.psnr_db();  // both begin with the same splats
    cpu.steps(100);
    cuda.steps(100);
    const double after_db = cuda.psnr_db();
    EXPECT_GT(after_db, before_db + 2) << strategy->name;
    EXPECT_NEAR(after_db, cpu.psnr_db(), 0.5) << strategy->name;
    const auto count = static_cast<double>(cpu.trainer.learner().count());
    EXPECT_NEAR(static_cast<double>(cuda.trainer.learner().count()), count, 0.05 * count)
        << strategy->name;
  }
}

TEST_F(CudaTraining, ContinuesAfterResumingAsIfUninterrupted) {
  for (const StrategyEntry* strategy : strategies()) {
    TinyRun whole = cuda_run(options(*strategy)), before = cuda_run(options(*strategy)),
            after = cuda_run(options(*strategy));
    whole.steps(25);
    before.steps(14);
    MemoryBytes state;
    before.trainer.save(state);
    after.trainer.restore(state);
    EXPECT_EQ(state.left(), 0u);
    after.steps(11);
    EXPECT_TRUE(whole.splats() == after.splats()) << strategy->name;
  }
}

/// Colours of cameras are learned from step 30 on.
TEST(CudaMovingTraining, MatchesTheFirstStepsOfTheCpu) {
  MovingData data;
  make_data(data);
  MovingRun cpu(data, moving_options(300), 2),
      cuda(data, moving_options(300), cuda::make_gpu_backend("CUDA, run on the host", 2));
  for (int i = 0; i < 40; ++i) {
    const TrainReport expected = cpu.trainer.step(), found = cuda.trainer.step();
    ASSERT_NEAR(found.result.loss, expected.result.loss, 2e-3 * expected.result.loss) << found.step;
  }
  EXPECT_NE(cuda.trainer.exposure_of(0), kNeutralExposure);
}

TEST(CudaMovingTraining, ADeformationFieldLearnsAsOnTheCpu) {
  MovingData data;
  make_data(data);
  TrainOptions options = moving_options(300);
  options.motion = "field";
  options.strategy = "mcmc";
  options.deformation.from = 4;
  options.deformation.resolution = 8;
  options.deformation.moments = 6;
  const auto on_cuda = [&] {
    return MovingRun(data, options, cuda::make_gpu_backend("CUDA, run on the host", 2));
  };
  MovingRun cpu(data, options, 2), cuda = on_cuda();
  for (int i = 0; i < 9; ++i) {
    const TrainReport expected = cpu.trainer.step(), found = cuda.trainer.step();
    ASSERT_NEAR(found.result.loss, expected.result.loss, 1e-2 * expected.result.loss) << found.step;
  }
  EXPECT_NE(cuda.cloud().deformation, nullptr);
  // Resumed, it goes on with the same bits.
  MovingRun before = on_cuda(), after = on_cuda();
  before.steps(6);
  MemoryBytes state;
  before.trainer.save(state);
  after.trainer.restore(state);
  after.steps(3);
  const SplatCloud whole = cuda.cloud(), resumed = after.cloud();
  EXPECT_TRUE(equal(whole, resumed));
  EXPECT_EQ(whole.deformation->parameters, resumed.deformation->parameters);
}

}  // namespace
}  // namespace mote
