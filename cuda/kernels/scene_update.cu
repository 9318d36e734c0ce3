// Replaces some splats of a scene, one thread each, and the bounds of their clusters.

#include "cuda/kernels/scene_update.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "splats/kinds/fields.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

/// Copies the rows of one splat from lane to lane.
MOTE_DEVICE void copy_rows(const float* from, std::size_t from_splat, float* to,
                           std::size_t to_splat, unsigned rows) {
  const float* source =
      from + from_splat / kBlockSize * rows * kBlockSize + from_splat % kBlockSize;
  float* target = to + to_splat / kBlockSize * rows * kBlockSize + to_splat % kBlockSize;
  for (unsigned row = 0; row < rows; ++row) target[row * kBlockSize] = source[row * kBlockSize];
}

MOTE_KERNEL(kThreads) scene_update(SceneUpdateArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.count) {
    copy_rows(args.new_geometry, i, args.geometry, args.slots[i], args.geometry_rows);
    copy_rows(args.new_sh, i, args.sh, args.slots[i], args.sh_rows);
  }
  if (i < args.cluster_count) args.clusters[args.changed_clusters[i]] = args.new_clusters[i];
}

MOTE_KERNEL(kThreads) life_update(LifeUpdateArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.count) args.lives[args.blocks[i]] = args.new_lives[i];
}

}  // namespace

void run_scene_update(const SceneUpdateArgs& args, cudaStream_t stream) {
  launch(
      scene_update,
      {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "updating a scene"},
      stream, args);
}

void run_life_update(const LifeUpdateArgs& args, cudaStream_t stream) {
  launch(
      life_update,
      {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "updating lives"},
      stream, args);
}

}  // namespace mote::cuda
