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

/// The report of one step.
struct TrainReport {
  std::uint64_t step = 0;
  std::uint32_t photograph = 0;  // index in Dataset::photographs
  int resolution_level = 0, sh_degree = 0;
  std::uint64_t splats = 0;  // trained by the step
  float mean_rate = 0;
  StepResult result;
  StrategyReport strategy;  // the change before the step
};

/// Seconds since an arbitrary moment, monotonic.
using Clock = std::function<double()>;
double steady_seconds();

/// Trains splats on a dataset. Chooses the photograph, the learning rates and the changes of the
/// set of splats for each step. It has no access to folders and terminal. Not thread safe. Backend,
/// dataset and photographs must outlive it.
class Trainer {
 public:
  /// Makes the first splats; the time budget starts here. Throws Error where the dataset or the
  /// options do not allow training.
  Trainer(Backend& backend, const Dataset& dataset, PhotoStore& photos, const TrainOptions& options,
          std::uint64_t seed, Clock clock = steady_seconds);
  ~Trainer();

  std::uint64_t steps_done() const;
  std::uint64_t steps_total() const;  // may change under a time budget
  bool done() const;
  /// Messages about the first splats; one phrase each.
  const InitialRemarks& initial_remarks() const;
  /// Upper bound on the number of splats.
  std::uint64_t most_splats() const;
  /// Lets the strategy change the set of splats after the last step, then takes one step. In this
  /// order, the splats between two calls have been trained since their last change; a clone or a
  /// reset of opacities costs decibels until some steps later. CHECKs that the run is not done.
  /// Throws Error, which names step and photograph, where the loss is NaN, a photograph cannot be
  /// read, or a device is out of memory.
  TrainReport step();
  /// Whether save() gives a state from which a run can continue. True between steps, and after an
  /// Error or std::bad_alloc that was thrown before a step changed anything.
  bool is_whole() const;

  /// Number of splats removed because their gradient or values were not finite.
  std::uint64_t broken_splats() const;
  /// Host memory after the last step and picture.
  TrainerMemory host_memory() const;

  /// The current splats, raw.
  SplatCloud cloud() const;
  /// Renders from any camera with neutral exposure. `asked` may set outputs, SH degree, size and
  /// shape of the splats; background and antialiasing are the run's.
  FrameStats render(const Camera& camera, Frame& frame, const RenderSettings& asked = {});
  /// Renders a photograph's view; a training photograph with its learned pose and exposure.
  FrameStats render_photograph(std::uint32_t photograph, Frame& frame);
  /// The fit of test photographs, for the parameters that this run learns for training photographs.
  /// It renders and differentiates with this trainer, which must outlive it and is not changed.
  ViewFitting view_fitting();
  /// The camera of a photograph with its learned pose.
  Camera camera_of(std::uint32_t photograph) const;
  Exposure exposure_of(std::uint32_t photograph) const;
  /// The background behind the splats in pictures.
  std::array<float, 3> background() const;

  /// Saves and restores the complete state. A run that continues from it is identical bit for bit
  /// to the saved run, except under a time budget. Options, seed and dataset must be those of the
  /// saved run. Only `steps`, `time_budget`, `max_splats` and learning rates may differ. Throws
  /// Error, which names the difference. After an exception the trainer must not be used.
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mote
