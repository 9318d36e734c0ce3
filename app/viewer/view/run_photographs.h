#pragma once

// The dataset of a training run, and what the current or last run knows of its photographs.

#include <cstdint>
#include <span>
#include <vector>

#include "app/viewer/session/session.h"

namespace mote {

/// The dataset that a new run uses by default: the shown one, or the one opened last if the shown
/// set has no photographs. Null if none is open.
const CameraSet* dataset_to_train(const Session& session);

/// The mesh, picture or volume that a new run uses by default: the active document, or without an
/// open dataset the one opened last. Null if there is none.
const Document* target_to_train(const Session& session);

struct PhotographOfRun {
  PhotographScore score = {};
  bool known = false;  // the run contains it
  bool test = false;   // held out by the run for testing, regardless of the dataset's own split
};

/// The open dataset of the current or last run. If it is open twice, the shown one. Null if it is
/// not open.
const CameraSet* dataset_of_run(const Session& session);

/// One entry per view of the set, in its order. None is known if the set is not the run's dataset.
/// The run's reading options may differ from the set's.
std::vector<PhotographOfRun> photographs_of_run(const Session& session, const CameraSet& set);

/// Indices from 0, sorted by the keys; the sort is stable. NaN keys (unknown) come last in both
/// directions.
std::vector<std::uint32_t> ordered_by(std::span<const double> keys, bool descending);

}  // namespace mote
