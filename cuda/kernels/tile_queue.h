#pragma once

// A queue of macro tiles for the blocks of a persistent grid, so that blocks that finish early take
// more tiles. For kernels.

#include "cuda/kernels/frame.h"
#include "cuda/runtime/dialect.h"

namespace mote::cuda {

inline constexpr unsigned kNoTile = 0xffffffffu;

MOTE_DEVICE unsigned tile_at(const TileQueue& queue, unsigned place) {
  if (place >= queue.tiles) return kNoTile;
  return queue.order != nullptr ? queue.order[place] : place;
}

/// The block's first tile.
MOTE_DEVICE unsigned first_tile(const TileQueue& queue) {
  return tile_at(queue, blockIdx.x);
}

/// The block's next tile; kNoTile if all are taken. All threads must call. It is a barrier:
/// afterwards the shared memory of the last tile may be reused.
MOTE_DEVICE unsigned next_tile(const TileQueue& queue) {
  struct Ticket {
    unsigned tile;
  };
  Ticket& ticket = block_shared<Ticket>();
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned place = gridDim.x + atomicAdd(queue.taken, 1u);
    ticket.tile = tile_at(queue, place);
  }
  __syncthreads();
  return ticket.tile;
}

}  // namespace mote::cuda
