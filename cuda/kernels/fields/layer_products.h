#pragma once

// Products of large matrices, for networks layer by layer (layer_network.h). A block of threads has
// a tile of 128x128 sums. Its operands go through shared memory, 32 products of each sum at a time,
// and the next ones are loaded while these are multiplied.
//
// Values are in global memory as fragments a, [rows of 16 samples][blocks][4 words][lanes]: a block
// is what store_values() writes, so that it can be loaded as it is or transposed.

#include <cstddef>

#include "cuda/kernels/fields/weight_products.h"

namespace mote::cuda {

inline constexpr unsigned kProductThreads = 256;
inline constexpr int kSideBlocks = 8;  // of a side of the tile
inline constexpr int kSideValues = kSideBlocks * kBlockValues;
inline constexpr int kStepBlocks = 2;                                       // along the sums
inline constexpr int kStepLanes = kSideBlocks * kStepBlocks * kBlockLanes;  // of an operand
/// Two operands, of one step and of the next.
inline constexpr std::size_t kProductBytes = 2 * 2 * kStepLanes * sizeof(uint4);

/// The blocks of one operand of a tile.
struct TileOperand {
  const uint4* blocks;
  std::size_t across_stride, along_stride;  // blocks to the next one across the tile, along sums
  int first, end;                           // of the tile, of the whole operand; across the tile
};

/// A warp has 4x2 blocks of sums of the tile's 8x8.
struct TileSums {
  static constexpr int kRowBlocks = 4, kColumnBlocks = 2;

  BlockSums<kRowBlocks> at[kColumnBlocks];
};

/// First of the warp's blocks in the tile.
MOTE_DEVICE int first_row_block() {
  return static_cast<int>(threadIdx.x / kWarp / 4) * TileSums::kRowBlocks;
}
MOTE_DEVICE int first_column_block() {
  return static_cast<int>(threadIdx.x / kWarp % 4) * TileSums::kColumnBlocks;
}

/// A thread's share of the blocks of a step.
struct StepShare {
  static constexpr int kLanes = kStepLanes / static_cast<int>(kProductThreads);

  uint4 lanes[kLanes];
};

/// Loads the share of the step from block `along` of the sums on; blocks from `end` on are zero.
MOTE_DEVICE StepShare load_step(const TileOperand& from, int along, int end) {
  StepShare own;
  MOTE_UNROLL
  for (int i = 0; i < StepShare::kLanes; ++i) {
    const int lane = i * static_cast<int>(kProductThreads) + static_cast<int>(threadIdx.x);
    const int across = from.first + lane / kBlockLanes / kStepBlocks;
    const int at = along + lane / kBlockLanes % kStepBlocks;
    own.lanes[i] = {0, 0, 0, 0};
    if (across >= from.end || at >= end) continue;
    const std::size_t block = static_cast<std::size_t>(across) * from.across_stride +
                              static_cast<std::size_t>(at) * from.along_stride;
    own.lanes[i] = load_whole(from.blocks + block * kBlockLanes + lane % kBlockLanes);
  }
  return own;
}

MOTE_DEVICE void store_step(const StepShare& own, uint4* to) {
  MOTE_UNROLL
  for (int i = 0; i < StepShare::kLanes; ++i) {
    to[static_cast<unsigned>(i) * kProductThreads + threadIdx.x] = own.lanes[i];
  }
}

/// Adds the products of a step. TRANSPOSED: sums go along samples, of two operands with values;
/// else along values, of values and weights.
template <bool TRANSPOSED>
MOTE_DEVICE void add_step(const uint4* rows, const uint4* columns, TileSums& sums) {
  const unsigned lane = threadIdx.x % kWarp;
  const auto block_at = [](const uint4* step, int across, int along) {
    return step + (across * kStepBlocks + along) * kBlockLanes;
  };
  MOTE_UNROLL
  for (int along = 0; along < kStepBlocks; ++along) {
    uint4 in[TileSums::kColumnBlocks];
    MOTE_UNROLL
    for (int n = 0; n < TileSums::kColumnBlocks; ++n) {
      const uint4* const block = block_at(columns, first_column_block() + n, along);
      in[n] = TRANSPOSED ? transposed_block(&block->x, true) : load_whole(block + lane);
    }
    MOTE_UNROLL
    for (int row = 0; row < TileSums::kRowBlocks; ++row) {
      const uint4* const block = block_at(rows, first_row_block() + row, along);
      const uint4 own =
          TRANSPOSED ? transposed_block(&block->x, false) : load_matrices(block + lane);
      MOTE_UNROLL
      for (int n = 0; n < TileSums::kColumnBlocks; ++n) add_product(own, in[n], row, sums.at[n]);
    }
  }
}

/// The sums of a tile over the blocks [begin, end). All threads of the block must call, with
/// kProductBytes of dynamic shared memory.
template <bool TRANSPOSED>
MOTE_DEVICE void multiply_tile(const TileOperand& rows, const TileOperand& columns, int begin,
                               int end, TileSums& sums) {
  MOTE_UNROLL
  for (int n = 0; n < TileSums::kColumnBlocks; ++n) set_zero(sums.at[n]);
  if (begin >= end) return;
  uint4* now = dynamic_shared<uint4>();
  uint4* next = now + 2 * kStepLanes;
  store_step(load_step(rows, begin, end), now);
  store_step(load_step(columns, begin, end), now + kStepLanes);
  __syncthreads();
  for (int along = begin; along < end; along += kStepBlocks) {
    const StepShare next_rows = load_step(rows, along + kStepBlocks, end);
    const StepShare next_columns = load_step(columns, along + kStepBlocks, end);
    add_step<TRANSPOSED>(now, now + kStepLanes, sums);
    store_step(next_rows, next);
    store_step(next_columns, next + kStepLanes);
    __syncthreads();
    uint4* const other = now;
    now = next;
    next = other;
  }
}

/// Calls visit(sums, row, column) for each of the warp's blocks in the tile: its 16 sums of each of
/// 16 rows.
template <class Visit>
MOTE_DEVICE void for_each_tile_block(const TileSums& sums, const Visit& visit) {
  MOTE_UNROLL
  for (int n = 0; n < TileSums::kColumnBlocks; ++n) {
    MOTE_UNROLL
    for (int row = 0; row < TileSums::kRowBlocks; ++row) {
      visit(sums.at[n].at[row], first_row_block() + row, first_column_block() + n);
    }
  }
}

/// The lane's words of a block of values in global memory.
MOTE_DEVICE uint4 block_words(const uint4* block) {
  const unsigned* const words = &block->x + threadIdx.x % kWarp;
  return {words[0], words[kWarp], words[2 * kWarp], words[3 * kWarp]};
}

MOTE_DEVICE void store_block(uint4 own, uint4* block) {
  unsigned* const words = &block->x + threadIdx.x % kWarp;
  words[0] = own.x;
  words[kWarp] = own.y;
  words[2 * kWarp] = own.z;
  words[3 * kWarp] = own.w;
}

}  // namespace mote::cuda
