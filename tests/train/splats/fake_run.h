#pragma once

// A Trainer on a fake device and a fake dataset.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_training.h"
#include "train/run/trainer.h"
#include "train/splats/splat_learner.h"
#include "train/splats/strategy.h"

namespace mote {

/// A run with 9 photographs, 6 of them for training, and 50 initial splats.
struct FakeRun {
  explicit FakeRun(
      TrainOptions options, int views = 9, int points = 50,
      std::function<double()> clock = [] { return 0.0; })
      : dataset(ring_dataset(views, points)),
        photos(dataset),
        trainer(backend, dataset, photos, options, SplatPlan(options), 42, std::move(clock)) {}

  void steps(int count) {
    for (int i = 0; i < count; ++i) reports.push_back(trainer.step());
  }
  std::vector<std::byte> state() const {
    MemoryBytes bytes;
    trainer.save(bytes);
    return bytes.bytes;
  }

  Dataset dataset;
  FakeBackend backend;
  FakePhotos photos;
  Trainer trainer;
  std::vector<TrainReport> reports;
};

inline TrainOptions short_run(const std::string& strategy, int steps = 600) {
  TrainOptions options;
  options.steps = steps;
  options.strategy = strategy;
  return options;
}

/// Options that enable every part of a run with its own state.
inline TrainOptions everything(const std::string& strategy) {
  TrainOptions options = short_run(strategy);
  options.exposure = options.pose_opt = true;
  options.background = "learned";
  options.resolution_schedule = 1;
  return options;
}

}  // namespace mote
