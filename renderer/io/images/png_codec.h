#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/file.h"
#include "core/image.h"
#include "io/images/image_files.h"
#include "io/images/orientation.h"

// PNG with libpng: implements image_files.h for one format. `name`: the file's name, for messages.

struct png_struct_def;  // of libpng

namespace mote {

/// Upper bound on a chunk, for which the library takes memory before it reads it.
inline constexpr std::size_t kMostPngChunkBytes = std::size_t{1} << 25;

/// libpng's function for warnings: ends reading at a chunk beyond png_set_chunk_malloc_max(), about
/// which the library only warns before it takes the memory.
void refuse_large_chunk(png_struct_def* png, const char* warning);

bool is_png(std::span<const std::byte> head);
/// Size and channels, from the first bytes of a file.
ImageFacts png_facts(std::span<const std::byte> bytes, const std::string& name);
Image8 decode_png(std::span<const std::byte> bytes, const std::string& name);
/// The bytes of a PNG turned upright, with the same bit depth and colour type and the chunks that
/// libpng knows; not interlaced. Throws Error where the PNG is damaged.
std::string turned_png(std::span<const std::byte> bytes, Orientation orientation,
                       const std::string& name);
/// Rounds to 8 bits row by row, to avoid a second copy of a large image.
void encode_png(const Image& image, OutputFile& file, const std::string& name);

}  // namespace mote
