#pragma once

// Checkpoints of FreeTimeGS: the .pt of OpsiClear-4DGS/FreeTimeGsVanilla, a dictionary whose
// "splats" are 3D Gaussians with times, logarithms of the standard deviations of their lives, and
// velocities. Times are shares of the duration.

#include <string>

#include "io/torch/torch_checkpoint.h"
#include "splats/splat_cloud.h"

namespace mote {

bool is_freetime_checkpoint(const Pickle& pickle);

/// The splats, with the motion `life`. Throws Error, which names the file, for tensors of other
/// sides, and for models with other formulas.
SplatCloud read_freetime_checkpoint(const TorchCheckpoint& file, const std::string& name);

}  // namespace mote
