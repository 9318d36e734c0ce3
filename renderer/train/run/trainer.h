#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "io/datasets/photo_store.h"
#include "model/learner.h"
#include "scene/dataset.h"
#include "train/run/clock_offsets.h"
#include "train/run/clock_search.h"
#include "train/run/run_options.h"
#include "train/run/view_fit.h"

namespace mote {

/// The report of one step.
struct TrainReport {
  std::uint64_t step = 0;
  std::uint32_t photograph = 0;  // index in Dataset::photographs; the first one of the step, if any
  bool part = false;  // the step trained a part of the photograph: losses are those of the part
  int resolution_level = 0, detail = 0;
  std::uint64_t count = 0;  // elements of the model that the step trained
  PhotoStepResult result;   // of that photograph, or of the target

  /// Whether the losses are those of a whole photograph, with pixels that count.
  bool has_losses() const { return !part && result.is_measured; }
};

/// Seconds since an arbitrary moment, monotonic.
using Clock = std::function<double()>;
double steady_seconds();

/// Trains a model on a dataset. Chooses the photographs of each step, and learns exposures, poses
/// and background. It uses neither folders nor the terminal. Not thread safe. Backend, dataset and
/// photographs must outlive it.
class Trainer {
 public:
  /// Makes the learner; the time budget starts here. If `options.resumes`, restore() must be called
  /// next, and the model does not begin at its start first. Throws Error if the dataset or the
  /// options do not allow training.
  Trainer(Backend& backend, const Dataset& dataset, PhotoStore& photos, const LoopOptions& options,
          const LearnerPlan& plan, std::uint64_t seed, Clock clock = steady_seconds);
  ~Trainer();

  std::uint64_t steps_done() const;
  std::uint64_t steps_total() const;  // may change under a time budget
  bool done() const;
  /// The model in training. Only step(), save() and restore() of this class may change it.
  Learner& learner() const;
  /// Lets the learner change its structure, then takes one step. In this order, the model between
  /// two calls has been trained since its last change. A clone of a splat or a reset of opacities
  /// lowers the PSNR for some steps. CHECKs that the run is not done. Throws Error, which names
  /// step and photograph, if the loss is not finite, a photograph cannot be read, or a device is
  /// out of memory.
  TrainReport step();
  /// Whether a search for clocks (LoopOptions::clock_search) belongs before the next step.
  bool clock_search_is_due() const;
  /// Does that search, and changes the offsets by its result. step() does it if it is still due.
  /// `progress` gets the share that is done before each picture, and may throw: no offset has
  /// changed then, and the search is still due. Throws as find_clocks() does.
  std::vector<FoundClock> search_clocks(const std::function<void(double share)>& progress = {});
  /// Excludes a pause of `seconds` between two steps from the time budget.
  void leave_out(double seconds);
  /// Whether save() gives a state from which a run can continue. True between steps, and after an
  /// Error or std::bad_alloc that was thrown before a step changed anything.
  bool is_whole() const;

  /// Renders any view with neutral exposure and the background of the run. `asked` sets the
  /// outputs, and the settings that the model does not determine.
  FrameStats render(const View& view, Frame& frame, const RenderSettings& asked = {});
  /// Renders a photograph's view; a training photograph with its learned pose and exposure.
  FrameStats render_photograph(std::uint32_t photograph, Frame& frame,
                               const RenderSettings& asked = {});
  /// Renders any view with the learned exposure of a photograph.
  FrameStats render_as(std::uint32_t photograph, const View& view, Frame& frame,
                       const RenderSettings& asked = {});
  /// Renders a photograph's view, as render_photograph() does, at a level of its pyramid and at
  /// another time, s.
  void render_at(std::uint32_t photograph, int level, double time_s, Frame& frame,
                 const RenderSettings& asked = {});
  /// The fit of test photographs. It fits the parameters that this run learns for training
  /// photographs. It renders and differentiates with this trainer, which must outlive it and does
  /// not change.
  ViewFitting view_fitting(const RenderSettings& asked = {});
  /// The view of a photograph with its learned pose, and at the time of its camera's learned clock.
  View view_of(std::uint32_t photograph) const;
  Exposure exposure_of(std::uint32_t photograph) const;
  /// The learned offsets of the clocks of cameras with training photographs; may be empty.
  std::vector<ClockOffset> clock_offsets() const;
  /// The background behind the model in pictures.
  std::array<float, 3> background() const;

  /// Saves and restores the complete state. A run that continues from it gives results identical to
  /// those of the saved run, except under a time budget. Options, seed and dataset must be those of
  /// the saved run; only the length of the run, the limit on the model's size and the learning
  /// rates may differ. Throws Error, which names the difference. After an exception, the trainer
  /// must not be used.
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mote
