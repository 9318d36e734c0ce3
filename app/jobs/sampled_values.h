#pragma once

#include <vector>

#include "core/image.h"

namespace mote {

/// Positive values of about 10000 pixels spread over a one-channel image; enough to estimate the
/// range of its values.
std::vector<float> sampled_values(const Image& image);

}  // namespace mote
