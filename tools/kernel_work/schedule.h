#pragma once

// When the last block of a grid is done, by a model: multiprocessors that share what they issue
// among their blocks, none of which alone can use it all.

#include <cstddef>
#include <vector>

namespace mote {

struct GridModel {
  std::size_t multiprocessors = 132, blocks_each = 4;
  double rate = 4, rate_of_a_block = 1.6;  // instructions of a warp a clock
};

/// Clocks until the last of the tasks is done; `work` is in instructions of warps, taken in the
/// order given by whichever block is free first.
double clocks_of(const std::vector<double>& work, const GridModel& model);

}  // namespace mote
