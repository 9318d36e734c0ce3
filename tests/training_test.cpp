// Whole trainings of a tiny dataset on the CPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "dataset_fixture.h"
#include "fake_training.h"
#include "io/dataset_source.h"
#include "train/metrics.h"
#include "train/trainer.h"

namespace mote {
namespace {

class Training : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() =
        std::filesystem::path(testing::TempDir()) / ("training_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder());
    make_tiny_dataset(folder());
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }
  static std::filesystem::path& folder() {
    static std::filesystem::path path;
    return path;
  }
};

TrainOptions tiny_options(const std::string& strategy) {
  TrainOptions options;
  options.strategy = strategy;
  options.steps = 300;
  options.sh_degree = 1;
  options.densify.every = 20;
  options.max_splats = 300;
  // The dataset's splats are smaller than the distances between them.
  options.init_opacity = 0.5;
  options.init_scale = 0.2;
  return options;
}

/// A run of its own on the dataset in `folder`.
struct CpuRun {
  CpuRun(const std::filesystem::path& folder, const TrainOptions& options, int threads)
      : loaded(load_dataset(folder, {})),
        backend(make_backend("cpu", {.threads = threads, .isa = {}})),
        trainer(*backend, loaded.dataset, *loaded.photos, options, 42) {}

  void steps(int count) {
    for (int i = 0; i < count; ++i) trainer.step();
  }
  /// Mean over the test views.
  double psnr_db() {
    double sum = 0;
    Frame frame;
    for (const std::uint32_t index : loaded.dataset.test) {
      trainer.render_photograph(index, frame);
      const auto photo = loaded.photos->get(index, 0);
      Image truth;
      truth.resize_discard(photo->color.width, photo->color.height, 3);
      for (int y = 0; y < truth.height; ++y) {
        for (int i = 0; i < 3 * truth.width; ++i) {
          truth.row(y)[i] = static_cast<float>(photo->color.row(y)[i]) / 255;
        }
      }
      sum += compare_images(frame.rgb, truth, {}).psnr_db;
    }
    return sum / static_cast<double>(loaded.dataset.test.size());
  }
  /// What a run that goes on depends on, without the time that was spent.
  std::vector<std::byte> splats() const {
    const SplatCloud cloud = trainer.cloud();
    MemoryBytes sink;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (int f = 0; f < kFieldCount; ++f) sink.put(cloud.at(i, static_cast<Field>(f)));
      for (int k = 0; k < cloud.sh_coefficients(); ++k) {
        for (int c = 0; c < 3; ++c) sink.put(cloud.sh(i, k, c));
      }
    }
    return sink.bytes;
  }

  LoadedDataset loaded;
  std::unique_ptr<Backend> backend;
  Trainer trainer;
};

TEST_F(Training, LearnsTheTinyDataset) {
  for (const StrategyEntry* strategy : strategies()) {
    CpuRun run(folder(), tiny_options(std::string(strategy->name)), 2);
    const double before_db = run.psnr_db();
    const std::size_t splats_before = run.trainer.cloud().count();
    run.steps(300);
    const double after_db = run.psnr_db();
    EXPECT_GT(after_db, before_db + 4) << strategy->name;
    EXPECT_GT(after_db, 24) << strategy->name;
    EXPECT_GT(run.trainer.cloud().count(), splats_before) << strategy->name;
    EXPECT_EQ(run.trainer.broken_splats(), 0u);
  }
}

TEST_F(Training, GoesOnAfterResumingAsIfUninterruptedOnAnyNumberOfThreads) {
  for (const StrategyEntry* strategy : strategies()) {
    TrainOptions options = tiny_options(std::string(strategy->name));
    options.exposure = options.pose_opt = true;
    options.background = "learned";
    options.resolution_schedule = 1;
    CpuRun whole(folder(), options, 1), before(folder(), options, 2), after(folder(), options, 2);
    whole.steps(160);
    before.steps(77);
    MemoryBytes state;
    before.trainer.save(state);
    after.trainer.restore(state);
    EXPECT_EQ(state.left(), 0u);
    after.steps(83);
    EXPECT_TRUE(whole.splats() == after.splats()) << strategy->name;
    EXPECT_EQ(whole.trainer.exposure_of(1), after.trainer.exposure_of(1));
    EXPECT_EQ(whole.trainer.camera_of(1).translation, after.trainer.camera_of(1).translation);
    EXPECT_EQ(whole.trainer.background(), after.trainer.background());
  }
}

TEST_F(Training, EndsAtTheTarget) {
  for (const StrategyEntry* strategy : strategies()) {
    TrainOptions options = tiny_options(std::string(strategy->name));
    options.target_splats = 150;
    options.steps = 200;
    CpuRun run(folder(), options, 2);
    run.steps(200);
    EXPECT_EQ(run.trainer.cloud().count(), 150u) << strategy->name;
  }
}

}  // namespace
}  // namespace mote
