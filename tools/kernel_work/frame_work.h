#pragma once

// How much work the CUDA kernels have with a frame: what an estimate of their time starts from. The
// kernels project and file it on the host run; what blending then goes through is counted by its
// own functions.

#include <cstdint>
#include <vector>

#include "cameras/camera.h"
#include "core/parallel.h"
#include "cuda/cuda_scene.h"
#include "cuda/tile_lists.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Of one macro tile, or of a frame.
struct TileWork {
  std::uint64_t pairs = 0;      // splats filed
  std::uint64_t entered = 0;    // splats entered into batches, before the block is done
  std::uint64_t groups = 0;     // of 32 of them, by warps that go on
  std::uint64_t hits = 0;       // splats that a warp takes
  std::uint64_t subtiles = 0;   // of 32 pixels, evaluated
  std::uint64_t pixels = 0;     // of those, pixels that the splat touches and that go on
  std::uint64_t buckets = 0;    // of 32 splats, with a pixel that goes on
  std::uint64_t passes = 0;     // subtiles that go through a bucket
  std::uint64_t saturated = 0;  // warps that are done before their list is

  TileWork& operator+=(const TileWork& other);
};

struct FrameWork {
  std::uint64_t splats = 0;
  std::uint64_t threads = 0;  // of projection, in clusters that are not culled
  std::uint64_t visible = 0;
  std::uint64_t slots = 0;  // macro tiles in the rectangles of splats
  std::uint64_t empty_tiles = 0;
  TileWork all;
  std::vector<TileWork> tiles;
};

/// Counts the frames of one scene.
class FrameCounter {
 public:
  FrameCounter(SplatCloud cloud, ThreadPool& pool);

  FrameWork count(const Camera& camera);

 private:
  bool antialiased_;
  cuda::Stream stream_;
  cuda::CudaScene scene_;
  cuda::TileLists lists_;
};

}  // namespace mote
