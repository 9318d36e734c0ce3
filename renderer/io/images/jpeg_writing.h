#pragma once

#include <filesystem>

#include "core/file.h"
#include "core/image.h"

namespace mote {

/// Writes an image of 3 channels as JPEG without subsampled colour. `quality`: 1 to 100. Appears
/// whole or not at all.
void write_jpeg(const Image8& image, const std::filesystem::path& path, int quality,
                Existing existing = Existing::replace);

}  // namespace mote
