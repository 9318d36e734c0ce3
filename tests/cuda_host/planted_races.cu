#include "cuda_host/planted_races.h"

#include <iterator>

#include "cuda/runtime/dialect.h"

namespace cuda_host {
namespace {

struct Row {
  unsigned values[64];
};

MOTE_DEVICE unsigned own_place() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/// Each thread reads a value that another thread of its block wrote.
template <bool BARRIER>
MOTE_KERNEL(64)
read_the_opposite(RaceParams p) {
  Row& row = mote::cuda::block_shared<Row>();
  row.values[threadIdx.x] = own_place();
  if constexpr (BARRIER) __syncthreads();
  p.out[own_place()] = row.values[63 - threadIdx.x];
}

/// A tree sum, whose steps must be separated.
template <bool BARRIER>
MOTE_KERNEL(64)
sum_by_tree(RaceParams p) {
  Row& row = mote::cuda::block_shared<Row>();
  row.values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) row.values[threadIdx.x] += row.values[threadIdx.x + half];
    if constexpr (BARRIER) __syncthreads();
  }
  p.out[own_place()] = threadIdx.x == 0 ? row.values[0] : 0;
}

/// Every thread increments the count.
template <bool ATOMIC>
MOTE_KERNEL(64)
count_threads(RaceParams p) {
  if constexpr (ATOMIC) {
    atomicAdd(p.cells, 1u);
  } else {
    *p.cells += 1;
  }
}

/// A lane reads its neighbour's value after a shuffle, which orders no memory.
template <bool SYNCWARP>
MOTE_KERNEL(64)
read_the_neighbour(RaceParams p) {
  p.cells[own_place()] = threadIdx.x;
  const unsigned sum = __reduce_add_sync(mote::cuda::kWholeWarp, threadIdx.x);
  if constexpr (SYNCWARP) __syncwarp();
  p.out[own_place()] = sum + p.cells[own_place() ^ 1];
}

enum class Left { nothing, barrier, fence_before, fence_after };

/// The last block adds up the results of both. What is left out would order the blocks.
template <Left LEFT>
MOTE_KERNEL(64)
last_block_adds_up(RaceParams p) {
  Row& row = mote::cuda::block_shared<Row>();
  if (threadIdx.x == 40) p.cells[blockIdx.x] = blockIdx.x + 1;
  if constexpr (LEFT != Left::barrier) __syncthreads();
  if (threadIdx.x == 0) {
    if constexpr (LEFT != Left::fence_before) __threadfence();
    row.values[0] = atomicAdd(p.out + 127, 1u);
    if constexpr (LEFT != Left::fence_after) __threadfence();
  }
  __syncthreads();
  const bool is_last = row.values[0] + 2 == gridDim.x;  // the memory is set to ones
  if (threadIdx.x == 40 && is_last) p.out[0] = p.cells[0] + p.cells[1];
}

/// The blocks overwrite a cell, by turns or not, and publish it each time.
template <bool TURNS>
MOTE_KERNEL(64)
overwrite_by_turns(RaceParams p) {
  unsigned* const turn = p.out + 127;
  if (threadIdx.x != 0) return;
  for (int tries = 0; tries < 8; ++tries) {
    if (TURNS && atomicAdd(turn, 0u) % 2 != blockIdx.x) continue;
    __threadfence();
    p.cells[0] = blockIdx.x;
    __threadfence();
    atomicAdd(turn, 1u);
  }
}

/// The threads of a warp write different bytes of one word.
template <bool APART>
MOTE_KERNEL(64)
write_bytes(RaceParams p) {
  auto* bytes = reinterpret_cast<unsigned char*>(p.cells);
  bytes[APART ? own_place() : own_place() / 2] = 1;
}

/// Five lanes read a value, which a sixth one overwrites. If not all wait for each other, it is
/// ordered after three of them alone.
template <bool ALL>
MOTE_KERNEL(64)
overwrite_after_readers(RaceParams p) {
  constexpr unsigned kWait = ALL ? 0b111111u : 0b100111u;
  Row& row = mote::cuda::block_shared<Row>();
  if (threadIdx.x == 0) row.values[0] = 1;
  __syncthreads();
  unsigned value = 0;
  if (threadIdx.x < 5) value = row.values[0];
  if (threadIdx.x < 6 && (kWait >> threadIdx.x & 1u) != 0) __syncwarp(kWait);
  if (threadIdx.x == 5) row.values[0] = 2;
  p.out[own_place()] = value;
}

/// A lane reads two bytes of a word, of which its neighbour overwrites the first.
template <bool SYNCWARP>
MOTE_KERNEL(64)
overwrite_first_byte(RaceParams p) {
  auto* bytes = reinterpret_cast<unsigned char*>(p.cells + blockIdx.x);
  unsigned value = 0;
  if (threadIdx.x == 0) value = bytes[0] + 3u * bytes[1];
  if constexpr (SYNCWARP) __syncwarp();
  if (threadIdx.x == 1) bytes[0] = 1;
  p.out[own_place()] = value;
}

MOTE_KERNEL(64) copy_cells(RaceParams p) {
  p.out[own_place()] = p.cells[own_place()];
}

MOTE_KERNEL(64) copy_shared(RaceParams p) {
  p.out[own_place()] = mote::cuda::block_shared<Row>().values[threadIdx.x];
}

MOTE_KERNEL(64) copy_pairs(RaceParams p) {
  using Pair = unsigned long long;
  if (blockIdx.x > 0) return;
  reinterpret_cast<Pair*>(p.out)[threadIdx.x] = reinterpret_cast<const Pair*>(p.cells)[threadIdx.x];
}

}  // namespace

const RaceKernel kCopyShared = copy_shared;
const RaceKernel kCopyPairs = copy_pairs;
const RaceKernel kCopyCells = copy_cells;

const PlantedRace kPlantedRaces[] = {
    {"read_the_opposite", read_the_opposite<false>, read_the_opposite<true>},
    {"sum_by_tree", sum_by_tree<false>, sum_by_tree<true>},
    {"count_threads", count_threads<false>, count_threads<true>},
    {"read_the_neighbour", read_the_neighbour<false>, read_the_neighbour<true>},
    {"no barrier before", last_block_adds_up<Left::barrier>, last_block_adds_up<Left::nothing>},
    {"no fence before", last_block_adds_up<Left::fence_before>, last_block_adds_up<Left::nothing>},
    {"no fence after", last_block_adds_up<Left::fence_after>, last_block_adds_up<Left::nothing>},
    {"overwrite_by_turns", overwrite_by_turns<false>, overwrite_by_turns<true>},
    {"write_bytes", write_bytes<false>, write_bytes<true>},
    {"overwrite_after_readers", overwrite_after_readers<false>, overwrite_after_readers<true>},
    {"overwrite_first_byte", overwrite_first_byte<false>, overwrite_first_byte<true>},
};
const int kPlantedRaceCount = static_cast<int>(std::size(kPlantedRaces));

}  // namespace cuda_host
