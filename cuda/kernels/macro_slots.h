#pragma once

// Destinations of a splat's sums over a macro tile. For kernels.

#include "cuda/kernels/backward.h"
#include "cuda/kernels/subtiles.h"

namespace mote::cuda {

/// The index of the splat's slot for the macro tile whose first pixel is (x, y).
MOTE_DEVICE unsigned slot_of(const BackwardArgs& args, unsigned splat, int x, int y) {
  const MacroRect rect = args.rects[splat];
  const int column = x / kMacroPx - rect.first_column, row = y / kMacroPx - rect.first_row;
  const int across = rect.last_column - rect.first_column + 1;
  return args.first_slots[splat] + static_cast<unsigned>(row * across + column);
}

}  // namespace mote::cuda
