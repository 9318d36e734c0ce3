#pragma once

// What Trainer consists of; for trainer.cpp and trainer_state.cpp only.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/scene_layout.h"
#include "train/run/exposures.h"
#include "train/run/photograph_order.h"
#include "train/run/pose_corrections.h"
#include "train/run/time_budget.h"
#include "train/splats/background.h"
#include "train/splats/trainer.h"

namespace mote {

struct Trainer::State {
  State(Backend& backend, const Dataset& dataset, PhotoStore& photos, const TrainOptions& options,
        std::uint64_t seed, Clock clock);

  const Dataset& dataset;
  PhotoStore& photos;
  TrainOptions options;
  std::uint64_t seed;
  Clock clock;
  SceneLayout layout;
  PhotographOrder order;
  Background background;
  std::optional<Exposures> exposures;    // one a photograph of dataset.train
  std::optional<PoseCorrections> poses;  // likewise
  std::optional<TimeBudget> budget;
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<SplatTrainer> splats;
  InitialRemarks initial_remarks;
  std::size_t most_splats;                    // that splats may come to
  std::vector<std::uint32_t> place_in_train;  // of each photograph; kNotTrained for the others

  RunPosition position;
  int sh_degree = 0;                  // of the last step
  std::vector<std::uint32_t> broken;  // since the last edit, ascending
  std::uint64_t broken_count = 0;
  double start_s;                   // by the clock
  double spent_before_s = 0;        // in the runs before this one
  std::uint64_t announced = 0;      // the last step whose photograph is announced
  std::uint64_t changed_after = 0;  // the last step after which the strategy had its turn
  bool whole = true;                // see is_whole()

  static constexpr std::uint32_t kNotTrained = 0xffffffff;

  double spent_s() const { return spent_before_s + clock() - start_s; }
  void announce(std::uint64_t step, int level);
  /// The photograph after that of `step`, where it is decoded. A guess: the level may change.
  std::shared_ptr<const PhotoPixels> photo_after(std::uint64_t step, int level);
  StepRequest request_for(std::uint32_t photograph, int level) const;
  void check_result(const TrainReport& report);
  void learn_appearance(const TrainReport& report);
  void advance(double step_s);
  StrategyContext context() const;
  StrategyReport change_splats();
  void drop_broken();
  void check_count() const;
};

}  // namespace mote
