#pragma once

#include <string>
#include <vector>

#include "core/file.h"
#include "core/image.h"

namespace mote {

/// Implements write_exr() for an open file.
void encode_exr(const Image& image, const std::vector<std::string>& channel_names,
                OutputFile& file);

}  // namespace mote
