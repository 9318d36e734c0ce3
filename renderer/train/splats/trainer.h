#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "backend/splat_trainer.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"
#include "train/run/view_fit.h"
#include "train/splats/initial_splats.h"
#include "train/splats/strategy.h"
#include "train/splats/train_options.h"

namespace mote {

/// One step as its caller shows it.
struct TrainReport {
  std::uint64_t step = 0;
  std::uint32_t photograph = 0;  // of Dataset::photographs
  int resolution_level = 0, sh_degree = 0;
  std::uint64_t splats = 0;  // that the step trained
  float mean_rate = 0;
  StepResult result;
  StrategyReport strategy;  // of the change before the step
};

/// Seconds since some moment, ever growing.
using Clock = std::function<double()>;
double steady_seconds();

/// Trains splats on a dataset: which photograph, which rates, when the set of splats changes. Knows
/// no folder and no terminal. One caller at a time. Backend, dataset and photographs must outlive
/// it.
class Trainer {
 public:
  /// Makes the first splats; the time budget runs from here. Throws Error where the dataset or the
  /// options cannot be trained with.
  Trainer(Backend& backend, const Dataset& dataset, PhotoStore& photos, const TrainOptions& options,
          std::uint64_t seed, Clock clock = steady_seconds);
  ~Trainer();

  std::uint64_t steps_done() const;
  std::uint64_t steps_total() const;  // may change while a time budget is kept
  bool done() const;
  /// What is to be said of the first splats; a phrase each.
  const InitialRemarks& initial_remarks() const;
  /// That the set of splats may come to.
  std::uint64_t most_splats() const;
  /// Lets the strategy change the set of splats as the last step calls for, then takes one step: so
  /// that what a caller sees between steps was trained as it is. A clone or a reset of opacities
  /// costs decibels until some steps have mended it. CHECKs that the run is not done. Throws Error,
  /// naming step and photograph, where the loss is not a number, and where a photograph cannot be
  /// read or a device has no memory left.
  TrainReport step();
  /// Whether save() gives what a run can go on from: always between steps, and after an Error or
  /// std::bad_alloc that came before a step changed anything.
  bool is_whole() const;

  /// Splats whose gradient or values were not finite and which were taken away.
  std::uint64_t broken_splats() const;
  /// Memory of the host, as the last step and picture left it.
  TrainerMemory host_memory() const;

  /// The splats as they stand, raw.
  SplatCloud cloud() const;
  /// Renders from any camera, as a photograph of neutral exposure shows it.
  /// `asked` may want other outputs, harmonics, sizes or shapes of the splats; background and
  /// antialiasing are the run's.
  FrameStats render(const Camera& camera, Frame& frame, const RenderSettings& asked = {});
  /// Renders a photograph's view, with its learned pose and exposure where it is one to train on.
  FrameStats render_photograph(std::uint32_t photograph, Frame& frame);
  /// Fits of test photographs, for what this run learns of training photographs. Renders and
  /// differentiates with this trainer while it lives; changes nothing of it.
  ViewFitting view_fitting();
  /// The camera of a photograph with its learned pose.
  Camera camera_of(std::uint32_t photograph) const;
  Exposure exposure_of(std::uint32_t photograph) const;
  /// What stands behind the splats in pictures.
  std::array<float, 3> background() const;

  /// The complete state and back; a run that goes on from it is bit for bit the run that was saved,
  /// unless it keeps a time budget. Options, seed and dataset must be those of that run, except
  /// that `steps`, `time_budget`, `max_splats` and learning rates may differ; throws Error, naming
  /// what differs.
  /// After a throw the trainer must not be used.
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mote
