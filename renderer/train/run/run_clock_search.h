#pragma once

#include <functional>

#include "core/progress.h"
#include "scene/dataset.h"
#include "train/run/trainer.h"

namespace mote {

/// Searches for the clocks of cameras if that is due before the next step, shows the progress and
/// logs the result. Calls `look_up` before each picture; if it throws, no clock has changed. Throws
/// as Trainer::search_clocks() does.
void search_clocks(Trainer& trainer, const Dataset& dataset, ProgressMode mode,
                   const std::function<void()>& look_up);

}  // namespace mote
