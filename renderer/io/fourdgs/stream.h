#pragma once

#include <cstdint>
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

/// Content of a chunk that is compressed as a whole by the named codec; empty: not compressed.
std::vector<std::byte> read_block(ByteReader& reader);

}  // namespace mote::fourdgs
