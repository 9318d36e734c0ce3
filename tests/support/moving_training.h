#pragma once

#include <memory>
#include <utility>

#include "devices/devices.h"
#include "support/fake_training.h"
#include "train/run/memory_photos.h"
#include "train/run/trainer.h"
#include "train/splats/splat_learner.h"
#include "train/splats/splat_model.h"
#include "train/splats/train_options.h"

namespace mote {

/// A tiny moving scene: a bright ball that crosses the picture while a second one appears, seen by
/// five cameras at sixteen times.
inline constexpr int kMovingCameras = 5, kMovingTimes = 16;
inline constexpr double kMovingLast_s = 1.4;

struct MovingData {
  Dataset dataset;
  MemoryPhotos photos;
};

/// The scene at all times: one splat that moves, one that appears, and a static floor of splats.
SplatCloud moving_scene();

/// The third camera is for testing.
void make_data(MovingData& data);

/// 400 splats at random positions.
TrainOptions moving_options(int steps);

/// A training on the scene.
struct MovingRun {
  MovingRun(MovingData& data, const TrainOptions& options, std::unique_ptr<Backend> backend)
      : data(data),
        backend(std::move(backend)),
        trainer(*this->backend, data.dataset, data.photos, options, SplatPlan(options), 1) {}
  /// On the CPU.
  MovingRun(MovingData& data, const TrainOptions& options, int threads)
      : MovingRun(data, options, make_backend("cpu", {.threads = threads, .isa = {}, .index = 0})) {
  }

  void steps(int count) {
    for (int i = 0; i < count; ++i) trainer.step();
  }
  /// Mean over the test photographs.
  double psnr_db();
  SplatCloud cloud() const {
    const auto copy = trainer.learner().copy();
    return copy->take_splats();
  }

  MovingData& data;
  std::unique_ptr<Backend> backend;
  Trainer trainer;
};

}  // namespace mote
