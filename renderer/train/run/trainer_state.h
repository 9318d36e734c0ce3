#pragma once

// The members of Trainer. Only the files of Trainer include this file.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scene/scene_layout.h"
#include "train/run/background.h"
#include "train/run/clock_offsets.h"
#include "train/run/exposures.h"
#include "train/run/frame_errors.h"
#include "train/run/motion_parts.h"
#include "train/run/photo_schedule.h"
#include "train/run/pose_corrections.h"
#include "train/run/time_budget.h"
#include "train/run/trainer.h"

namespace mote {

struct Trainer::State {
  State(Backend& backend, const Dataset& dataset, PhotoStore& photos, const LoopOptions& options,
        const LearnerPlan& plan, std::uint64_t seed, Clock clock);

  const Dataset& dataset;
  PhotoStore& photos;
  LoopOptions options;
  std::vector<OptionText> kept_options;  // a resumed run must have them too
  std::uint64_t seed;
  Clock clock;
  SceneLayout layout;
  PhotographOrder order;
  Background background;
  std::optional<Exposures> exposures;      // one per photograph of dataset.train
  std::optional<PoseCorrections> poses;    // one per photograph of dataset.train
  std::optional<Exposures> camera_colors;  // one per camera group of the dataset
  std::optional<ClockOffsets> clocks;      // of the camera groups of the dataset
  std::optional<FrameErrors> errors;       // of a moving scene
  std::optional<MotionParts> parts;        // of a moving scene
  std::optional<TimeBudget> budget;
  std::unique_ptr<Learner> learner;
  std::vector<std::uint32_t> place_in_train;  // per photograph; kNotTrained if not in train

  RunPosition position;
  int detail = 0;                   // of the last step
  double start_s;                   // time of the clock
  double spent_before_s = 0;        // by earlier parts of a resumed run
  double paused_s = 0;              // since start_s
  std::size_t per_step = 0;         // photographs
  std::uint64_t announced = 0;      // place in `order` of the last photograph that was announced
  std::uint64_t changed_after = 0;  // the last step after which the learner might change
  bool whole = true;                // see is_whole()

  static constexpr std::uint32_t kNotTrained = 0xffffffff;

  double spent_s() const { return spent_before_s + clock() - start_s - paused_s; }
  void announce(std::uint64_t step, int level);
  /// The photograph of the step after `step`, if it is decoded. This is a guess, since the level
  /// may change.
  std::shared_ptr<const PhotoPixels> photo_after(std::uint64_t step, int level);
  /// The place in `order` of a step's first photograph, from 1.
  std::uint64_t first_place(std::uint64_t step) const { return (step - 1) * per_step + 1; }
  /// Whether the steps after `position` learn camera_colors, and clocks.
  bool corrects_colors() const { return is_past(3000); }
  bool corrects_clocks() const { return is_past(kClockSteps); }
  static constexpr std::uint64_t kClockSteps = 2000;
  /// Whether `times` times so many steps are done, or so many tenths of the run if that is less.
  bool is_past(std::uint64_t steps, unsigned times = 1) const;
  /// Number of searches for clocks that belong before the steps after `position`.
  std::uint32_t clock_searches_so_far() const;
  void plan_order(std::uint64_t step);
  /// Asks the learner for windows of time of an epoch.
  void plan_windows(std::uint64_t epoch);
  /// The time at which a photograph is trained.
  double time_of(std::uint32_t photograph) const;
  /// The window of a step, and the next other one soon after it; empty without windows.
  std::optional<TimeWindow> window_of(std::uint64_t step);
  std::optional<TimeWindow> window_after(std::uint64_t step, std::uint64_t number);
  LearnRequest request_for(std::uint32_t photograph, int level) const;
  std::vector<LearnRequest> requests_for(std::span<const std::uint32_t> photographs, int level);
  /// Reduces the request to a part of its photograph where the step is to train one. Returns
  /// whether it did.
  bool take_part(LearnRequest& request);
  /// Lets the learner change its structure, once between two steps.
  void change(const LearnRequest* next) {
    if (changed_after >= position.steps_done) return;
    learner->change(position, next);
    changed_after = position.steps_done;
  }
  void step_on_photographs(TrainReport& report);
  void step_on_target(TrainReport& report);
  void check_loss(const TrainReport& report) const;
  void learn_appearance(std::uint32_t photograph, const PhotoStepResult& result, bool has_losses);
  void learn_background(std::span<const PhotoStepResult> results);
  void advance(double step_s);
};

}  // namespace mote
