#pragma once

// Whose photographs a run is trained on, and what the run at work, or the last one, knows of them.

#include <cstdint>
#include <span>
#include <vector>

#include "app/viewer/session.h"

namespace mote {

/// What a run is started with where nothing is named: the dataset that is meant, or the one opened
/// last where those are cameras without photographs. Null where none is open.
const CameraSet* dataset_to_train(const Session& session);

struct PhotographOfRun {
  PhotographScore score = {};
  bool known = false;  // the run has it
  bool test = false;   // the run leaves it out to test with, whatever the dataset itself would do
};

/// The open dataset that the run trains, or has trained: the one that is meant where it is open
/// twice. Null where it is not open.
const CameraSet* dataset_of_run(const Session& session);

/// One for each view of the set, in its order. None is known where the set is not of the run's
/// dataset; the options that the run reads it with may differ.
std::vector<PhotographOfRun> photographs_of_run(const Session& session, const CameraSet& set);

/// Numbers from 0 in the order of the keys, equal ones as they stand. What is not known, a NaN,
/// comes last either way.
std::vector<std::uint32_t> ordered_by(std::span<const double> keys, bool descending);

}  // namespace mote
