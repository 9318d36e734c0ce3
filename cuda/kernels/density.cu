// Changes of the set of splats.

#include "cuda/kernels/density.h"

#include "cuda/dialect.h"
#include "cuda/kernels/integers.h"
#include "cuda/runtime.h"
#include "scene/splat_fields.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kBlock = kBlockSize;

MOTE_DEVICE unsigned thread_in_grid() {
  return blockIdx.x * kThreads + threadIdx.x;
}

MOTE_KERNEL(kThreads) gather_planes(GatherArgs args) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const unsigned source = args.source[splat];
  const bool forgotten = args.forget != nullptr && args.forget[splat] != 0;
  const std::size_t stride = std::size_t{args.planes} * kBlock;
  const float* from = args.from + source / kBlock * stride + source % kBlock;
  float* to = args.to + splat / kBlock * stride + splat % kBlock;
  for (unsigned plane = 0; plane < args.planes; ++plane) {
    to[plane * kBlock] = forgotten ? 0.0f : from[plane * kBlock];
  }
}

MOTE_KERNEL(kThreads)
gather(const std::uint32_t* from, std::uint32_t* to, const std::uint32_t* source, unsigned count) {
  const unsigned i = thread_in_grid();
  if (i < count) to[i] = from[source[i]];
}

MOTE_KERNEL(kThreads) limit_opacity(LimitOpacityArgs args) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const std::size_t at = std::size_t{splat / kBlock} * kFieldCount * kBlock +
                         static_cast<unsigned>(Field::logit_opacity) * kBlock + splat % kBlock;
  args.geometry[at] = min(args.geometry[at], args.most);
  args.first[at] = 0;
  args.second[at] = 0;
}

}  // namespace

void run_gather_planes(const GatherArgs& args, cudaStream_t stream) {
  launch(gather_planes,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "moving splats"},
         stream, args);
}

void run_gather(const std::uint32_t* from, std::uint32_t* to, const std::uint32_t* source,
                unsigned count, cudaStream_t stream) {
  launch(gather,
         {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = "moving splats"},
         stream, from, to, source, count);
}

void run_limit_opacity(const LimitOpacityArgs& args, cudaStream_t stream) {
  launch(limit_opacity,
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "limiting opacities"},
         stream, args);
}

}  // namespace mote::cuda
