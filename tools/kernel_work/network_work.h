#pragma once

// Counts the work of the kernels of fused networks, by running them on the host.

#include <cstddef>

#include "fields/networks/mlp_layout.h"

namespace mote {

/// Counts of one pass, each divided by the number of samples.
struct NetworkWork {
  double products = 0;    // of a warp: mma.sync.m16n8k16, 2,048 multiply-adds
  double wavefronts = 0;  // of shared memory
  double without_conflicts = 0;
  double global_bytes = 0;  // features, values and their gradients; weights and sums of parts not
};

struct NetworkWorks {
  NetworkWork forward, gradients;
  std::size_t weight_bytes = 0;  // of one order
};

/// `samples`: as many as fill the tiles of a block.
NetworkWorks network_work(const MlpConfig& config, unsigned samples);

}  // namespace mote
