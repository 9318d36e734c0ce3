#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/file.h"
#include "core/image.h"
#include "io/images/image_files.h"
#include "io/images/orientation.h"

// PNG over libpng: what image_files.h promises, for one format. `name` is the file's, for messages.

namespace mote {

bool is_png(std::span<const std::byte> head);
/// Size and channels, from the beginning of a file.
ImageFacts png_facts(std::span<const std::byte> bytes, const std::string& name);
Image8 decode_png(std::span<const std::byte> bytes, const std::string& name);
/// The bytes of a PNG with its pixels turned upright, of the same bits and kind, and with the
/// chunks that libpng knows; it is not interlaced. Throws Error where the PNG is damaged.
std::string turned_png(std::span<const std::byte> bytes, Orientation orientation,
                       const std::string& name);
/// Rounds to 8 bits row by row, so that no second copy of a large image is needed.
void encode_png(const Image& image, OutputFile& file, const std::string& name);

}  // namespace mote
