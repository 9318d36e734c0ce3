// Runs whose device fails or runs out of memory can be resumed.
#include <gtest/gtest.h>

#include <unistd.h>

#include <functional>
#include <utility>

#include "controls.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "cuda/gpu_backend.h"
#include "fields/training_schedule.h"
#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"
#include "support/fake_training.h"
#include "support/field_network.h"
#include "support/files/file_bytes.h"
#include "support/tiny_training.h"
#include "train/fields/field_plan.h"
#include "train/fields/image_target.h"
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

  struct Trained {
    LoadedDataset data;
    const LoopOptions& loop;
    const LearnerPlan& plan;
  };

  void run(Trained trained, const std::string& name, bool resume,
           RunObserver* observer = nullptr) const {
    const auto backend = cuda::make_gpu_backend("CUDA, run on the host", 2);
    RunFolder folder(out(name));
    folder.open(resume ? RunStart::resume : RunStart::fresh);
    RunOptions run;
    run.eval = false;
    run.checkpoint_every = 3;
    run.metrics_every = 12;
    run_training({.backend = *backend,
                  .data = trained.data,
                  .train = trained.loop,
                  .plan = trained.plan,
                  .run = run,
                  .folder = folder,
                  .seed = 42,
                  .resume = resume,
                  .data_path = trained.data.dataset.source,
                  .config = "{}",
                  .version = "test",
                  .resume_command = "mote train --resume",
                  .progress = ProgressMode::none,
                  .observer = observer});
  }
  void run(const std::string& name, bool resume) const {
    const TrainOptions train = options();
    const SplatPlan plan(train);
    run({load_dataset(folder(), {}), train, plan}, name, resume);
  }

  std::string scene(const std::string& name) const {
    return text_of(out(name) / ("splat_" + std::to_string(kSteps) + ".ply"));
  }
  std::string log(const std::string& name) const { return text_of(out(name) / "train.log"); }
  /// After the device was lost.
  void expect_log_names_the_checkpoint(const std::string& name) const {
    const bool has_checkpoint = RunFolder(out(name)).newest_checkpoint_step().has_value();
    EXPECT_NE(log(name).find(has_checkpoint ? "which is not saved; the checkpoint of step "
                                            : "no checkpoint was written yet"),
              std::string::npos)
        << log(name);
  }
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
    expect_log_names_the_checkpoint(name);
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

/// Does something before the step after `steps`.
class BeforeStep : public RunObserver {
 public:
  BeforeStep(std::uint64_t steps, std::function<void()> work)
      : steps_(steps), work_(std::move(work)) {}

  Request between(Trainer& trainer) override {
    if (trainer.steps_done() == steps_ && !done_) {
      done_ = true;
      work_();
    }
    return Request::none;
  }
  void stepped(const TrainReport&) override {}
  void measured(const MetricsRow&) override {}
  void evaluated(const Evaluation&, std::uint64_t) override {}
  void ending(Trainer&) override {}

 private:
  const std::uint64_t steps_;
  const std::function<void()> work_;
  bool done_ = false;
};

class CudaFieldFaults : public CudaRunFaults {
 protected:
  static constexpr int kFieldSteps = 5;

  void SetUp() override {
    CudaRunFaults::SetUp();
    write_bytes(out("network.json"), kFieldNetwork);
    write_png(pattern_image(24, 16, 3, 5), out("picture.png"));
  }

  LoadedDataset data(FieldApplication application) const {
    if (application == FieldApplication::nerf) {
      LoadedDataset views = load_dataset(folder(), {});
      // Few rays hit the cube.
      views.dataset.field_hints.place = {.scale = 2, .offset = glm::dvec3(0.5)};
      return views;
    }
    LoadedDataset picture;
    picture.dataset.source = "a picture";
    picture.dataset.target = std::make_shared<ImageTarget>(out("picture.png"), 1 << 24, nullptr);
    picture.photos = make_photo_store({}, 0);
    return picture;
  }

  void run_field(FieldApplication application, const std::string& name, bool resume,
                 RunObserver* observer = nullptr, int steps = kFieldSteps) const {
    LoopOptions loop;
    loop.steps = steps;
    FieldOptions fields;
    fields.network = out("network.json").string();
    fields.batch = 256;
    if (application == FieldApplication::nerf) fields.aabb_scale = 1;
    const FieldPlan plan(application, loop, fields);
    run({data(application), loop, plan}, name, resume, observer);
  }

  /// Runs until `work` makes it fail before a step, with the Error that is returned.
  template <class Fault>
  Fault failing(FieldApplication application, const std::string& name, BeforeStep before,
                int steps = kFieldSteps) const {
    try {
      run_field(application, name, false, &before, steps);
    } catch (const Fault& fault) {
      return fault;
    }
    ADD_FAILURE() << name << " did not fail";
    return Fault("", "", "");
  }

  fs::path field_file(const std::string& name, std::uint64_t steps) const {
    return out(name) / ("field_" + std::to_string(steps) + ".ingp");
  }
  void expect_same_field(const std::string& a, const std::string& b,
                         std::uint64_t steps = kFieldSteps) const {
    const auto field = [&](const std::string& name) {
      return read_field_snapshot(InputFile(field_file(name, steps)), {});
    };
    const NeuralField one = field(a), other = field(b);
    EXPECT_EQ(one.parameters, other.parameters);
    EXPECT_TRUE(one.occupancy.values == other.occupancy.values);
    EXPECT_EQ(one.training_step, steps);
    EXPECT_EQ(other.training_step, one.training_step);
  }

  static constexpr FieldApplication kTrained[] = {FieldApplication::nerf, FieldApplication::image};
};

TEST_F(CudaFieldFaults, ALostDeviceEndsTheRunAndTheLastCheckpointIsGood) {
  for (const FieldApplication application : kTrained) {
    const std::string model(kFieldApplicationNames[static_cast<std::size_t>(application)]);
    run_field(application, model, false);
    for (const std::uint64_t steps : {0u, 4u}) {
      const std::string name = model + "_lost_" + std::to_string(steps);
      SCOPED_TRACE(name);
      const DeviceLost lost = failing<DeviceLost>(
          application, name, {steps, [] { machine().calls_until_failure = 3; }});
      EXPECT_NE(std::string(lost.what()).find("cudaErrorECCUncorrectable"), std::string::npos);
      EXPECT_EQ(RunFolder(out(name)).newest_checkpoint_step().has_value(), steps > 0);
      expect_log_names_the_checkpoint(name);
      reset();
      run_field(application, name, true);
      expect_same_field(model, name);
    }
  }
}

TEST_F(CudaFieldFaults, RunningOutOfMemoryLeavesACheckpointOfTheLastStep) {
  for (const FieldApplication application : kTrained) {
    const std::string name(kFieldApplicationNames[static_cast<std::size_t>(application)]);
    SCOPED_TRACE(name);
    run_field(application, name, false);
    const Error full =
        failing<Error>(application, name + "_full",
                       {0, [] { machine().memory_bytes = cuda_host::memory_use().bytes + 1000; }});
    EXPECT_NE(full.problem().find("free"), std::string::npos) << full.what();
    EXPECT_NE(full.remedy().find("--batch"), std::string::npos) << full.what();
    EXPECT_EQ(RunFolder(out(name + "_full")).newest_checkpoint_step(), std::uint64_t{0});
    EXPECT_NE(log(name + "_full").find("stopped after step 0; continue with: mote train"),
              std::string::npos)
        << log(name + "_full");
    reset();
    run_field(application, name + "_full", true);
    expect_same_field(name, name + "_full");
  }
}

TEST_F(CudaFieldFaults, CellsOfANerfThatFindNoMemoryLeaveTheStateOfTheLastStep) {
  constexpr auto kNerf = FieldApplication::nerf;
  constexpr std::uint64_t kBefore = kFirstOccupancyUpdate;
  constexpr int kEnd = static_cast<int>(kBefore) + 1;
  const auto interrupt = [] { throw Interrupted(); };
  BeforeStep stop(kBefore, interrupt);
  EXPECT_THROW(run_field(kNerf, "stopped", false, &stop, kEnd), Interrupted);
  const Error full = failing<Error>(
      kNerf, "full",
      {kBefore, [] { machine().memory_bytes = cuda_host::memory_use().bytes + (1 << 20); }}, kEnd);
  EXPECT_NE(full.remedy().find("--batch"), std::string::npos) << full.what();
  EXPECT_NE(log("full").find("stopped after step 8; continue with: mote train"), std::string::npos)
      << log("full");
  expect_same_field("stopped", "full", kBefore);
  reset();
  fs::remove(field_file("full", kBefore));
  BeforeStep again(kBefore, interrupt);
  EXPECT_THROW(run_field(kNerf, "full", true, &again, kEnd), Interrupted);
  expect_same_field("stopped", "full", kBefore);
}

}  // namespace
}  // namespace mote
