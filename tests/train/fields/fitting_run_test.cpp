// Runs of fields that are fitted to a target instead of photographs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "devices/devices.h"
#include "io/fields/field_snapshot.h"
#include "math/counter_random.h"
#include "support/ball_volume.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"
#include "train/fields/field_plan.h"
#include "train/fields/field_target.h"
#include "train/fields/volume_target.h"
#include "train/run/run_cost.h"
#include "train/run/training_run.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// A smooth picture.
std::array<float, 3> color_at(float x, float y) {
  return {x, y, 0.5f + 0.5f * std::sin(6 * x) * std::cos(5 * y)};
}

class WavePicture : public FieldTarget {
 public:
  FieldApplication application() const override { return FieldApplication::image; }
  std::string description() const override { return "waves, an image"; }
  const std::vector<std::string>& notes() const override { return texts_; }
  const std::vector<std::string>& warnings() const override { return texts_; }
  std::uint64_t fingerprint() const override { return 77; }
  std::uint64_t memory_bytes() const override { return 0; }

  NeuralField untrained(const FieldConfig& chosen) const override {
    NeuralField field;
    field.application = FieldApplication::image;
    field.config = tiny_field_config(FieldApplication::image);
    field.config.optimizer->learning_rate = 1e-2;
    field.config.optimizer->decay.reset();  // its schedule depends on the length of the run
    field.config.loss = FieldLoss::l2;
    if (chosen.encoding) field.config.encoding = chosen.encoding;
    return field;
  }
  void fill(const TargetDraw& draw, const FieldSamples& samples) const override {
    filled_ += samples.count;
    for (std::size_t i = 0; i < samples.count; ++i) {
      const std::uint64_t number = 2 * (samples.first + i);
      const auto coordinate = [&](std::uint64_t axis) {
        return static_cast<float>(random_bits(draw.seed, number + axis) >> 40) * 0x1p-24f;
      };
      const float x = coordinate(0), y = coordinate(1);
      samples.positions[i] = x;
      samples.positions[samples.stride + i] = y;
      const auto color = color_at(x, y);
      for (std::size_t c = 0; c < 3; ++c) samples.values[c * samples.stride + i] = color[c];
    }
  }
  std::vector<fs::path> picture_files() const override { return {}; }
  std::size_t filled_samples() const { return filled_; }
  std::vector<TargetScore> score(const TargetScoreRequest& request) const override {
    constexpr std::size_t kSide = 32, kCount = kSide * kSide;
    Buffer<float> positions(2 * kCount), values(3 * kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      positions[i] = (static_cast<float>(i % kSide) + 0.5f) / kSide;
      positions[kCount + i] = (static_cast<float>(i / kSide) + 0.5f) / kSide;
    }
    request.field.evaluate(positions.data(), kCount, kCount, values.data());
    double squared = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto wanted = color_at(positions[i], positions[kCount + i]);
      for (std::size_t c = 0; c < 3; ++c) {
        squared += std::pow(static_cast<double>(values[c * kCount + i] - wanted[c]), 2);
      }
    }
    if (request.progress) request.progress(1);
    return {{"psnr", "PSNR", "dB", -10 * std::log10(squared / (3 * kCount))}};
  }

 private:
  mutable std::atomic<std::size_t> filled_ = 0;
  std::vector<std::string> texts_;
};

class FittingRun : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static LoadedDataset data(FieldApplication application = FieldApplication::image) {
    LoadedDataset data;
    data.dataset.source = "waves, an image";
    data.dataset.target = std::make_shared<WavePicture>();
    if (application == FieldApplication::volume) {
      data.dataset.source = "a ball, a volume";
      // Its pictures for evaluation are made once.
      static const auto ball = std::make_shared<VolumeTarget>(
          ball_volume(6, 0.5f), "a ball", VolumeLight{},
          VolumePictureSize{.views = 4, .width = 48, .height = 36, .paths_per_pixel = 32});
      data.dataset.target = ball;
    }
    data.photos = make_photo_store({}, 0);
    return data;
  }

  RunEnd run(const char* name, int steps, int threads, bool resume = false,
             FieldApplication application = FieldApplication::image) {
    LoadedDataset waves = data(application);
    const auto backend = make_backend("cpu", {.threads = threads, .isa = ""});
    RunFolder folder(folder_ / name);
    folder.open(resume ? RunStart::resume : RunStart::fresh);
    LoopOptions loop;
    loop.steps = steps;
    FieldOptions fields;
    fields.batch = 4096;
    if (application == FieldApplication::volume) fields.network = undecayed().string();
    RunOptions options;
    options.metrics_every = 20;
    options.eval_steps = {40};
    const FieldPlan plan(application, loop, fields);
    return run_training({.backend = *backend,
                         .data = waves,
                         .train = loop,
                         .plan = plan,
                         .run = options,
                         .folder = folder,
                         .seed = 42,
                         .resume = resume,
                         .data_path = "waves",
                         .config = "{\"#version\": \"test\", \"data\": \"waves\"}",
                         .version = "test",
                         .resume_command = "",
                         .progress = ProgressMode::none});
  }
  /// A configuration without a schedule, which depends on the length of a run.
  fs::path undecayed() const {
    fs::path file = folder_ / "undecayed.json";
    fs::create_directories(folder_);
    std::ofstream(file) << R"({"optimizer": {"otype": "Adam", "learning_rate": 5e-3}})";
    return file;
  }
  std::vector<float> parameters(const char* name, int steps) const {
    const fs::path file = folder_ / name / ("field_" + std::to_string(steps) + ".ingp");
    return read_field_snapshot(InputFile(file), {}).parameters;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("fitting_run_" + std::to_string(::getpid()));
};

TEST_F(FittingRun, LearnsThePictureAndReportsItsScores) {
  const RunEnd end = run("out", 100, 2);
  const auto stats = nlohmann::json::parse(end.stats);
  EXPECT_GT(stats["evaluation"]["psnr"], 25);
  EXPECT_EQ(stats["evaluations"].size(), 2u);
  EXPECT_FALSE(stats["dataset"].contains("training_views"));
  EXPECT_NE(end.summary.find("PSNR"), std::string::npos) << end.summary;
  for (const char* file : {"config.json", "train.log", "metrics.csv", "metrics.svg", "stats.json",
                           "eval/step_40/metrics.json", "eval/step_100/metrics.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / file)) << file;
  }
  EXPECT_FALSE(fs::exists(folder_ / "out" / "cameras.json"));
}

TEST_F(FittingRun, GivesEqualParametersForAnyNumberOfThreads) {
  run("one", 30, 1);
  run("three", 30, 3);
  EXPECT_EQ(parameters("one", 30), parameters("three", 30));
}

TEST_F(FittingRun, ContinuesBitForBit) {
  run("whole", 60, 2);
  run("parts", 30, 2);
  run("parts", 60, 2, true);
  EXPECT_EQ(parameters("whole", 60), parameters("parts", 60));
}

TEST_F(FittingRun, OfAVolumeIsTheSameForAnyNumberOfThreadsAndInParts) {
  constexpr FieldApplication kVolume = FieldApplication::volume;
  const RunEnd end = run("whole", 8, 3, false, kVolume);
  EXPECT_NE(end.summary.find("PSNR"), std::string::npos) << end.summary;
  EXPECT_GT(nlohmann::json::parse(end.stats)["evaluation"]["density_error"], 0);
  run("parts", 4, 1, false, kVolume);
  run("parts", 8, 2, true, kVolume);
  EXPECT_EQ(parameters("whole", 8), parameters("parts", 8));
  const fs::path file = folder_ / "whole" / "field_8.ingp";
  EXPECT_EQ(read_field_snapshot(InputFile(file), {}).occupancy.values.size(), kOccupancyCells);
}

TEST_F(FittingRun, RefusesAnotherModelsTarget) {
  LoadedDataset waves = data();
  const auto backend = make_backend("cpu", {});
  const LoopOptions loop;
  const FieldPlan plan(FieldApplication::sdf, loop, {});
  const Error error =
      thrown_by([&] { Trainer trainer(*backend, waves.dataset, *waves.photos, loop, plan, 1); });
  EXPECT_EQ(error.where(), "waves, an image");
  EXPECT_NE(std::string(error.what()).find("--model sdf"), std::string::npos);
}

TEST_F(FittingRun, IsEstimatedWithoutPhotographs) {
  LoadedDataset waves = data();
  const auto backend = make_backend("cpu", {});
  const LoopOptions loop;
  FieldOptions fields;
  fields.batch = 4096;
  const FieldPlan plan(FieldApplication::image, loop, fields);
  const RunCost cost = measure_run_cost(
      {.backend = *backend, .data = waves, .train = loop, .plan = plan, .run = {}, .seed = 1});
  EXPECT_EQ(cost.first_count, cost.last_count);
  EXPECT_GT(cost.first_step_s, 0);
}

TEST_F(FittingRun, IsEstimatedByNoMoreStepsThanItHas) {
  LoadedDataset waves = data();
  const auto target = std::make_shared<WavePicture>();
  waves.dataset.target = target;
  const auto backend = make_backend("cpu", {});
  LoopOptions loop;
  loop.steps = 3;
  FieldOptions fields;
  fields.batch = 4096;
  const FieldPlan plan(FieldApplication::image, loop, fields);
  const RunCost cost = measure_run_cost(
      {.backend = *backend, .data = waves, .train = loop, .plan = plan, .run = {}, .seed = 1});
  EXPECT_EQ(target->filled_samples(), 3u * 4096);
  EXPECT_GT(cost.first_step_s, 0);
}

}  // namespace
}  // namespace mote
