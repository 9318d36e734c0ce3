#pragma once

#include "scene/dataset.h"

namespace mote {

/// Takes photographs whose masks leave no pixel out of the split, with a warning in the dataset:
/// they would teach nothing and could not be compared. For masks whose pixels do not count; reads
/// every mask. Throws Error where one cannot be read, and where none is left to train on.
void leave_out_hidden_views(Dataset& dataset);

}  // namespace mote
