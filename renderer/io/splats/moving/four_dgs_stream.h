#pragma once

// Attribute streams of .4dgs files: integers that are compressed, split into byte planes, folded to
// unsigned, and optionally differences.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace mote {

struct FourDgsStream {
  int attribute = 0;
  std::size_t channels = 0;
  std::vector<std::int32_t> values;  // [element][channel]
};

/// Reads one stream of `count` elements. Throws Error for damaged streams and unknown codecs.
FourDgsStream read_four_dgs_stream(ByteReader& reader, std::uint32_t count);

/// The content of a compressed block: codec "" stored, "deflate" or "zstd". Throws Error where the
/// content is damaged, has another size, or is far larger than its compressed form can be.
std::vector<std::byte> unpack_block(std::span<const std::byte> bytes, const std::string& codec,
                                    std::uint64_t size, const std::string& where);

}  // namespace mote
