#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "train/splats/initial_splats.h"

namespace mote {

/// What training asks of a device's memory.
TrainingSize training_size(const Dataset& dataset, const TrainOptions& options);

/// How many splats a run has.
struct SplatNumbers {
  std::uint64_t first = 0, most = 0;
  bool most_asked_for = false;  // by an option, not by what the photographs suggest
};

/// Remarks what a device's memory means for the run: what the splats will take, and a warning where
/// their growth may end the run before its time. Throws Error, saying how many would fit, where the
/// first splats do not, or the number that was asked for.
void check_room(const TrainingRoom& room, const SplatNumbers& splats, InitialRemarks& remarks);

}  // namespace mote
