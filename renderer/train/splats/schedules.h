#pragma once

// The schedules of training splats, as functions of the position in the run.

#include <cstdint>

#include "backend/splat_trainer.h"
#include "model/learner.h"
#include "train/splats/train_options.h"

namespace mote {

/// Learning rates of the step after `position`. `extent` in world units, `duration_s` of a scene
/// that moves. `velocities_known`: points tell which splats stand still, so that long lives need
/// not learn to move.
LearningRates learning_rates(const RateOptions& rates, double extent, const RunPosition& position,
                             double duration_s = 0, bool velocities_known = true);

/// The SH degree that the step after `position` trains. It grows by one every `sh_every` steps, but
/// at least every eighth of the run, so that all bands are trained for most of it.
int sh_degree_at(const TrainOptions& options, const RunPosition& position);

/// Sets the weights of the surface losses of the step after `position`.
void set_surface_weights(const SurfaceOptions& options, const RunPosition& position,
                         LossSettings& loss);

/// The schedule of changes of the set of splats.
struct DensifyWindow {
  std::uint64_t from = 0;   // steps, exclusive
  double until = 0;         // fraction of the run, exclusive
  std::uint64_t every = 1;  // steps
  /// Whether the set changes after the step just done.
  bool due(const RunPosition& position) const;
  /// Number of events left, including the current one; at least 1. An estimate under a time budget.
  std::uint64_t events_left(const RunPosition& position) const;
  /// Number of events in the whole run, at least 1. An estimate under a time budget.
  double events_in_all(const RunPosition& position) const;
};

/// `published_until` applies if the options leave the end to the strategy.
DensifyWindow densify_window(const DensifyOptions& options, double published_until,
                             const RunPosition& position);

/// Steps between changes of a part of the splats that is in memory while `resting` others are not.
/// Each splat then has as many changes in a run as if all were in memory.
std::uint64_t changes_of_part(std::uint64_t every, std::uint64_t resting, std::uint64_t in_memory);

/// The number of splats after the event at `position`, by linear growth from `count` now to
/// `target` at the last event of the window.
std::uint64_t count_on_the_way(std::uint64_t count, std::uint64_t target,
                               std::uint64_t events_left);

}  // namespace mote
