#pragma once

// The interface between training runs and the models that they train. A run (train/run) chooses the
// photograph, its exposure, pose and background, and keeps folder, metrics and checkpoints. A model
// changes its own parameters. It knows neither folders nor other photographs.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/photo_step.h"
#include "core/byte_stream.h"
#include "model/host_model.h"
#include "scene/dataset.h"
#include "scene/scene_layout.h"

namespace mote {

/// The position in a run. `fraction` is steps_done / steps_total, except under a time budget.
struct RunPosition {
  std::uint64_t steps_done = 0, steps_total = 1;
  double fraction = 0;     // 0 at the start, 1 at the end
  bool end_moves = false;  // steps_total is an estimate, under a time budget
};

/// One step on one photograph.
struct LearnRequest {
  View view;                           // of the photograph; its camera at the size of `photo`
  const PhotoPixels* photo = nullptr;  // an alpha channel is composed over `background`
  /// The expected photograph of the next step, which a device may upload during this step. It does
  /// not affect results, even if the expectation is wrong.
  std::shared_ptr<const PhotoPixels> next_photo;
  std::array<float, 3> background{0, 0, 0};
  Exposure exposure = kNeutralExposure;  // applied to the rendered image, before the loss
  float ssim_weight = 0.2f;              // share of 1 - SSIM in the loss; the rest is L1
  RunPosition position;                  // before the step
  /// Level of detail that is evaluated and trained, see Learner::detail_at(); empty: all of it.
  std::optional<int> detail;
};

/// Messages about the start of training; one phrase each.
struct InitialRemarks {
  std::vector<std::string> notes, warnings;
};

/// Host memory of a learner in bytes, grouped by the quantity that it grows with.
struct LearnerMemory {
  std::uint64_t state = 0;   // parameters, moments, statistics: grows with the number of elements
  std::uint64_t pixels = 0;  // images of a step: grows with the size of its photograph
  std::uint64_t work = 0;    // of a step besides: for splats, their pairs with parts of the image
  std::uint64_t view = 0;    // the same for the last picture
};

/// A moment at which a model changes its structure and holds more memory than in a step.
struct ModelChange {
  std::string name;          // follows "while": "splats are split or moved"
  std::string part;          // name of the additional memory
  std::uint64_t bytes = 0;   // additional
  bool beside_step = false;  // images and work of the last step are still held
};

/// Host memory of a model in a run, in bytes.
struct ModelMemory {
  LearnerMemory held;
  std::string work_name;         // of LearnerMemory::work and view: "pairs"
  std::uint64_t parameters = 0;  // one copy of all parameters
  std::uint64_t saved = 0;       // copies while the model is saved
  std::uint64_t exported = 0;    // for a format that is assembled in memory, besides
  std::vector<ModelChange> changes = {};
};

/// A model on a device whose pictures have gradients.
class Differentiable : public Drawable {
 public:
  /// The loss of Learner::step() and its gradients by camera, exposure and background. Does not
  /// change the model. For fits of a view.
  virtual PhotoStepResult differentiate(const LearnRequest& request) = 0;
};

/// A model in training. Deterministic for any number of threads. Not thread safe.
class Learner {
 public:
  virtual ~Learner() = default;

  virtual const ModelEntry& model() const = 0;
  /// Messages about the start.
  virtual const InitialRemarks& initial_remarks() const = 0;

  /// Level of detail for the step after `position`. A run trains at the highest level so far, so
  /// that more steps in a resumed run do not lower it.
  virtual int detail_at(const RunPosition& position) const = 0;
  /// Changes the structure of the model where that is due, without training: the set of splats, for
  /// example. Called once between two steps. Throws Error where nothing is left to train.
  virtual void change(const RunPosition& position) = 0;
  /// Takes one step. Parts of the model with a gradient that is not finite are not updated, and are
  /// removed later, with a warning. If the loss is not finite, the caller must stop. If the
  /// device's memory is too small, throws Error and leaves the state unchanged.
  virtual PhotoStepResult step(const LearnRequest& request) = 0;
  /// Called after the last step: removes parts that are to be removed. Throws as change() does.
  virtual void finish(const RunPosition& position) = 0;
  /// Whether save() gives a state from which a run can continue.
  virtual bool is_whole() const = 0;

  /// The model as it is after the last step; valid as long as the learner. It replaces settings of
  /// a picture by those that it is trained with.
  virtual Differentiable& drawable() = 0;

  /// Number of elements now, its upper bound, and the number removed since they were not finite.
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t most_count() const = 0;
  virtual std::uint64_t broken_count() const = 0;
  /// Host memory after the last step and picture.
  virtual LearnerMemory host_memory() const = 0;

  virtual std::unique_ptr<HostModel> copy() const = 0;

  /// A checkpoint holds two parts: what the model counts, and its parameters with their optimiser.
  /// The run's own state is between them.
  virtual void save_counts(ByteSink& sink) const = 0;
  virtual void restore_counts(ByteSource& source) = 0;
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
};

/// The surroundings in which a learner is made. References must outlive the learner.
struct LearnerSite {
  Backend& backend;
  const Dataset& dataset;
  const SceneLayout& layout;
  bool white_background = false;  // in every step
  std::uint64_t seed = 0;
};

/// The name of an option and its value as text.
struct OptionText {
  std::string name, text;
};

/// A model with the options of its training, which makes learners.
class LearnerPlan {
 public:
  virtual ~LearnerPlan() = default;

  virtual const ModelEntry& model() const = 0;
  /// The method of training, for messages and stats.json: a strategy of splats.
  virtual std::string_view method() const = 0;
  /// Whether the model is antialiased, for stats.json.
  virtual bool is_antialiased() const = 0;
  /// Throws Error where dataset, options or device do not allow training.
  virtual std::unique_ptr<Learner> make(const LearnerSite& site) const = 0;
  /// All options of training that a resumed run must keep, in the order of config.json.
  virtual std::vector<OptionText> kept_options() const = 0;

  // For estimates of a run's cost.

  /// The plan with full detail from the first step; with that number of elements, placed at random,
  /// where it is given.
  virtual std::unique_ptr<LearnerPlan> at_full_detail(std::optional<std::uint64_t> count) const = 0;
  /// Upper bound on the number of elements, or the number at the end if an option says it.
  virtual std::uint64_t last_count(const Dataset& dataset) const = 0;
  /// Memory for training on the device; empty where training uses the host's memory.
  virtual std::optional<MemoryEstimate> device_memory(const Backend& backend,
                                                      const Dataset& dataset) const = 0;
  /// Host memory of a run with `count` elements, from the memory that was measured with
  /// `measured_count`.
  virtual ModelMemory memory(const LearnerMemory& measured, std::uint64_t measured_count,
                             std::uint64_t count, bool on_device) const = 0;
};

}  // namespace mote
