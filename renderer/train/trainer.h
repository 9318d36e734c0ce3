#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/splat_trainer.h"
#include "io/photo_store.h"
#include "scene/dataset.h"
#include "train/train_options.h"

namespace mote {

/// One step as its caller shows it.
struct TrainReport {
  std::uint64_t step = 0;
  std::uint32_t photograph = 0;  // of Dataset::photographs
  std::uint64_t splats = 0;
  StepResult result;
};

/// Trains splats on a dataset: which photograph, which rates, when the set of splats changes. Knows
/// no folder and no terminal. One caller at a time.
class Trainer {
 public:
  /// Makes the first splats. Throws Error where the dataset or the options cannot be trained with.
  Trainer(Backend& backend, const Dataset& dataset, PhotoStore& photos, const TrainOptions& options,
          std::uint64_t seed);
  ~Trainer();

  std::uint64_t steps_done() const;
  std::uint64_t steps_total() const;  // may change while a time budget is kept
  bool done() const;
  /// One step, with what the strategy does after it.
  TrainReport step();

  /// The splats as they stand, raw.
  SplatCloud cloud() const;
  /// Renders a view of the dataset, with its learned pose and exposure where it is a training view.
  FrameStats render(const Camera& camera, Frame& frame);
  std::array<float, 3> background() const;

  /// The complete state and back; what options and dataset must not differ in is checked.
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mote
