// Changes of the set of splats.

#include "cuda/kernels/density.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "splats/splat_geometry.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kBlock = kBlockSize;

MOTE_DEVICE unsigned thread_in_grid() {
  return blockIdx.x * kThreads + threadIdx.x;
}

/// Rounds up to whole blocks.
constexpr unsigned padded(unsigned count) {
  return (count + kBlock - 1) / kBlock * kBlock;
}

MOTE_KERNEL(kThreads) gather_planes(GatherArgs args) {
  const unsigned splat = thread_in_grid();
  if (splat >= padded(args.count)) return;
  const bool padding = splat >= args.count;
  const unsigned source = padding ? 0 : args.source[splat];
  const bool empty = padding || (args.forget != nullptr && args.forget[splat] != 0);
  const std::size_t stride = std::size_t{args.planes} * kBlock;
  const float* from = args.from + source / kBlock * stride + source % kBlock;
  float* to = args.to + splat / kBlock * stride + splat % kBlock;
  for (unsigned plane = 0; plane < args.planes; ++plane) {
    to[plane * kBlock] = empty ? 0.0f : from[plane * kBlock];
  }
}

template <class T>
MOTE_KERNEL(kThreads)
gather(const T* from, T* to, const std::uint32_t* source, unsigned count) {
  const unsigned i = thread_in_grid();
  if (i < count) to[i] = from[source[i]];
}

MOTE_KERNEL(kThreads)
write_changes(const DensityEdit::Change* changes, unsigned count, FieldPlanes planes,
              float* geometry) {
  const unsigned i = thread_in_grid();
  if (i < count) store_geometry(planes, changes[i].geometry, geometry, changes[i].splat);
}

MOTE_KERNEL(kThreads)
write_moves(const DensityEdit::Move* moves, unsigned count, FieldPlanes planes, float* geometry) {
  const unsigned i = thread_in_grid();
  if (i < count) store_motion(planes, moves[i].motion, geometry, moves[i].splat);
}

/// A splat finds its colour by bisection: few splats have one.
MOTE_KERNEL(kThreads) write_colors(WriteColorsArgs args) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const std::uint32_t number = args.order[splat];
  unsigned first = 0, last = args.color_count;
  while (first < last) {
    const unsigned middle = first + (last - first) / 2;
    if (args.colors[middle].splat < number) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first >= args.color_count || args.colors[first].splat != number) return;
  const float* sh_0 = args.colors[first].sh_0;
  float* to = args.sh + splat / kBlock * (std::size_t{args.planes} * kBlock) + splat % kBlock;
  for (unsigned plane = 0; plane < args.planes; ++plane) {
    to[plane * kBlock] = plane < 3 ? sh_0[plane] : 0.0f;
  }
}

MOTE_KERNEL(kThreads) copy_motions(const float* from, EditTarget target, unsigned count) {
  const unsigned i = thread_in_grid();
  if (i >= count) return;
  store_motion(target.planes, load_motion(target.planes, from, target.source[i]), target.geometry,
               i);
}

MOTE_KERNEL(kThreads) mark(const std::uint32_t* numbers, unsigned count, std::uint8_t* marks) {
  const unsigned i = thread_in_grid();
  if (i < count) marks[numbers[i]] = 1;
}

MOTE_KERNEL(kThreads) limit_opacity(LimitOpacityArgs args) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const std::size_t at = geometry_place(args.planes, splat) +
                         static_cast<unsigned>(args.planes.of(Field::logit_opacity)) * kBlock;
  args.geometry[at] = min(args.geometry[at], args.most);
  args.first[at] = 0;
  args.second[at] = 0;
}

}  // namespace

void run_gather_planes(const GatherArgs& args, cudaStream_t stream) {
  launch(gather_planes,
         {.blocks = blocks_for(padded(args.count), kThreads),
          .threads = kThreads,
          .name = "moving splats"},
         stream, args);
}

template <class T>
void run_gather(const T* from, T* to, const std::uint32_t* source, unsigned count,
                cudaStream_t stream) {
  launch(gather<T>,
         {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = "moving splats"},
         stream, from, to, source, count);
}
template void run_gather(const float*, float*, const std::uint32_t*, unsigned, cudaStream_t);
template void run_gather(const std::uint32_t*, std::uint32_t*, const std::uint32_t*, unsigned,
                         cudaStream_t);
template void run_gather(const std::uint8_t*, std::uint8_t*, const std::uint32_t*, unsigned,
                         cudaStream_t);

void run_write_changes(const DensityEdit::Change* changes, unsigned count,
                       const FieldPlanes& planes, float* geometry, cudaStream_t stream) {
  launch(write_changes,
         {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = "changing splats"},
         stream, changes, count, planes, geometry);
}

void run_write_moves(const DensityEdit::Move* moves, unsigned count, const FieldPlanes& planes,
                     float* geometry, cudaStream_t stream) {
  if (count == 0) return;
  launch(write_moves,
         {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = "changing splats"},
         stream, moves, count, planes, geometry);
}

void run_write_colors(const WriteColorsArgs& args, cudaStream_t stream) {
  if (args.color_count == 0) return;
  launch(
      write_colors,
      {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "changing splats"},
      stream, args);
}

void run_copy_motions(const float* from, const EditTarget& target, unsigned count,
                      cudaStream_t stream) {
  if (count == 0) return;
  launch(copy_motions,
         {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = "copying motions"},
         stream, from, target, count);
}

void run_mark(const std::uint32_t* numbers, unsigned count, std::uint8_t* marks,
              cudaStream_t stream) {
  launch(mark,
         {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = "marking splats"},
         stream, numbers, count, marks);
}

void run_limit_opacity(const LimitOpacityArgs& args, cudaStream_t stream) {
  launch(limit_opacity,
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "limiting opacities"},
         stream, args);
}

}  // namespace mote::cuda
