#pragma once

#include "core/file.h"
#include "splats/feature_cloud.h"

namespace mote {

/// The network of a full model of Spacetime Gaussians, which torch.save wrote into the .pt beside
/// its .ply: mlp1.weight [6][12][1][1] and mlp2.weight [3][6][1][1]. The file does not say which
/// activation follows; it is taken to be a sigmoid. Throws Error if the .pt is missing or has
/// another network.
FeatureDecoder read_stg_decoder(const InputFile& ply);

}  // namespace mote
