#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "io/decompression.h"

namespace mote {

/// The place of a binary value in the content.
struct PackedBinary {
  std::uint64_t offset = 0, size = 0;  // bytes
};

/// A MessagePack value whose binary values stay in the file.
struct MessagePack {
  nlohmann::json top;  // with an empty binary in the place of each
  /// By path: the keys and indices from the top, such as "snapshot/params_binary".
  std::map<std::string, PackedBinary> binaries;
  std::uint64_t size = 0;  // bytes of the value
};

/// Reads one value from `content`, which is at its start, and skips its binary values. nlohmann's
/// reader is not used, since it keeps binary values of any size in memory and has no limit of
/// depth. `name`: of the content, for messages. Throws Error, with the offset, for content that is
/// truncated or not MessagePack, values that are nested more than 64 deep, more than 2^22 values,
/// 1024 binary values or 64 MiB of text, extension types, and keys that are not short texts.
MessagePack read_message_pack(Decompressor& content, const std::string& name);

}  // namespace mote
