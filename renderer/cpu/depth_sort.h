#pragma once

#include <cstdint>
#include <span>

#include "core/buffer.h"
#include "cpu/binning.h"

namespace mote {

/// Sorts the entries of a bin by depth, ties by the splats' indices in the file. Depths are
/// positive, so their bits are in the same order. `scratch` grows as needed.
void sort_by_depth(std::span<BinEntry> entries, const Binning& binning, Buffer<BinEntry>& scratch);

}  // namespace mote
