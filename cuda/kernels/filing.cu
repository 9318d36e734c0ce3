// Filing: a sum over the macro tiles' counts, by one block, and the scatter of the keys.

#include "cuda/kernels/filing.h"

#include "cuda/dialect.h"
#include "cuda/kernels/lane_sums.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime.h"

namespace mote::cuda {
namespace {

constexpr int kPlaceThreads = 1024;
constexpr int kFileThreads = 256;

/// Wide enough for what does not fit the keys' capacity.
using Place = unsigned long long;

struct WarpTotals {
  Place sum[kPlaceThreads / kWarp];
};

MOTE_KERNEL(kPlaceThreads) place_tiles(FilingArgs args) {
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
    place += args.tile_counts[tile];
  }
  if (threadIdx.x == kPlaceThreads - 1) {
    args.first[args.tiles] = static_cast<unsigned>(place);
    args.counters->pairs = place;
    const bool fits = place <= args.capacity && args.counters->slots <= args.slot_capacity;
    args.counters->overflow = fits ? 0 : 1;
  }
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
