#pragma once

// The upper bound on the number of splats in a run, from its photographs, options and device
// memory.

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"
#include "model/learner.h"
#include "scene/dataset.h"
#include "train/splats/train_options.h"

namespace mote {

/// Upper bound on the number of splats in training: `options.max_splats`. If that is 0, it is the
/// number at which the splats have as many parameters as the training photographs have colour
/// values, at most a million. More splats fit the noise of single photographs, which costs time and
/// makes held-out views worse.
std::size_t splat_limit(const Dataset& dataset, const TrainOptions& options);

/// The request for device memory of a training run.
MemoryRequest training_request(const Dataset& dataset, const TrainOptions& options);

/// The number of splats in a run.
struct SplatNumbers {
  std::uint64_t first = 0, most = 0;
  bool most_asked_for = false;  // set by an option, not derived from the photographs
};

/// Adds remarks about a device's memory: the memory of the splats, and a warning if their growth
/// may end the run early. Throws Error, with the number that would fit, if the first splats or the
/// requested number do not fit.
void check_capacity(const MemoryEstimate& memory, const SplatNumbers& splats,
                    InitialRemarks& remarks);

}  // namespace mote
