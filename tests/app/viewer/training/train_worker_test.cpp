// Commands to a training in the window.
#include "app/viewer/training/train_worker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include "devices/devices.h"
#include "support/tiny_field.h"
#include "train/fields/field_target.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// A grey picture that calls a function within its evaluation, which looks for a stop afterwards.
class WatchedPicture : public FieldTarget {
 public:
  explicit WatchedPicture(std::function<void()> within) : within_(std::move(within)) {}
  FieldApplication application() const override { return FieldApplication::image; }
  std::string description() const override { return "grey, an image"; }
  const std::vector<std::string>& notes() const override { return texts_; }
  const std::vector<std::string>& warnings() const override { return texts_; }
  std::uint64_t fingerprint() const override { return 5; }
  std::uint64_t memory_bytes() const override { return 0; }

  NeuralField untrained(const FieldConfig&) const override {
    NeuralField field;
    field.application = FieldApplication::image;
    field.config = tiny_field_config(FieldApplication::image);
    field.config.loss = FieldLoss::l2;
    return field;
  }
  void fill(const TargetDraw&, const FieldSamples& samples) const override {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      std::fill_n(samples.positions + axis * samples.stride, samples.count, 0.5f);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      std::fill_n(samples.values + c * samples.stride, samples.count, 0.5f);
    }
  }
  std::vector<fs::path> picture_files() const override { return {}; }
  std::vector<TargetScore> score(const TargetScoreRequest& request) const override {
    within_();
    if (request.superseded != nullptr && *request.superseded) throw Interrupted{};
    return {{"psnr", "PSNR", "dB", 30}};
  }

 private:
  std::function<void()> within_;
  std::vector<std::string> texts_;
};

class TrainWorkers : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  TrainOrder order(std::function<void()> within_evaluation) const {
    auto data = std::make_shared<LoadedDataset>();
    data->dataset.source = "grey, an image";
    data->dataset.target = std::make_shared<WatchedPicture>(std::move(within_evaluation));
    data->photos = make_photo_store({}, 0);
    TrainOrder order{.data = std::move(data), .out = folder_, .device = "cpu", .version = "test"};
    order.config.model = "image";
    order.config.data = "grey.png";
    order.config.fields.batch = 4096;
    order.config.loop().steps = kSteps;
    return order;
  }

  static constexpr int kSteps = 2;
  fs::path folder_ = fs::path(testing::TempDir()) / ("train_worker_" + std::to_string(::getpid()));
};

TEST_F(TrainWorkers, AStopEndsTheRunWithinAnEvaluation) {
  DeviceTurns device(make_backend("cpu", {.threads = 1, .isa = ""}));
  TrainWorker worker(device);
  worker.start(order([&] { worker.stop(); }));
  std::vector<TrainEnd> ends;
  while (ends = worker.take_ends(), ends.empty()) std::this_thread::yield();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].fault, "");
  EXPECT_TRUE(ends[0].stopped);
  EXPECT_EQ(ends[0].step, std::uint64_t{kSteps});
  EXPECT_FALSE(fs::exists(RunFolder(folder_).evaluation(kSteps) / "metrics.json"));
  EXPECT_TRUE(fs::exists(ends[0].scene)) << "the field is saved";
}

}  // namespace
}  // namespace mote
