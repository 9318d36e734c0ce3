// Runs whose device fails or runs out of memory can be resumed.
#include <gtest/gtest.h>

#include <unistd.h>

#include "controls.h"
#include "core/error.h"
#include "core/log.h"
#include "cuda/gpu_backend.h"
#include "support/fake_training.h"
#include "support/files/file_bytes.h"
#include "support/tiny_training.h"
#include "train/run/training_run.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using cuda_host::machine;

constexpr int kSteps = 12;

class CudaRunFaults : public OnTheTinyDataset {
 protected:
  CudaRunFaults() {
    reset();
    set_log_level(LogLevel::error);
  }
  ~CudaRunFaults() override {
    fs::remove_all(out_);
    cuda_host::reset();
  }

  static void reset() {
    cuda_host::reset();
    machine().check_accesses = false;  // other tests look for races in the same kernels
  }

  /// The number of splats grows after 4 and 8 steps, from 60 to about 500.
  static TrainOptions options() {
    TrainOptions options = tiny_options("mcmc");
    options.steps = kSteps;
    options.sh_degree = 0;
    options.max_splats = 0;
    options.densify.from = 2;
    options.densify.every = 4;
    return options;
  }

  fs::path out(const std::string& name) const { return out_ / name; }

  void run(const std::string& name, bool resume) const {
    LoadedDataset data = load_dataset(folder(), {});
    const auto backend = cuda::make_gpu_backend("CUDA, run on the host", 2);
    RunFolder folder(out(name));
    folder.open(resume ? RunStart::resume : RunStart::fresh);
    RunOptions run;
    run.eval = false;
    run.checkpoint_every = 3;
    run.metrics_every = 12;
    const TrainOptions train = options();
    const SplatPlan plan(train);
    run_training({.backend = *backend,
                  .data = data,
                  .train = train,
                  .plan = plan,
                  .run = run,
                  .folder = folder,
                  .seed = 42,
                  .resume = resume,
                  .data_path = data.dataset.source,
                  .config = "{}",
                  .version = "test",
                  .resume_command = "mote train --resume",
                  .progress = ProgressMode::none});
  }

  std::string scene(const std::string& name) const {
    return text_of(out(name) / ("splat_" + std::to_string(kSteps) + ".ply"));
  }
  std::string log(const std::string& name) const { return text_of(out(name) / "train.log"); }
  void expect_resumes_as_if_nothing_had_been(const std::string& name) const {
    run(name, true);
    EXPECT_TRUE(scene(name) == scene("whole")) << name;
  }

 private:
  fs::path out_ = fs::path(testing::TempDir()) / ("cuda_run_faults_" + std::to_string(::getpid()));
};

TEST_F(CudaRunFaults, ALostDeviceEndsTheRunAndTheLastCheckpointIsGood) {
  run("whole", false);
  for (const int calls : {150, 300}) {
    const std::string name = "lost_" + std::to_string(calls);
    machine().calls_until_failure = calls;
    try {
      run(name, false);
      ADD_FAILURE() << "the device did not fail within " << calls << " calls";
    } catch (const DeviceLost& error) {
      EXPECT_NE(std::string(error.what()).find("cudaErrorECCUncorrectable"), std::string::npos);
      EXPECT_EQ(error.where(), "device cuda");
    }
    const bool has_checkpoint = RunFolder(out(name)).newest_checkpoint_step().has_value();
    EXPECT_NE(log(name).find(has_checkpoint ? "which is not saved; the checkpoint of step "
                                            : "no checkpoint was written yet"),
              std::string::npos)
        << log(name);
    reset();
    expect_resumes_as_if_nothing_had_been(name);
  }
}

TEST_F(CudaRunFaults, RunningOutOfMemoryLeavesACheckpointOfTheLastStep) {
  run("whole", false);
  const std::size_t peak_bytes = cuda_host::memory_use().peak_bytes;
  int stopped = 0;
  for (const double share : {0.5, 0.65, 0.8, 0.95}) {
    const std::string name = "full_" + std::to_string(share);
    machine().memory_bytes = static_cast<std::size_t>(share * static_cast<double>(peak_bytes));
    try {
      run(name, false);
    } catch (const DeviceLost&) {
      ADD_FAILURE() << "the device still answers";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("free"), std::string::npos) << error.what();
      const bool began = fs::exists(out(name) / "train.log");
      stopped +=
          began && log(name).find("; continue with: mote train") != std::string::npos ? 1 : 0;
      EXPECT_EQ(began ? log(name).find("not saved") : std::string::npos, std::string::npos);
    }
    reset();
    expect_resumes_as_if_nothing_had_been(name);
  }
  EXPECT_GT(stopped, 0);
}

}  // namespace
}  // namespace mote
