#pragma once

#include <string>
#include <vector>

#include "core/file.h"
#include "core/image.h"

namespace mote {

/// What write_exr() promises, into a file that is open.
void encode_exr(const Image& image, const std::vector<std::string>& channel_names,
                OutputFile& file);

}  // namespace mote
