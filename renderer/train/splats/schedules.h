#pragma once

// What changes in the course of training, as functions of how far the run is.

#include <cstdint>

#include "backend/splat_trainer.h"
#include "train/splats/train_options.h"

namespace mote {

/// How far a run is. `fraction` is steps_done / steps_total unless a time budget moves the end.
struct RunPosition {
  std::uint64_t steps_done = 0, steps_total = 1;
  double fraction = 0;     // 0 at the start, 1 at the end
  bool end_moves = false;  // steps_total is an estimate, as a time budget's is
};

/// `from` at 0, `to` at 1, evenly in the logarithm. Linear where one of them is 0.
double log_linear(double from, double to, double fraction);

/// Rates of the step after `position`. `extent` in world units.
LearningRates learning_rates(const RateOptions& rates, double extent, const RunPosition& position);

/// The highest degree that the step after `position` trains: one more every `sh_every` steps, or
/// every eighth of a shorter run, so that all bands get most of it.
int sh_degree_at(const TrainOptions& options, const RunPosition& position);

/// How many times photographs are halved for the step after `position`: all levels of the schedule
/// get an equal share of the time before `resolution_until`.
int resolution_level_at(const TrainOptions& options, const RunPosition& position);

/// When the set of splats changes.
struct DensifyWindow {
  std::uint64_t from = 0;   // steps, exclusive
  double until = 0;         // fraction of the run, exclusive
  std::uint64_t every = 1;  // steps
  /// Whether the set changes after the step just done.
  bool due(const RunPosition& position) const;
  /// How often due() will still hold, this time included; at least 1. An estimate where a time
  /// budget moves the end.
  std::uint64_t events_left(const RunPosition& position) const;
  /// How often the set changes in the whole run, at least 1; an estimate likewise.
  double events_in_all(const RunPosition& position) const;
};

/// `published_until` stands where the options leave the end to the strategy.
DensifyWindow densify_window(const DensifyOptions& options, double published_until,
                             const RunPosition& position);

/// The number of splats to have after the event at `position`, on a straight line from `count` now
/// to `target` at the window's last event.
std::uint64_t count_on_the_way(std::uint64_t count, std::uint64_t target,
                               std::uint64_t events_left);

}  // namespace mote
