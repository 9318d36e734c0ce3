// Binning: one block computes the prefix sum over the macro tiles' counts, the order of blending
// and the steps of sorting; then the keys are scattered.

#include "cuda/kernels/filing.h"

#include "cuda/kernels/lane_sums.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr int kPlaceThreads = 1024;
constexpr int kFileThreads = 256;

/// Wide enough for counts beyond the capacity of the keys.
using Place = unsigned long long;

struct WarpTotals {
  Place sum[kPlaceThreads / kWarp];
};

/// For each group of tiles first their number, then their next position in the order.
struct TileGroups {
  unsigned next[kTileGroups];  // at group_place()
};

/// Lanes take the groups of equal bits, and find each of them beside the other lanes'.
constexpr unsigned kGroupsEach = kTileGroups / kWarp;
MOTE_DEVICE unsigned group_place(unsigned group) {
  return group % kGroupsEach * kWarp + group / kGroupsEach;
}

/// Positions in the order for the tiles of a warp, one for each lane with `some`. Equals atomics on
/// one address, but executed once per group instead of once per lane. All lanes must call.
MOTE_DEVICE unsigned take_place(TileGroups& groups, unsigned group, bool some) {
  constexpr unsigned kNone = kTileGroups;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned peers = __match_any_sync(kWholeWarp, some ? group : kNone);
  const unsigned before = peers & ((1u << lane) - 1);
  unsigned place = 0;
  if (some && before == 0) {
    place = atomicAdd(&groups.next[group_place(group)], static_cast<unsigned>(__popc(peers)));
  }
  place = __shfl_sync(kWholeWarp, place, __ffs(static_cast<int>(peers)) - 1);
  return place + static_cast<unsigned>(__popc(before));
}

/// Puts the tiles [begin, end) of each thread, at most `each`, into the order.
MOTE_DEVICE void order_tiles(const FilingArgs& args, unsigned begin, unsigned end, unsigned each) {
  TileGroups& groups = block_shared<TileGroups>();
  if (threadIdx.x < kTileGroups) groups.next[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned tile = begin; tile < end; ++tile) {
    atomicAdd(&groups.next[group_place(tile_group(args.tile_counts[tile]))], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kWarp) {
    unsigned* const own = groups.next + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = 0; i < kGroupsEach; ++i) sum += own[i * kWarp];
    unsigned first = inclusive_sum_of_lanes(sum) - sum;
    for (unsigned i = 0; i < kGroupsEach; ++i) {
      const unsigned tiles = own[i * kWarp];
      own[i * kWarp] = first;
      first += tiles;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    args.counters->long_tiles = groups.next[group_place(tile_group(kSortChunk) + 1)];
    args.counters->sorted_tiles = groups.next[group_place(tile_group(2) + 1)];
  }
  __syncthreads();
  for (unsigned i = 0; i < each; ++i) {
    const unsigned tile = begin + i;
    const bool some = tile < end;
    const unsigned place = take_place(groups, some ? tile_group(args.tile_counts[tile]) : 0, some);
    if (some) args.order[place] = tile;
  }
}

/// Lists the steps of sorting the long lists among the tiles [begin, end) of each thread.
MOTE_DEVICE void list_sort_steps(const FilingArgs& args, unsigned begin, unsigned end) {
  struct Levels {
    unsigned next[kWarp];  // first the number of steps, then the next position
  };
  Levels& levels = block_shared<Levels>();
  const auto for_each_level = [&](const auto& visit) {
    for (unsigned tile = begin; tile < end; ++tile) {
      if (args.tile_counts[tile] < kSortChunk) continue;
      const unsigned chunks = sort_chunks(args.tile_counts[tile]);
      for (unsigned level = 0; level <= sort_merges(chunks); ++level) visit(tile, level, chunks);
    }
  };
  if (threadIdx.x < kWarp) levels.next[threadIdx.x] = 0;
  __syncthreads();
  for_each_level(
      [&](unsigned, unsigned level, unsigned chunks) { atomicAdd(&levels.next[level], chunks); });
  __syncthreads();
  if (threadIdx.x < kWarp) {
    const unsigned own = levels.next[threadIdx.x], up_to_here = inclusive_sum_of_lanes(own);
    levels.next[threadIdx.x] = up_to_here - own;
    if (threadIdx.x == 0) args.counters->long_chunks = own;
    if (threadIdx.x == kWarp - 1) args.counters->sort_steps = up_to_here;
  }
  __syncthreads();
  for_each_level([&](unsigned tile, unsigned level, unsigned chunks) {
    SortStep* const steps = args.sort_steps + atomicAdd(&levels.next[level], chunks);
    for (unsigned chunk = 0; chunk < chunks; ++chunk) steps[chunk] = {tile, chunk, level};
  });
}

MOTE_KERNEL(kPlaceThreads) place_tiles(FilingArgs args) {
  struct Verdict {
    bool fits;
  };
  Verdict& verdict = block_shared<Verdict>();
  WarpTotals& totals = block_shared<WarpTotals>();
  const unsigned each = (args.tiles + kPlaceThreads - 1) / kPlaceThreads;
  const unsigned begin = min(threadIdx.x * each, args.tiles);
  const unsigned end = min(begin + each, args.tiles);
  Place own = 0;
  for (unsigned tile = begin; tile < end; ++tile) own += args.tile_counts[tile];
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const Place up_to_here = inclusive_sum_of_lanes(own);
  if (lane == kWarp - 1) totals.sum[warp] = up_to_here;
  __syncthreads();
  if (warp == 0) totals.sum[lane] = inclusive_sum_of_lanes(totals.sum[lane]);
  __syncthreads();
  Place place = up_to_here - own + (warp > 0 ? totals.sum[warp - 1] : 0);
  for (unsigned tile = begin; tile < end; ++tile) {
    args.first[tile] = static_cast<unsigned>(place);
    args.next[tile] = static_cast<unsigned>(place);
    args.sort_steps_done[tile] = 0;
    place += args.tile_counts[tile];
  }
  if (threadIdx.x == kPlaceThreads - 1) {
    args.first[args.tiles] = static_cast<unsigned>(place);
    args.counters->pairs = place;
    verdict.fits = place <= args.capacity && args.counters->slots <= args.slot_capacity;
    args.counters->overflow = verdict.fits ? 0 : 1;
  }
  __syncthreads();
  if (!verdict.fits) return;
  order_tiles(args, begin, end, each);
  list_sort_steps(args, begin, end);
}

MOTE_KERNEL(kFileThreads) file_splats(FilingArgs args) {
  if (args.counters->overflow != 0) return;
  const unsigned splat = blockIdx.x * kFileThreads + threadIdx.x;
  const MacroRect rect = splat < args.count ? args.rects[splat] : MacroRect{1, 0, 1, 0};
  const bool visible = rect.first_column <= rect.last_column;
  if (!__any_sync(kWholeWarp, visible)) return;
  const SplatRecord record = visible ? args.records[splat] : SplatRecord{};
  const unsigned place_in_file = visible && args.index != nullptr ? args.index[splat] : splat;
  const TileKey own = static_cast<TileKey>(__float_as_uint(record.depth)) << 32 | place_in_file;
  const int columns = args.frame->columns;
  for_each_macro_tile(ellipse_of(record), rect, visible, own,
                      [&](TileKey key, int column, int row) {
                        args.keys[atomicAdd(&args.next[row * columns + column], 1u)] = key;
                      });
}

}  // namespace

void run_place_tiles(const FilingArgs& args, cudaStream_t stream) {
  launch(place_tiles, {.blocks = 1, .threads = kPlaceThreads, .name = "placing of tiles"}, stream,
         args);
}

void run_file_splats(const FilingArgs& args, cudaStream_t stream) {
  launch(file_splats,
         {.blocks = blocks_for(args.count, kFileThreads),
          .threads = kFileThreads,
          .name = "filing of splats"},
         stream, args);
}

}  // namespace mote::cuda
