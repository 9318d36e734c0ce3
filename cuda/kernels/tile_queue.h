#pragma once

// Macro tiles taken one after the other by the blocks of a grid that stays, so that a block that
// was done early helps out. For kernels.

#include "cuda/dialect.h"
#include "cuda/kernels/frame.h"

namespace mote::cuda {

inline constexpr unsigned kNoTile = 0xffffffffu;

/// The tile with which the block begins.
MOTE_DEVICE unsigned first_tile(const TileQueue& queue) {
  return blockIdx.x < queue.tiles ? queue.order[blockIdx.x] : kNoTile;
}

/// The tile with which the block goes on; kNoTile where all are taken. All threads must call. No
/// thread comes back before all have called: what they share of the last tile is free.
MOTE_DEVICE unsigned next_tile(const TileQueue& queue) {
  struct Ticket {
    unsigned tile;
  };
  Ticket& ticket = block_shared<Ticket>();
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned place = gridDim.x + atomicAdd(queue.taken, 1u);
    ticket.tile = place < queue.tiles ? queue.order[place] : kNoTile;
  }
  __syncthreads();
  return ticket.tile;
}

}  // namespace mote::cuda
