#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cameras/frustum.h"
#include "splats/block_life.h"

namespace mote::cuda {

/// Replaces some splats of a scene. Both are in the layout of SplatCloud.
struct SceneUpdateArgs {
  const float *new_geometry, *new_sh;  // of `count` splats
  const std::uint32_t* slots;          // [count] their places in the scene, all different
  unsigned count;
  unsigned geometry_rows, sh_rows;  // floats per splat
  float *geometry, *sh;

  const Cluster* new_clusters;            // [cluster_count]
  const std::uint32_t* changed_clusters;  // [cluster_count] their places, all different
  unsigned cluster_count;
  Cluster* clusters;
};

void run_scene_update(const SceneUpdateArgs& args, cudaStream_t stream);

/// lives[blocks[i]] = new_lives[i]; `blocks` are all different.
struct LifeUpdateArgs {
  const BlockLife* new_lives;   // [count]
  const std::uint32_t* blocks;  // [count]
  unsigned count;
  BlockLife* lives;
};

void run_life_update(const LifeUpdateArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
