// One kernel instead of a copy and two fills, each of which is a node of a frame's graph.

#include "cuda/kernels/frame_start.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
static_assert(sizeof(FrameParams) % sizeof(unsigned) == 0);
static_assert(sizeof(FrameCounters) % sizeof(unsigned) == 0);

MOTE_KERNEL(kThreads) start_frame(FrameStartArgs args) {
  const unsigned first = blockIdx.x * kThreads + threadIdx.x, threads = gridDim.x * kThreads;
  for (unsigned tile = first; tile < args.tiles; tile += threads) args.tile_counts[tile] = 0;
  if (blockIdx.x > 0) return;
  constexpr unsigned kWords = sizeof(FrameParams) / sizeof(unsigned);
  const auto* from = reinterpret_cast<const unsigned*>(args.host_params);
  auto* to = reinterpret_cast<unsigned*>(args.params);
  for (unsigned word = first; word < args.scenes * kWords; word += kThreads) to[word] = from[word];
  auto* counters = reinterpret_cast<unsigned*>(args.counters);
  if (first < sizeof(FrameCounters) / sizeof(unsigned)) counters[first] = 0;
}

}  // namespace

void run_frame_start(const FrameStartArgs& args, cudaStream_t stream) {
  launch(start_frame,
         {.blocks = blocks_for(args.tiles, kThreads), .threads = kThreads, .name = "frame start"},
         stream, args);
}

}  // namespace mote::cuda
