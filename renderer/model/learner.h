#pragma once

// The interface between training runs and the models that they train. A run (train/run) chooses the
// photographs of a step, their exposures, poses and background, and keeps folder, metrics and
// checkpoints. A model changes its own parameters. It knows no folders.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/photo_step.h"
#include "core/byte_stream.h"
#include "core/error.h"
#include "model/host_model.h"
#include "model/target_score.h"
#include "scene/dataset.h"
#include "scene/scene_layout.h"
#include "scene/time_window.h"

namespace mote {

class PhotoStore;

/// The position in a run. `fraction` is steps_done / steps_total, except under a time budget.
struct RunPosition {
  std::uint64_t steps_done = 0, steps_total = 1;
  double fraction = 0;     // 0 at the start, 1 at the end
  bool end_moves = false;  // under a time budget, where steps_total is an estimate
};

/// One photograph of a step.
struct LearnRequest {
  std::size_t photograph = 0;  // number in the dataset
  View view;                   // the photograph's; the camera's image size is that of `photo`
  const PhotoPixels* photo = nullptr;  // an alpha channel is composed over `background`
  std::shared_ptr<const PhotoPixels> photo_owner = {};  // null: unknown
  /// The expected photograph of the next step, which a device may upload during this step. It does
  /// not affect results, even if the expectation is wrong.
  std::shared_ptr<const PhotoPixels> next_photo;
  std::array<float, 3> background{0, 0, 0};
  /// The background is another one in each step. A model that samples pixels may choose another one
  /// for each pixel.
  bool random_background = false;
  Exposure exposure = kNeutralExposure;  // applied to the rendered image, before the loss
  bool pose_gradient = false;            // whether the camera's gradient is needed
  bool time_gradient = false;  // whether that of the view's time is; models that move have one
  float ssim_weight = 0.2f;    // share of 1 - SSIM in the loss; the rest is L1
  RunPosition position;        // before the step
  /// Level of detail that is evaluated and trained, see Learner::detail_at(); empty: the highest.
  std::optional<int> detail;
  /// The window of the photograph, if Learner::windows() gives windows, and the expected next one.
  std::optional<TimeWindow> window, next_window;
};

/// Messages about the start of training, each a phrase.
struct InitialRemarks {
  std::vector<std::string> notes, warnings;
};

/// Host memory of a learner in bytes, grouped by the quantity that it grows with.
struct LearnerMemory {
  std::uint64_t state = 0;   // parameters, moments, statistics: grows with the number of elements
  std::uint64_t pixels = 0;  // images of a step: grows with the size of its photograph
  std::uint64_t work = 0;    // other memory of a step; for splats, the splat-tile pairs
  std::uint64_t view = 0;    // `work` of the last picture
  std::uint64_t saved = 0;   // what the copy of a model that is saved has beside its elements
};

/// Memory that a model needs while its structure changes, in addition to that of a step.
struct ModelChange {
  std::string name;          // completes "while ...": "splats are split or moved"
  std::string part;          // names the additional memory
  std::uint64_t bytes = 0;   // additional memory
  bool beside_step = false;  // images and work of the last step are still held
};

/// Host memory of a model in a run, in bytes.
struct ModelMemory {
  LearnerMemory held;
  std::string work_name;         // names LearnerMemory::work and view: "pairs"
  std::uint64_t saved = 0;       // copies while the model is saved
  std::uint64_t exported = 0;    // added by a format that is assembled in memory
  std::uint64_t evaluated = 0;   // copies while the model is evaluated at the end
  std::uint64_t fitted = 0;      // gradients by parameters, which a fit of a pose finds too
  std::uint64_t velocities = 0;  // copies while velocities are compared with true ones
  bool keeps_work = false;       // LearnerMemory::work stays after the last step
  std::vector<ModelChange> changes = {};
  std::uint64_t file_bytes = 0;  // of a file for elements that are not in memory
};

/// A model on a device whose pictures have gradients.
class Differentiable : public Drawable {
 public:
  /// The loss of a step on one photograph and its gradients with respect to camera, exposure and
  /// background. Does not change the model. Used to fit a view.
  virtual PhotoStepResult differentiate(const LearnRequest& request) = 0;
};

/// A model in training. Deterministic for any number of threads. Not thread safe.
class Learner {
 public:
  virtual ~Learner() = default;

  virtual const ModelEntry& model() const = 0;
  /// Messages about the start of training.
  virtual const InitialRemarks& initial_remarks() const = 0;

  /// Level of detail for the step after `position`. A run trains at the highest level that it has
  /// reached. A resumed run with more steps therefore does not lower the level.
  virtual int detail_at(const RunPosition& position) const = 0;
  /// Changes the structure of the model, for example the set of splats, if a change is due. Called
  /// once between two steps. `next`: the first photograph of the step that follows, from which
  /// elements may be made; null in a run without photographs. It is not the last one, which a
  /// resumed run would not have. Throws Error if nothing is left to train.
  virtual void change(const RunPosition& position, const LearnRequest* next) = 0;
  /// Number of photographs of a step, at least 1. `in_memory`: number of training photographs that
  /// stay decoded, at least 1.
  virtual std::size_t photographs_per_step(std::size_t /*in_memory*/) const { return 1; }
  /// Divides the moments of the photographs into windows of time if not all elements fit into
  /// memory together: those of one window do. `times_s`: ascending, without duplicates. Returns the
  /// index of the first moment of each window, ascending from 0; empty: the photographs of steps
  /// may come in any order. Otherwise a step has one photograph, and names its window.
  virtual std::vector<std::size_t> windows(std::span<const double> /*times_s*/) { return {}; }
  /// Takes one step on all of the photographs. Returns a result for each of them: its losses and
  /// times are those of the whole step, its gradients those of its exposure, pose and background.
  /// Elements whose gradient is not finite are not updated; they are removed later, with a warning.
  /// If the loss is not finite, the caller must stop. If the device's memory is too small, throws
  /// Error and leaves the state unchanged.
  virtual std::vector<PhotoStepResult> step(std::span<const LearnRequest> photographs) = 0;
  /// Takes one step on Dataset::target, in a run without photographs.
  virtual PhotoStepResult step_on_target(const RunPosition& position);
  /// Measures the model after the last step on that target, the most important score first. Throws
  /// Error if the target cannot be read or a picture cannot be written.
  virtual std::vector<TargetScore> score_on_target(const TargetScoring& scoring);
  /// Called after the last step. Removes the elements marked for removal. Throws as change() does.
  virtual void finish(const RunPosition& position) = 0;
  /// Whether save() gives a state from which a run can continue.
  virtual bool is_whole() const = 0;

  /// The model after the last step. The reference is valid as long as the learner. Pictures use the
  /// settings that the model is trained with where a request differs.
  virtual Differentiable& drawable() = 0;

  /// The current number of elements, its upper bound, and how many times an element had a value or
  /// a gradient that was not finite.
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t most_count() const = 0;
  virtual std::uint64_t broken_count() const = 0;
  /// Host memory after the last step and picture.
  virtual LearnerMemory host_memory() const = 0;

  virtual std::unique_ptr<HostModel> copy() const = 0;

  /// A checkpoint holds two parts of a model: its counters, and its parameters with the state of
  /// the optimiser. The state of the run lies between them.
  virtual void save_counts(ByteSink& sink) const = 0;
  virtual void restore_counts(ByteSource& source) = 0;
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
};

/// The input that a learner is made from. References must outlive the learner.
struct LearnerSite {
  Backend& backend;
  const Dataset& dataset;
  const SceneLayout& layout;
  PhotoStore* photos = nullptr;   // of the dataset; null: it has none
  bool white_background = false;  // all steps have a white background
  std::uint64_t seed = 0;
  /// Folder of a file for elements that do not fit into memory.
  std::filesystem::path scratch_folder = {};
  /// restore_counts() and restore() follow before anything else, so that the model need not be made
  /// as it is at the start.
  bool resumes = false;
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
  /// The method of training, for messages and stats.json; for splats, the strategy.
  virtual std::string_view method() const = 0;
  /// Whether the model is antialiased, for stats.json.
  virtual bool is_antialiased() const = 0;
  /// Throws Error if the dataset, the options or the device do not allow training.
  virtual std::unique_ptr<Learner> make(const LearnerSite& site) const = 0;
  /// All options of training that a resumed run must keep, in the order of config.json.
  virtual std::vector<OptionText> kept_options() const = 0;

  // For estimates of a run's cost.

  /// The plan with full detail from the first step. If `count` is given, the model starts with that
  /// number of elements at random positions.
  virtual std::unique_ptr<LearnerPlan> at_full_detail(std::optional<std::uint64_t> count) const = 0;
  /// Number of elements at the end of a run if an option sets it, else its upper bound.
  virtual std::uint64_t last_count(const Dataset& dataset) const = 0;
  /// Memory for training on the device; empty if training uses the host's memory. `velocities`: and
  /// for evaluations that compare velocities with true ones.
  virtual std::optional<MemoryEstimate> device_memory(const Backend& backend,
                                                      const Dataset& dataset,
                                                      bool velocities) const = 0;
  /// Host memory of a run with `count` elements, estimated from the memory that was measured with
  /// `measured_count` elements.
  virtual ModelMemory memory(const LearnerMemory& measured, std::uint64_t measured_count,
                             std::uint64_t count, bool on_device) const = 0;
};

inline PhotoStepResult Learner::step_on_target(const RunPosition&) {
  CHECK(false);
  return {};
}

inline std::vector<TargetScore> Learner::score_on_target(const TargetScoring&) {
  CHECK(false);
  return {};
}

}  // namespace mote
