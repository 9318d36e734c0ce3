#pragma once

#include <vector>

#include "core/image.h"

namespace mote {

/// Values above 0 of about 10000 pixels that are spread over an image of one channel: enough to say
/// where most of its values lie.
std::vector<float> sampled_values(const Image& image);

}  // namespace mote
