#pragma once

// Model of a grid's end time. Multiprocessors share their issue rate among their blocks; the few
// warps of a single block cannot use all of it.

#include <cstddef>
#include <vector>

namespace mote {

struct GridModel {
  std::size_t multiprocessors = 132, blocks_each = 4, block_warps = 8;
  double rate = 4, rate_of_a_warp = 0.2;  // warp instructions per clock
};

/// Clocks until the last task ends. `work` is in warp instructions; the first free block takes the
/// next task in the given order.
double clocks_of(const std::vector<double>& work, const GridModel& model);

}  // namespace mote
