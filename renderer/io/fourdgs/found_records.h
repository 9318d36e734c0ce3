#pragma once

#include <optional>
#include <vector>

#include "io/fourdgs/file.h"

namespace mote::fourdgs {

/// Records that a file may have once, and those of the index of chunks.
struct File::Found {
  std::optional<RecordRange> header, quantization, windows, footer;
  std::vector<RecordRange> index;
  std::uint64_t summary_start = 0;
  std::uint32_t summary_checksum = 0;
};

}  // namespace mote::fourdgs
