#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace mote::fourdgs {

/// A list of integers for the splats of a chunk: [splat][channel].
struct Stream {
  std::uint8_t attribute = 0;  // as stored; Attribute has those that are known
  std::size_t channels = 0;
  std::vector<std::int32_t> values;
};

/// Reads a stream for `count` splats. Streams of attributes that this reader does not know are
/// returned without values. Throws Error, with the place in the file.
Stream read_stream(ByteReader& reader, std::uint32_t count);

/// Content of a chunk. If a named codec compresses it as a whole, `unpacked` gets it; else it is a
/// part of the reader's bytes.
std::span<const std::byte> read_block(ByteReader& reader, std::vector<std::byte>& unpacked);

}  // namespace mote::fourdgs
